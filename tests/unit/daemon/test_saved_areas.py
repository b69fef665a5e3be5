"""Zones and masks that were drawn on the page outlive the daemon, and the configuration goes before them."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from vitcam.config.camera import CameraSettings
from vitcam.config.settings import Settings
from vitcam.config.tables import ZoneSettings
from vitcam.daemon.saved_state import trials as trials_module
from vitcam.daemon.saved_state.page_choices import SavedAreas, initial_areas
from vitcam.daemon.saved_state.trials import Trials
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import NO_AREAS, Areas, Zone
from vitcam.pictures.view import Region

DRAWN = Areas((Zone("door", Region(0, 0, 0.5, 1), ("cup",), 0.6, 0.4, 1.0),), (Region(0.9, 0, 0.1, 1),))
CAMERA = Settings(camera=CameraSettings(source="v4l2:/dev/video0"))


def kept_in(folder: Path, areas: Areas, source: str = "v4l2:/dev/video0") -> dict[str, str]:
    """The environment of a machine that keeps these."""
    SavedAreas(folder / "vitcam", source).save(areas)
    return {"XDG_STATE_HOME": str(folder)}


def test_zones_and_masks_are_there_again_at_the_next_start(tmp_path: Path) -> None:
    environ = kept_in(tmp_path, DRAWN)
    active = initial_areas(CAMERA, environ)

    assert active.in_force == (DRAWN, "page")
    assert SavedAreas(tmp_path / "vitcam", "v4l2:/dev/video1").load() == (NO_AREAS, "")


def test_zones_of_the_configuration_go_before_those_of_the_page_and_masks_stay(tmp_path: Path) -> None:
    environ = kept_in(tmp_path, DRAWN)
    settings = replace(CAMERA, zones=(ZoneSettings("road", "0,0,1,0.5"),))
    active = initial_areas(settings, environ)

    assert active.areas == Areas((Zone("road", Region(0, 0, 1, 0.5)),), DRAWN.masks)
    assert active.replace(DRAWN) == "zones are set by the configuration"
    assert active.areas == DRAWN


def test_masks_of_the_configuration_go_before_those_of_the_page(tmp_path: Path) -> None:
    environ = kept_in(tmp_path, DRAWN)
    settings = replace(CAMERA, camera=replace(CAMERA.camera, masks=("0,0,320,240",)))

    assert initial_areas(settings, environ).areas == Areas(DRAWN.zones, (Region(0, 0, 320, 240),))


def test_zones_of_a_file_are_in_force_and_are_not_kept(tmp_path: Path) -> None:
    environ = kept_in(tmp_path, DRAWN, "demo")
    active = initial_areas(Settings(camera=CameraSettings(source="demo")), environ)

    assert active.areas == NO_AREAS
    assert "for cameras only" in active.replace(DRAWN)
    assert active.in_force == (DRAWN, "page")


@pytest.mark.fault(
    "the file with the privacy masks cannot be read, and nor can its copy",
    injected="a file that is empty, cut off, or holds something else",
    observed="no picture is shown, and the sentence says what helps; masks that are drawn again end it",
)
@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"picamera": 3}', '{"picamera": {"zones": {}}}', "[" * 100_000]
    + [json.dumps({"picamera": {"zones": {}, "masks": [[0, 0, 1, side]]}}) for side in (None, "1", 0, float("inf"))],
)
def test_masks_that_cannot_be_read_are_not_taken_for_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "zones.json").write_text(content)
    saved = SavedAreas(tmp_path, "picamera")
    areas, unknown = saved.load()
    active = ActiveAreas(areas, saved.save, unknown=unknown)

    assert "zones.json cannot be read" in unknown
    assert saved.load()[1] == unknown  # at every start
    assert active.unknown
    assert active.replace(DRAWN) == ""
    assert active.unknown == ""
    assert saved.load() == (DRAWN, "")


def test_masks_of_a_file_that_may_not_be_read_are_not_taken_for_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zones.json").mkdir()

    assert "zones.json cannot be read (Is a directory)" in SavedAreas(tmp_path, "picamera").load()[1]


def test_zones_that_cannot_be_read_cost_no_mask_and_those_of_another_camera_cost_nothing(tmp_path: Path) -> None:
    (tmp_path / "zones.json").write_text(
        json.dumps(
            {
                "v4l2:1": {"zones": {}, "masks": "?"},
                "picamera": {"zones": {"": {}}, "masks": [[0, 0, 0.5, 1]]},
                "v4l2:2": {"zones": {"door": {"rect": [0, 0, 1e-320, 1]}}, "masks": []},
            }
        )
    )

    assert SavedAreas(tmp_path, "picamera").load() == (Areas(masks=(Region(0, 0, 0.5, 1),)), "")
    assert SavedAreas(tmp_path, "v4l2:2").load()[0].names == ("door",)


@pytest.mark.fault(
    "the file with the privacy masks is damaged",
    injected="a file that was cut off",
    observed="the masks of its last good copy are in force; a warning says so",
)
def test_a_damaged_file_costs_no_mask(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    SavedAreas(tmp_path, "picamera").save(DRAWN)
    (tmp_path / "zones.json").write_text('{"picamera": {"zon')

    assert SavedAreas(tmp_path, "picamera").load() == (DRAWN, "")
    assert "zones.json is damaged" in caplog.text


def test_a_place_that_cannot_be_written_is_named_where_zones_are_drawn(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert "cannot be written" in SavedAreas(tmp_path / "file", "picamera").save(DRAWN)
    assert "no folder" in SavedAreas(None, "picamera").save(DRAWN)


def test_zones_that_were_deleted_on_the_page_do_not_come_back(tmp_path: Path) -> None:
    environ = kept_in(tmp_path, DRAWN)
    kept_in(tmp_path, NO_AREAS)

    assert initial_areas(CAMERA, environ).in_force == (NO_AREAS, "configuration")


@pytest.mark.parametrize("then", [Areas((), DRAWN.masks), NO_AREAS])
def test_what_is_drawn_while_no_frame_comes_is_not_undone_by_a_zone_that_waited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: Areas
) -> None:
    monkeypatch.setattr(trials_module, "_WAIT_S", 0.05)
    trials = Trials()
    active = initial_areas(CAMERA, {"XDG_STATE_HOME": str(tmp_path)}, trials)
    said = [active.replace(areas) for areas in (Areas(DRAWN.zones, ()), then)]
    trials.worked(time.monotonic_ns())
    trials.close()
    assert trials.worker.join(10)

    assert (bool(said[0]), said[1]) == (True, "")
    assert SavedAreas(tmp_path / "vitcam", CAMERA.camera.source).load() == (then, "")


def test_masks_stay_where_the_same_camera_is_written_otherwise_until_they_are_deleted(tmp_path: Path) -> None:
    environ = kept_in(tmp_path, DRAWN, "rtsp://10.0.0.20/stream1")
    moved = Settings(camera=CameraSettings(source="rtsp://10.0.0.21/stream1"))
    active = initial_areas(moved, environ)
    carried = active.areas
    said = active.replace(NO_AREAS)

    assert carried == Areas((), DRAWN.masks)
    assert said == ""
    assert initial_areas(moved, environ).areas == NO_AREAS
    assert initial_areas(replace(moved, camera=CameraSettings(source="picamera")), environ).areas.masks == DRAWN.masks
    hidden = CameraSettings(source="rtsp://10.0.0.22/stream1", masks=("0,0,0.5,1",))
    assert initial_areas(replace(moved, camera=hidden), environ).areas.masks == (Region(0, 0, 0.5, 1),)
