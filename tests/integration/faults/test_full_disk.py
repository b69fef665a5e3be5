"""A full disk while somebody changes something on the page: `python -m tests.soak.full_disk --rounds N` does more."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.daemon import Daemon, answer_to, daemon, get_json
from tests.eventually import eventually
from tests.integration.faults.small_disk import fill, small_disk
from tests.integration.web.browser import console_errors, open_browser
from tests.integration.web.test_new_masks import MASK, fetched, magenta_camera, open_event, secret_pixels
from tests.push_service import Browser
from tests.soak.camera import FaultyCamera
from tests.soak.full_disk import fill_at_each_save

NO_HISTORY = ("--model", "mnist", "--set", "store.enabled=false")


@pytest.fixture
def chrome(tmp_path: Path) -> Iterator[Chrome]:
    with open_browser(tmp_path / "profile") as driver:
        yield driver


@pytest.mark.fault(
    "the disk is full when something is changed on the page",
    injected="a tmpfs that is filled before each change, SIGKILL, and room at the next start or while it runs",
    observed="each answer says what is in force and what will be remembered; the next start has what was said; once "
    "there is room, all is saved by itself",
)
def test_what_is_changed_on_a_full_disk_is_after_a_restart_as_it_was_said() -> None:
    done = fill_at_each_save(2)

    assert done["undone by the restart, as was said"] >= 6
    assert done["saved later by itself"] == 12


@pytest.mark.fault(
    "a privacy mask is drawn on a full disk while an event lasts",
    injected="a tmpfs that is filled before PUT /api/zones",
    observed="the mask is in force at once, also for the picture of the event; the answer is 200 and says whether the "
    "next start will have it; it has it where that was said",
)
def test_a_mask_on_a_full_disk_hides_at_once_and_is_there_later_where_that_was_said(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "24m") as disk, magenta_camera(change_s=1e9) as camera:
        options, home = ("--source", camera), {"STATE_DIRECTORY": str(disk / "state")}
        with daemon(*options, **home) as running:
            running.wait_for("ok")
            lasting = eventually(lambda: open_event(running.url), every_s=0.05)
            assert lasting is not None
            picture = f"{running.url}/api/events/{lasting['id']}/frame.jpg"
            shown_before = secret_pixels(fetched(picture))
            fill(disk)
            status, answer = answer_to(f"{running.url}/api/zones", MASK, "PUT")
            leaks = [secret_pixels(fetched(url)) for url in (picture, f"{running.url}/snapshot.jpg?overlay=none")]
            waiting = running.state()["unsaved"]
            running.process.kill()
            running.process.wait(30)
        (disk / "filler").unlink()
        with daemon(*options, **home) as running:
            running.wait_for("ok")
            masks = get_json(f"{running.url}/api/zones")["masks"]

        assert shown_before > 1000
        assert (status, answer["masks"], answer["warning"]) == (200, MASK["masks"], "")
        assert leaks == [0, 0]
        assert answer["remembered"] == (not waiting)
        assert masks == (MASK["masks"] if answer["remembered"] else [])


def told(chrome: Chrome) -> str:
    notice = chrome.find_element(By.ID, "unsaved")
    return notice.text if notice.is_displayed() else ""


def test_the_page_says_that_a_mask_is_not_saved_in_every_view_until_it_is(tmp_path: Path, chrome: Chrome) -> None:
    with small_disk(tmp_path / "disk", "4m") as disk, FaultyCamera(size=(320, 180)) as camera:
        with daemon("--source", camera.url, *NO_HISTORY, STATE_DIRECTORY=str(disk / "state")) as running:
            running.wait_for("ok")
            (disk / "state").mkdir(exist_ok=True)
            chrome.get(running.url)
            fill(disk)
            _, answer = answer_to(f"{running.url}/api/zones", MASK, "PUT")
            said = eventually(lambda: told(chrome))
            chrome.get(f"{running.url}/#settings")
            said_in_settings = eventually(lambda: told(chrome))
            (disk / "filler").unlink()
            gone = eventually(lambda: not told(chrome), 30.0)
            saved = saved_masks(disk)
            complaints = console_errors(chrome)

        assert (answer["remembered"], "No space left" in answer["reason"]) == (False, True)
        assert "zones and privacy masks" in str(said)
        assert "the disk is full" in str(said)
        assert said_in_settings == said
        assert gone
        assert saved == MASK["masks"]
        assert complaints == []


def saved_masks(disk: Path) -> Any:
    (record,) = json.loads((disk / "state" / "zones.json").read_text()).values()
    return record["masks"]


def test_a_second_setting_on_a_full_disk_leaves_the_first_one_in_force(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "4m") as disk, FaultyCamera(size=(320, 180)) as camera:
        with daemon("--source", camera.url, *NO_HISTORY, STATE_DIRECTORY=str(disk / "state")) as running:
            running.wait_for("ok")
            (disk / "state").mkdir(exist_ok=True)
            fill(disk)
            answers = [change(running, {"events.enter": 0.9}), change(running, {"events.gap_s": 5.0})]
            (disk / "filler").unlink()
            saved = eventually(lambda: not running.state()["unsaved"], 30.0)
            rows = {row["name"]: row["value"] for row in get_json(f"{running.url}/api/settings")["settings"]}

        assert [answer["remembered"] for answer in answers] == [False, False]
        assert saved
        assert (rows["events.enter"], rows["events.gap_s"]) == (0.9, 5.0)


def command(state: Path, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """A command of this machine that writes into the state folder."""
    environ = {**os.environ, "STATE_DIRECTORY": str(state)}
    line = [sys.executable, "-m", "vitcam", *words]
    return subprocess.run(line, input=given, env=environ, capture_output=True, text=True, timeout=120, check=False)


def stored(state: Path) -> dict[str, bytes]:
    """Each file that a person has put there, and nothing half of one."""
    files = [*state.glob("datasets/**/*"), *state.glob("tokens.json*"), *state.glob("password*"), *state.glob("push.*")]
    return {str(path.relative_to(state)): path.read_bytes() for path in files if path.is_file()}


@pytest.mark.fault(
    "the disk is full when something is stored that is in force nowhere else",
    injected="a tmpfs that is filled before a token, a password, a photo, a zip and a browser for messages come",
    observed="each is refused with the reason, 503 or exit code 1; what was there stays to the byte, nothing half is "
    "left; with room it is stored",
)
def test_what_can_only_be_stored_is_refused_on_a_full_disk_and_nothing_is_lost(tmp_path: Path) -> None:
    photos = [jpeg_of(n) for n in range(4)]

    def store(running: Daemon, state: Path, n: int) -> dict[str, tuple[int, str]]:
        """Status or exit code of each, and what was said."""
        token, password = (
            command(state, "token", "create", f"t{n}"),
            command(state, "password", "--stdin", given=f"secret no {n}\n"),
        )
        found = {"token": (token.returncode, token.stderr), "password": (password.returncode, password.stderr)}
        device = Browser().subscription(f"https://push.example/{n}") | {"name": f"browser {n}"}
        for name, path, body in (
            ("photo", "/api/datasets/mine/cup", photos[n]),
            ("browser", "/api/alerts/push", device),
        ):
            status, answer = answer_to(f"{running.url}{path}", body)
            found[name] = (status, str(answer))
        return found

    with small_disk(tmp_path / "disk", "4m") as disk, FaultyCamera(size=(320, 180)) as camera:
        state = disk / "state"
        state.mkdir()
        with daemon("--source", camera.url, *NO_HISTORY, STATE_DIRECTORY=str(state)) as running:
            running.wait_for("ok")
            first = store(running, state, 1)
            before = stored(state)
            fill(disk)
            full = store(running, state, 2)
            after = stored(state)
            (disk / "filler").unlink()
            later = store(running, state, 3)
            at_last = stored(state)

        good = {"token": 0, "password": 0, "photo": 200, "browser": 200}
        assert {name: code for name, (code, _) in first.items()} == good, first
        assert {name: code for name, (code, _) in full.items()} == {
            "token": 1,
            "password": 1,
            "photo": 503,
            "browser": 503,
        }
        assert all("No space left" in said or "is full" in said for _, said in full.values()), full
        assert after == before
        assert {name: code for name, (code, _) in later.items()} == good, later
        assert at_last.keys() > before.keys()


def jpeg_of(seed: int) -> bytes:
    noise = np.random.default_rng(seed).integers(0, 256, (64, 64, 3), np.uint8)
    return bytes(cv2.imencode(".jpg", cv2.resize(noise, (256, 256)))[1])


def change(running: Daemon, settings: dict[str, object]) -> dict[str, Any]:
    status, answer = answer_to(f"{running.url}/api/settings", settings, "PATCH")
    assert status == 200, answer
    return answer
