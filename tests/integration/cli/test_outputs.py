"""Where words go: a command's result to stdout, everything else to stderr."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command import vitcam
from tests.grouped import grouped_model, unsure_photo
from tests.needs import need_model
from tests.parts.teach.taught import drawn
from vitcam.model.files import find_model


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("doctor", "runtime"),
        ("models list", "everyday"),
        ("models show mnist", "parameters"),
        ("models verify mnist", "ok  "),
        ("config check", "the configuration is valid"),
        ("config show", "camera.source"),
    ],
)
def test_the_result_of_a_command_goes_to_stdout_alone(command: str, words: str) -> None:
    result = vitcam(*command.split())

    assert words in result.out
    assert result.err == ""


@pytest.mark.parametrize("command", ["models list", "config check", "models verify mnist"])
def test_the_same_results_are_there_for_machines(command: str) -> None:
    assert vitcam(*command.split(), "--json").lines


@pytest.mark.parametrize("command", ["models list", "config show", "--help"])
def test_a_result_for_which_there_is_no_room_ends_with_one_sentence(command: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "vitcam", *command.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "No space left" in done.stderr


@pytest.mark.parametrize(
    "command",
    ["--help", "models", "models list", "models show mnist --json", "config show", "config schema", "token list"],
)
def test_a_reader_who_has_left_ends_a_command_without_a_word(command: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "vitcam", *command.split()],
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    finally:
        os.close(writer)

    assert (done.returncode, done.stderr) == (0, "")


def test_the_list_says_which_pis_a_model_fits_and_of_a_file_that_cannot_be_read_why(tmp_path: Path) -> None:
    models = tmp_path / "vitcam" / "models"
    models.mkdir(parents=True)
    (models / "gone.tflite").symlink_to(tmp_path / "nowhere.tflite")
    (models / "words.tflite").write_text("no model at all")
    rows = {row["name"]: row for row in vitcam("models", "list", "--json", XDG_DATA_HOME=str(tmp_path)).lines}
    people = vitcam("models", "list", XDG_DATA_HOME=str(tmp_path), COLUMNS="200").out

    assert rows["everyday"]["fits_gb"] == [1, 2, 4, 8, 16]
    assert 150 < rows["everyday"]["memory_mb"] < 300
    assert str(models / "gone.tflite") in rows["gone"]["error"]
    assert rows["gone"]["memory_mb"] is None
    assert "words.tflite" in people
    assert "1 GB and more" in people


def test_the_list_marks_the_model_that_the_next_run_takes(tmp_path: Path) -> None:
    env: dict[str, Any] = {"XDG_STATE_HOME": str(tmp_path), "COLUMNS": "200"}

    def marked(**more: Any) -> list[str]:
        return [row["name"] for row in vitcam("models", "list", "--json", **env, **more).lines if row["in_use"]]

    assert marked() == ["everyday"]
    assert marked(VITCAM_MODEL_NAME="cifar10") == ["cifar10"]
    assert vitcam("models", "use", "mnist", **env).code == 0
    assert marked() == ["mnist"]
    assert "mnist (in use)" in vitcam("models", "list", **env).out
    assert marked(VITCAM_MODEL_THREADS="many") == [], "the configuration has a fault; the list is there"


def test_the_list_says_which_taught_model_is_older_than_the_model_that_it_was_taught_on(tmp_path: Path) -> None:
    home: dict[str, Any] = {"XDG_DATA_HOME": str(tmp_path), "COLUMNS": "200"}
    assert vitcam("teach", str(drawn(tmp_path / "shapes")), "-o", "shapes", **home).code == 0

    def listed() -> tuple[list[str], str]:
        rows = vitcam("models", "list", "--json", **home).lines
        return [row["name"] for row in rows if row["older_than_base"]], vitcam("models", "list", **home).err

    taught_today = listed()
    shutil.copy(find_model("cifar10"), tmp_path / "vitcam" / "models" / "everyday.tflite")
    older, note = listed()

    assert taught_today == ([], "")
    assert older == ["shapes"]
    assert "shapes was taught on another everyday" in note


def test_a_table_in_a_file_is_as_wide_as_it_needs_to_be() -> None:
    rows = vitcam("models", "list", COLUMNS="").out.splitlines()

    assert len(rows) > 4
    assert all(row.rstrip().endswith(".tflite") for row in rows[1:])


def test_a_model_is_shown_in_80_columns_of_a_pipe_and_begins_with_what_most_people_ask_for() -> None:
    environ = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    command = [sys.executable, "-m", "vitcam", "models", "show", "everyday"]
    out = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environ).stdout
    keys = [row.split()[0] for row in out.splitlines() if row[1:2].strip()]

    assert max(map(len, out.splitlines())) <= 80
    assert keys[:4] == ["name", "description", "right", "memory"]


def test_the_help_begins_with_the_verbs_that_people_need_first() -> None:
    listed = [row.split()[1] for row in vitcam("--help").out.splitlines() if re.match(r"│ [a-z]", row)]

    assert listed[:4] == ["run", "classify", "explain", "events"]
    assert listed[-1] == "restore"


def test_one_unknown_photo_says_first_that_it_is_like_nothing_the_model_knows(tmp_path: Path) -> None:
    lines = vitcam("classify", str(noise(tmp_path / "a.png"))).out.splitlines()

    assert lines[0].split()[0] == "unknown"
    assert f"{tmp_path}/a.png  none of the 1,048 things" in lines[0]
    assert all(float(line.split("%")[0].split()[-1]) >= 5 for line in lines[1:]), "no guess below 5 % follows"


def test_many_photos_say_of_each_that_it_is_unknown(tmp_path: Path) -> None:
    noise(tmp_path / "a.png"), noise(tmp_path / "b.png")
    result = vitcam("classify", str(tmp_path), "--top-k", "1")

    for name, row in zip("ab", result.out.splitlines(), strict=True):
        assert row.split()[0] == "unknown"
        assert f"  {tmp_path}/{name}.png  none of the 1,048 things" in row
    assert result.sentence.endswith("0 skipped; 2 look like none of the 1,048 things the model knows")


def test_an_unsure_guess_is_read_at_a_coarser_level(tmp_path: Path) -> None:
    model, photo = str(grouped_model(tmp_path)), str(unsure_photo(tmp_path))
    (record,) = vitcam("classify", photo, "--model", model, "--json").lines
    alone = vitcam("classify", photo, "--model", model).out.splitlines()
    many = vitcam("classify", photo, photo, "--model", model).out.splitlines()

    assert record["top"][0]["label"] == "2"
    assert 0.3 < record["top"][0]["p"] < 0.5
    assert record["group"]["label"] == "even digit"
    assert 0.5 < record["group"]["p"] < 0.8
    assert alone[0] == many[0] == many[1], "a single photo has the same line"
    assert [line.split()[0] for line in alone[1:]] == ["2", "8", "5", "9"], "the guesses from 5 % on follow"
    assert re.fullmatch(rf" +[\d.]+%  even digit +{re.escape(photo)}  perhaps 2 \d\d%", many[0]), many


def noise(path: Path) -> Path:
    """A picture that shows nothing."""
    import cv2
    import numpy as np

    need_model("everyday")
    cv2.imwrite(str(path), np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8))
    return path
