"""`vitcam replay` as its user has it: of an event that a daemon has stored, of its bundle, and of a video."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.command import vitcam
from tests.daemon import daemon
from tests.eventually import eventually
from tests.videos import write_video
from vitcam.history.store import EventStore
from vitcam.history.stored import Query, StoredEvent

pytestmark = pytest.mark.long
GOLDEN = Path(__file__).parents[3] / "models/golden"
SETTINGS = """
[camera]
source = "demo"
[web]
names = ["cam.example.org"]
"""


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state folder of a daemon that saw the demo until it had stored an event."""
    folder = tmp_path_factory.mktemp("state")
    with daemon("--source", "demo", STATE_DIRECTORY=str(folder)) as running:
        assert eventually(lambda: stored(folder), every_s=0.1), running.errors()
        running.end()
    return folder


def stored(folder: Path) -> tuple[StoredEvent, ...]:
    return EventStore(folder).find(Query()).events


@pytest.fixture(scope="module")
def bundle(state: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of the event, as it comes to somebody else."""
    path = tmp_path_factory.mktemp("bundle") / "event.zip"
    config = path.with_name("config.toml")
    config.write_text(SETTINGS)
    found = vitcam(
        "replay", stored(state)[0].id, "--bundle", str(path), "--config", str(config),
        STATE_DIRECTORY=str(state), VITCAM_CAMERA_SOURCE="rtsp://me:hunter2@cam/live",
    )  # fmt: skip
    assert found.code == 0, found.err
    return path


def changed(bundle: Path, name: str, change: Callable[[Any], None]) -> Path:
    """The bundle with another JSON file in it."""
    other = bundle.with_name("changed.zip")
    with zipfile.ZipFile(bundle) as before, zipfile.ZipFile(other, "w") as after:
        for member in before.namelist():
            data = before.read(member)
            if member == name:
                described = json.loads(data)
                change(described)
                data = json.dumps(described).encode()
            after.writestr(member, data)
    return other


def test_a_stored_event_gives_the_same_guesses_and_overlay_bit_for_bit(state: Path, tmp_path: Path) -> None:
    event, overlay = stored(state)[0], tmp_path / "overlay.png"

    found = vitcam("replay", event.id, "--json", "--overlay", str(overlay), STATE_DIRECTORY=str(state))

    assert found.code == 0, found.err
    assert found.lines[0] | {"fingerprint": ""} == {
        "type": "replay", "id": event.id, "label": event.label, "match": "exact", "differences": [],
        "frame_of": None, "box": None, "model": "everyday", "fingerprint": "",
    }  # fmt: skip
    assert found.lines[0]["fingerprint"] == event.fingerprint
    assert cv2.imread(str(overlay)).shape == (720, 1280, 3)


def test_a_bundle_replays_on_a_machine_that_has_no_history(bundle: Path, tmp_path: Path) -> None:
    found = vitcam("replay", str(bundle), STATE_DIRECTORY=str(tmp_path / "empty"))

    assert found.code == 0, found.err
    assert "the same, bit for bit" in found.out


def test_a_bundle_holds_versions_and_settings_and_no_password(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        documents = {name: archive.read(name) for name in archive.namelist()}
    settings = json.loads(documents["settings.json"])

    assert set(documents) == {"event.json", "frame.jpg", "replay.json", "settings.json", "versions.json"}
    assert settings["camera.source"] == "rtsp://***@cam/live"
    assert settings["web.names"] == ["cam.example.org"]
    assert all(b"hunter2" not in data for data in documents.values())
    assert {"vitcam", "model", "runtime", "opencv"} <= set(json.loads(documents["versions.json"]))


def test_another_answer_is_said_with_what_differs_and_exit_code_1(bundle: Path) -> None:
    def forge(replay: dict[str, Any]) -> None:
        replay["top"][0] = ["teapot", 0.9]
        replay["evidence"][0][0] += 1.0

    found = vitcam("replay", str(changed(bundle, "replay.json", forge)))

    assert found.code == 1
    assert "the answer is another one" in found.out
    assert "guess 1 was teapot 0.900000 and is " in found.out
    assert "the overlay differs in " in found.out


def test_a_probability_within_the_tolerance_of_golden_images_is_close_and_no_failure(bundle: Path) -> None:
    def shift(replay: dict[str, Any]) -> None:
        replay["top"][0][1] -= 0.03

    found = vitcam("replay", str(changed(bundle, "replay.json", shift)), "--json")

    assert (found.code, found.lines[0]["match"]) == (0, "close")
    assert len(found.lines[0]["differences"]) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("01ARZ3NDEKTSV4RRFFQ69G5FAV",), "there is no event 01ARZ3NDEKTSV4RRFFQ69G5FAV in "),
        (("none.zip",), "none.zip cannot be read: No such file or directory"),
        (("none.mp4",), "there is no file none.mp4"),
    ],
)
def test_what_is_not_there_is_refused_with_a_sentence(state: Path, arguments: tuple[str, ...], sentence: str) -> None:
    found = vitcam("replay", *arguments, STATE_DIRECTORY=str(state))

    assert found.code in (1, 2)
    assert sentence in found.sentence


def test_a_model_that_is_gone_and_another_model_are_refused_with_the_fingerprint(bundle: Path) -> None:
    gone = changed(bundle, "replay.json", lambda replay: replay.update(model="old", fingerprint="ab" * 32))

    missing, other = vitcam("replay", str(gone)), vitcam("replay", str(bundle), "--model", "cifar10")

    assert (missing.code, other.code) == (2, 2)
    assert "seen by old (abababababab), and no installed model has this fingerprint" in missing.sentence
    assert "cifar10.tflite is another model" in other.sentence


@pytest.mark.parametrize("member", ["replay.json", "frame.jpg"])
def test_a_damaged_bundle_is_refused_with_a_sentence(bundle: Path, tmp_path: Path, member: str) -> None:
    bad = tmp_path / "bad.zip"
    with zipfile.ZipFile(bundle) as before, zipfile.ZipFile(bad, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name)[: 900 if name == member else None])
    text = tmp_path / "text.zip"
    text.write_text("no bundle")

    for path in (bad, text):
        found = vitcam("replay", str(path))
        assert found.code == 2, found.out
        assert "Traceback" not in found.err


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """6 s: a cup on the left from 1 to 4 s."""
    cup = cv2.resize(cv2.imread(str(GOLDEN / "coffee.jpg")), (240, 240))
    empty = np.full((240, 480, 3), 90, np.uint8)
    shown = empty.copy()
    shown[:, :240] = cup
    return write_video(
        tmp_path_factory.mktemp("film") / "cup.mp4", [shown if 5 <= i < 20 else empty for i in range(30)], fps=5
    )


def test_a_video_is_replayed_with_the_zones_of_another_configuration(film: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[zones.desk]\nrect = "0,0,0.5,1"\n[zones.door]\nrect = "0.5,0,0.5,1"\n')

    found = vitcam("replay", str(film), "--rules", str(rules), "--json")

    assert found.code == 0, found.err
    assert [(each["zone"], each["start_s"], each["end_s"]) for each in found.lines] == [("desk", 1.0, 3.8)]


def test_a_stricter_rule_gives_no_event_and_says_so(film: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[zones.desk]\nrect = "0,0,0.5,1"\n[events]\ndwell_s = 30\n')

    found = vitcam("replay", str(film), "--rules", str(rules))

    assert (found.code, found.out.strip()) == (0, "0 events")


def test_a_rule_is_tried_on_a_video_at_the_time_of_the_day_that_it_is_given(film: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[zones.desk]\nrect = "0,0,0.5,1"\n'
        '[[on]]\nname = "night"\nzone = "desk"\nfor_s = 2\nbetween = "22:00-06:00"\nsound = true\n'
        '[[on]]\nfile = "seen.jsonl"\n'
    )

    night, day = (
        vitcam("replay", str(film), "--rules", str(rules), "--at", at, "--json", cwd=tmp_path)
        for at in ("23:59", "12:00")
    )

    assert (night.code, day.code) == (0, 0), night.err + day.err
    assert [each["type"] for each in day.lines] == ["event"]
    [action] = [each for each in night.lines if each["type"] == "action"]
    assert (action["rule"], action["kinds"], action["event"]) == ("night", ["sound"], "1")
    assert 3.0 <= action["at_s"] <= 4.5
    assert not (tmp_path / "seen.jsonl").exists()


def test_a_watched_label_and_a_mask_hold_in_a_video_too(film: Path, tmp_path: Path) -> None:
    watching, masked = tmp_path / "watching.toml", tmp_path / "masked.toml"
    watching.write_text('[zones.desk]\nrect = "0,0,0.5,1"\nlabels = ["dog"]\n')
    masked.write_text('[camera]\nmasks = ["0,0,0.5,1"]\n[zones.desk]\nrect = "0,0,0.5,1"\n')

    found = [vitcam("replay", str(film), "--rules", str(path)) for path in (watching, masked)]

    assert [(each.code, each.out.strip()) for each in found] == [(0, "0 events")] * 2
