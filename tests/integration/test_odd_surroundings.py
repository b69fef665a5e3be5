"""Names, locales, users and outputs as they come: nothing of it ends a command, and nothing steers the terminal."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.command import vitcam
from tests.daemon import daemon

ESC = "\x1b"
STRICT = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
NO_PASSWD = """
import pwd

def nobody(uid):
    raise KeyError(uid)

pwd.getpwuid = nobody
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Photos whose names are no UTF-8, hold an escape sequence, and have an accent; and one that is no photo."""
    folder = tmp_path_factory.mktemp("photos")
    png = cv2.imencode(".png", np.full((32, 32, 3), 90, np.uint8))[1].tobytes()
    for name in (b"a\xff\xfe.png", b"b\x1b[31m\x9b.png", "c\u00e9.png".encode(), b"d.png"):
        (folder / os.fsdecode(name)).write_bytes(png)
    (folder / os.fsdecode(b"e\xff\x1b[2J.png")).write_bytes(b"no picture")
    return folder


@pytest.mark.parametrize("locale", [STRICT, {"LC_ALL": "C.UTF-8"}], ids=["C", "UTF-8"])
@pytest.mark.parametrize(
    "command",
    [
        ("classify", "--json", "FOLDER"),
        ("run", "--source", "FOLDER", "--no-realtime", "--once", "--no-web", "--log", "json"),
    ],
    ids=["classify", "run"],
)
def test_names_that_are_no_utf_8_cost_no_photo_and_come_as_valid_json(
    folder: Path, command: tuple[str, ...], locale: dict[str, Any]
) -> None:
    result = vitcam(*(str(folder) if word == "FOLDER" else word for word in command), **locale)
    named = sorted(Path(line["path"]).name for line in result.lines if line["type"] in ("prediction", "error"))

    assert result.code == 0, result.err
    assert named == ["a\\xff\\xfe.png", "b\x1b[31m\\x9b.png", "c\u00e9.png", "d.png", "e\\xff\x1b[2J.png"]
    assert ESC not in result.out + result.err


@pytest.mark.parametrize("locale", [STRICT, {"LC_ALL": "C.UTF-8"}], ids=["C", "UTF-8"])
def test_names_never_steer_the_terminal_of_people(folder: Path, locale: dict[str, Any]) -> None:
    told = vitcam("classify", str(folder), **locale)
    ran = vitcam("run", "--source", str(folder), "--no-realtime", "--once", "--no-web", "--log", "rich", **locale)
    refused = vitcam("classify", f"{folder}/{ESC}[2Jnone.png", **locale)

    assert (told.code, ran.code, refused.code) == (0, 0, 2)
    assert "b\\u001b[31m\\x9b.png" in told.out
    assert "\\u001b[2Jnone.png" in refused.sentence
    for result in (told, ran, refused):
        assert ESC not in result.out + result.err
        assert "Traceback" not in result.err


@pytest.mark.parametrize(
    "command",
    [("classify", "--json", "PHOTO"), ("config", "show"), ("doctor", "--json"), ("models", "list")],
    ids=lambda command: command[0],
)
def test_a_user_without_home_and_passwd_entry_is_served(
    tmp_path: Path, folder: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(NO_PASSWD)
    for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    words = (str(folder / "d.png") if word == "PHOTO" else word for word in command)
    result = vitcam(*words, PYTHONPATH=str(tmp_path))

    assert result.out
    assert "unexpectedly" not in result.err
    assert result.code in ((0, 1) if command[0] == "doctor" else (0,)), result.err


def test_a_daemon_without_home_and_passwd_entry_classifies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(NO_PASSWD)
    for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    with daemon("--source", "demo", PYTHONPATH=str(tmp_path)) as running:
        running.wait_for("ok")

        assert running.end()[0] == 0


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    "command", ["classify d.png", "config show", "run --source d.png --once --no-realtime --no-web"]
)
def test_closed_outputs_end_no_command(folder: Path, command: str, closed: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -m vitcam {command} {closed}'],
        cwd=folder, capture_output=True, text=True, timeout=120,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "unexpectedly" not in done.stderr
    assert "Traceback" not in done.stderr


def test_labels_never_steer_the_terminal(folder: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_text("".join(f"{ESC}]0;{i}\x07\n" for i in range(10)))
    told = vitcam("classify", str(folder / "d.png"), "--model", "mnist", "--labels", str(labels))
    as_json = vitcam("classify", "--json", str(folder / "d.png"), "--model", "mnist", "--labels", str(labels))

    assert told.code == 0, told.err
    assert "\\u001b]0;" in told.out
    assert ESC not in told.out
    assert json.loads(as_json.out)["top"][0]["label"].startswith(ESC)
