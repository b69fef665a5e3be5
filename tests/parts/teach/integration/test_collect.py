"""Pictures are collected through a running daemon: over HTTP, by the command, with a password, and masked."""

from http import HTTPStatus
from pathlib import Path
from typing import Any

import cv2

from tests.command import vitcam
from tests.daemon import answer_to, daemon, get_json, status_of
from tests.eventually import eventually
from tests.parts.teach.inbox.entries import JPEG, entry
from vitcam.parts.teach.inbox.store import Inbox, InboxLimits


def is_ready(url: str) -> bool:
    try:
        return status_of(f"{url}/readyz") == HTTPStatus.OK
    except OSError:  # it does not listen yet
        return False


def test_pictures_are_collected_seen_renamed_and_deleted_over_http(tmp_path: Path) -> None:
    state: dict[str, Any] = {"STATE_DIRECTORY": str(tmp_path)}
    with daemon("--source", "demo", "--loop", **state) as running:
        running.wait_for("ok")
        url = running.url
        begun = answer_to(f"{url}/api/collect", {"label": "pet", "count": 3})
        eventually(lambda: get_json(f"{url}/api/collect")["taken"] == 3, 60)
        eventually(lambda: not get_json(f"{url}/api/collect")["active"], 30)
        listed = get_json(f"{url}/api/datasets")
        pictures = get_json(f"{url}/api/datasets/mine/pet")["pictures"]
        seen = status_of(f"{url}/api/datasets/mine/pet/{pictures[0]}")
        renamed = answer_to(f"{url}/api/datasets/mine/pet/{pictures[0]}", {"label": "Mia"}, "PATCH")
        deleted = answer_to(f"{url}/api/datasets/mine/pet", b"", "DELETE")
        refused = [
            answer_to(f"{url}/api/collect", body)[0]
            for body in (
                {},
                {"label": 7},
                {"label": "a/b"},
                {"label": "x", "count": 0},
                {"label": "x", "colour": "red"},
            )
        ]
        missing = [status_of(f"{url}/api/datasets/{path}") for path in ("mine/nothing", "mine/Mia/..%2f..%2fevents.db")]
        status = running.state()["status"]

    picture = cv2.imread(str(next((tmp_path / "datasets" / "mine" / "Mia").glob("*.jpg"))))
    assert (begun[0], begun[1]["active"], begun[1]["label"]) == (200, True, "pet")
    assert listed["datasets"][0]["labels"] == {"pet": 3}
    assert (len(pictures), seen) == (3, 200)
    assert renamed[1]["datasets"][0]["labels"] == {"Mia": 1, "pet": 2}
    assert deleted[1]["datasets"][0]["labels"] == {"Mia": 1}
    assert refused == [400] * 5
    assert missing == [400, 400]
    assert picture is not None
    assert picture.shape[0] == picture.shape[1], "the square that the model saw"
    assert status == "ok"


def test_the_command_collects_through_a_daemon_with_a_password_and_leaves_no_token(tmp_path: Path) -> None:
    state: dict[str, Any] = {"STATE_DIRECTORY": str(tmp_path)}
    nobody = vitcam("collect", "cup", **state)
    with daemon("--source", "demo", "--loop", VITCAM_WEB_PASSWORD="a password for tests", **state) as running:
        eventually(lambda: is_ready(running.url), 60)
        taken = vitcam("collect", "nothing special", "--seconds", "3", "--dataset", "desk", **state)
        wrong = vitcam("collect", "cup", "--count", "3", "--seconds", "2", **state)
        bad = vitcam("collect", "../cup", **state)
        listed = vitcam("datasets", "list", "--json", **state)
        tokens = vitcam("token", "list", "--json", **state)
    gone = vitcam("collect", "cup", **state)
    deleted = vitcam("datasets", "delete", "desk", **state)
    vitcam("datasets", "inbox", "--clear", **state)  # of what the demo showed
    Inbox(tmp_path, InboxLimits(9, 9.0)).add(entry(1, label="mug"), JPEG)
    waiting = vitcam("datasets", "inbox", "--json", **state)
    told = vitcam("datasets", "inbox", **state)
    cleared = vitcam("datasets", "inbox", "--clear", **state)
    again = vitcam("datasets", "delete", "desk", **state)

    assert (nobody.code, "vitcam run" in nobody.err) == (2, True)
    assert taken.code == 0, taken.err
    assert listed.lines[0]["labels"]["nothing special"] >= 1
    assert [each.code for each in (wrong, bad, gone)] == [2, 2, 2]
    assert tokens.out == ""
    assert (waiting.lines[0]["id"], waiting.lines[0]["label"]) == (entry(1).id, "mug")
    assert "1 pictures, 0.0 MB" in told.out
    assert (cleared.code, list((tmp_path / "inbox").iterdir())) == (0, [])
    assert (deleted.code, again.code, "desk" in again.err) == (0, 2, True)


def test_no_masked_px_is_collected_and_a_backup_has_the_pictures(tmp_path: Path) -> None:
    state: dict[str, Any] = {"STATE_DIRECTORY": str(tmp_path / "state")}
    config = tmp_path / "config.toml"
    config.write_text('[camera]\nmasks = ["0,0,1,1"]\n')
    Inbox(tmp_path / "state", InboxLimits(9, 9.0)).add(entry(1), JPEG)
    with daemon("--source", "demo", "--loop", "--config", str(config), **state) as running:
        running.wait_for("ok")
        answer_to(f"{running.url}/api/collect", {"label": "dark", "count": 1, "whole": True})
        eventually(lambda: get_json(f"{running.url}/api/collect")["taken"] == 1, 30)
    saved = vitcam("backup", str(tmp_path / "all.tar.gz"), **state)
    restored = vitcam("restore", str(tmp_path / "all.tar.gz"), STATE_DIRECTORY=str(tmp_path / "new"))
    (whole,) = (tmp_path / "state" / "datasets" / "mine" / ".whole" / "dark").glob("*.jpg")
    (part,) = (tmp_path / "state" / "datasets" / "mine" / "dark").glob("*.jpg")

    assert [cv2.imread(str(path)).max() < 8 for path in (whole, part)] == [True, True]
    assert (saved.code, restored.code) == (0, 0), saved.err + restored.err
    assert [each.id for each in Inbox(tmp_path / "new", InboxLimits(9, 9.0)).entries()] == [entry(1).id]
    assert (tmp_path / "new" / part.relative_to(tmp_path / "state")).read_bytes() == part.read_bytes()
