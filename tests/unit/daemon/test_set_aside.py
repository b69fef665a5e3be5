"""Where starts with what earlier runs left keep failing, one is made without it, and nothing of it is lost."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.eventually import eventually
from vitcam.config.camera import CameraSettings
from vitcam.config.layers import PageLayer
from vitcam.config.settings import Settings
from vitcam.config.tables import ZoneSettings
from vitcam.daemon.saved_state.page_choices import SavedAreas, SavedCrop, initial_areas, initial_crop
from vitcam.daemon.saved_state.page_settings import PageSettings
from vitcam.daemon.saved_state.set_aside import MOST_FAILED, SetAside
from vitcam.daemon.saved_state.trials import Trials
from vitcam.look.areas import Areas, Zone
from vitcam.pictures.view import Region
from vitcam.sentence import Sentence

URI = "http://camera/"
SETTINGS = Settings(camera=CameraSettings(source=URI))
CROP, MASK = Region(0, 0, 0.5, 1), Region(0.9, 0, 0.1, 1)
DRAWN = Areas((Zone("door", CROP, ("cup",)),), (MASK,))


def environ_of(folder: Path) -> dict[str, str]:
    return {"STATE_DIRECTORY": str(folder)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A state folder with crop, zones and masks."""
    SavedCrop(tmp_path, URI).save(CROP)
    SavedAreas(tmp_path, URI).save(DRAWN)
    return tmp_path


def start(folder: Path, settings: Settings = SETTINGS) -> SetAside:
    aside = SetAside.of(settings, environ_of(folder))
    aside.begin()
    return aside


def in_force(folder: Path) -> tuple[Region | None, Areas]:
    environ = environ_of(folder)
    return initial_crop(SETTINGS.camera, environ).region, initial_areas(SETTINGS, environ).areas


@pytest.mark.fault(
    "starts with what is remembered keep ending without a picture, as by a crash or a watchdog",
    injected="starts that never get any further",
    observed="the next one is made without crop and zones, and with the masks; the state says so and offers them",
)
def test_after_failed_starts_one_is_made_without_crop_and_zones_but_with_the_masks(folder: Path) -> None:
    for _ in range(MOST_FAILED):
        assert start(folder).record() is None
        assert in_force(folder) == (CROP, DRAWN)
    aside = start(folder)

    assert in_force(folder) == (None, Areas((), (MASK,)))
    assert aside.record() == {"what": ["crop", "zones"], "reason": "the last 3 starts ended without a picture"}
    assert start(folder).record() == aside.record()  # also at the next start
    assert in_force(folder) == (None, Areas((), (MASK,)))


@pytest.mark.parametrize("others", [True, False], ids=["something remembered", "nothing remembered"])
def test_a_start_that_worked_or_ended_in_good_order_begins_the_count_again(folder: Path, others: bool) -> None:
    if not others:
        SavedCrop(folder, URI).save(None)
        SavedAreas(folder, URI).save(Areas())
    for _ in range(3 * MOST_FAILED):
        start(folder).settled()
    for _ in range(MOST_FAILED - 1):
        start(folder)

    assert start(folder).record() is None
    assert (folder / "starts.json").exists() is others  # without anything remembered nothing is written


def test_what_is_set_aside_can_be_used_again_and_is_kept_then(folder: Path) -> None:
    for _ in range(MOST_FAILED):
        start(folder)
    aside, environ = start(folder), environ_of(folder)
    crop, areas = initial_crop(SETTINGS.camera, environ), initial_areas(SETTINGS, environ)
    aside.offer(crop, areas)
    reason = aside.use()

    assert reason == ""
    assert aside.record() is None
    assert (crop.region, areas.areas) == (CROP, DRAWN)
    assert in_force(folder) == (CROP, DRAWN)
    assert start(folder).record() is None


def test_what_is_forgotten_does_not_come_back(folder: Path) -> None:
    for _ in range(MOST_FAILED):
        start(folder)
    start(folder).forget()

    assert start(folder).record() is None
    assert in_force(folder) == (None, Areas((), (MASK,)))


def test_what_the_configuration_sets_is_not_set_aside(folder: Path) -> None:
    fixed = Settings(camera=CameraSettings(source=URI, crop="0,0,0.5,1"), zones=(ZoneSettings("door", "0,0,1,1"),))
    for _ in range(2 * MOST_FAILED):
        assert start(folder, fixed).record() is None


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"failed": "?"}', '{"failed": -3}', '{"failed": 1e999}', "[" * 9999]
)
def test_a_damaged_count_is_as_good_as_none(folder: Path, content: str) -> None:
    (folder / "starts.json").write_text(content)

    assert start(folder).record() is None


@pytest.mark.parametrize("content", ["", "[]", '{"http://camera/": 3}', '{"http://camera/": {"crop": [1e308]}}'])
def test_a_damaged_file_of_what_is_aside_does_not_end_the_start(folder: Path, content: str) -> None:
    (folder / "set_aside.json").write_text(content)

    assert start(folder).record() is None


@pytest.mark.parametrize("absurd", ["1" + "0" * 400, "-1", "1e308", "1e999", "NaN", "true", "[[]]", '"\\ud800"'])
def test_an_absurd_value_of_what_is_aside_costs_itself_and_nothing_beside_it(folder: Path, absurd: str) -> None:
    for _ in range(MOST_FAILED + 1):
        start(folder)
    file = folder / "set_aside.json"
    record = json.loads(file.read_text())[URI]
    for key, others in {"crop": {"zones"}, "areas": {"crop"}, "reason": {"crop", "zones"}}.items():
        file.write_text(json.dumps({URI: record | {key: "@"}}).replace('"@"', absurd))
        found = start(folder).record()

        assert found is not None
        assert set(found["what"]) == others


def test_within_a_run_the_first_attempts_that_fail_set_it_aside_at_once(folder: Path) -> None:
    trials, environ = Trials(), environ_of(folder)
    aside = start(folder)
    crop, areas = initial_crop(SETTINGS.camera, environ, trials), initial_areas(SETTINGS, environ, trials)
    aside.offer(crop, areas)
    aside.follow(trials)
    for _ in range(MOST_FAILED):
        trials.failed("the capture stage failed unexpectedly: OverflowError()")
    found = aside.record(), crop.region, areas.areas
    trials.close()

    assert found == (
        {"what": ["crop", "zones"], "reason": "the first 3 attempts failed"},
        None,
        Areas((), (MASK,)),
    )
    assert in_force(folder) == (None, Areas((), (MASK,)))
    assert isinstance(start(folder).reason, Sentence), "the page says it in its language after the next start, too"


def test_a_start_that_worked_blames_nothing_for_what_fails_later(folder: Path) -> None:
    trials = Trials()
    aside = start(folder)
    aside.follow(trials)
    trials.worked(time.monotonic_ns())
    assert eventually(lambda: not (folder / "starts.json").exists())
    for _ in range(2 * MOST_FAILED):
        trials.failed("the capture stage failed unexpectedly: OverflowError()")
    trials.close()

    assert aside.record() is None
    assert in_force(folder) == (CROP, DRAWN)


def test_after_failed_starts_the_settings_of_the_page_are_aside_and_no_event_is_deleted_for_it(folder: Path) -> None:
    page = PageSettings(folder)
    given = {"overlay.opacity": 0.9, "store.keep_days": 400.0, "camera.source": "v4l2:/dev/video0"}
    page.save_settings(PageLayer(values=given))
    for _ in range(MOST_FAILED):
        start(folder)
    aside = start(folder)
    record, kept = aside.record(), dict(page.layer.values)
    other = start(folder, replace(SETTINGS, camera=replace(SETTINGS.camera, source="picamera")))
    reason = aside.use()

    assert record is not None
    assert "settings" in record["what"]
    assert kept == {"store.keep_days": 400.0, "camera.source": "v4l2:/dev/video0"}, "another camera has other masks"
    assert other.record() is not None, "the page belongs to all cameras"
    assert reason == ""
    assert page.layer.values["overlay.opacity"] == 0.9
    assert aside.record() is None
