"""What was chosen on the page outlives the daemon, where there is a place for it."""

import json
from pathlib import Path

import pytest

from vitcam.daemon.saved_state.page_choices import SavedCrop
from vitcam.folders import state_folder
from vitcam.pictures.view import Region

LEFT = Region(0, 0, 0.5, 1)


def test_a_crop_is_there_again_at_the_next_start(tmp_path: Path) -> None:
    answer = SavedCrop(tmp_path / "deep" / "er", "picamera").save(LEFT)

    assert answer == ""
    assert SavedCrop(tmp_path / "deep" / "er", "picamera").load() == LEFT
    assert sorted(path.name for path in (tmp_path / "deep" / "er").iterdir()) == ["crops.json", "crops.json.copy"]


def test_only_so_many_sources_are_remembered(tmp_path: Path) -> None:
    for number in range(40):
        SavedCrop(tmp_path, f"v4l2:{number}").save(LEFT)

    assert SavedCrop(tmp_path, "v4l2:39").load() == LEFT
    assert SavedCrop(tmp_path, "v4l2:0").load() is None


@pytest.mark.parametrize("content", ["", "{", "[]", "[" * 100_000])
def test_a_damaged_memory_is_as_good_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "crops.json").write_text(content)
    saved = SavedCrop(tmp_path, "picamera")

    assert saved.load() is None
    assert (tmp_path / "crops.json.damaged").exists()
    assert saved.save(LEFT) == ""
    assert saved.load() == LEFT


def test_a_place_that_cannot_be_written_is_named_and_costs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert "cannot be written" in SavedCrop(tmp_path / "file", "picamera").save(LEFT)
    assert SavedCrop(tmp_path / "file", "picamera").load() is None
    assert "no folder" in SavedCrop(None, "picamera").save(LEFT)


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"STATE_DIRECTORY": "/var/lib/vitcam", "HOME": "/root"}, "/var/lib/vitcam"),
        ({"STATE_DIRECTORY": "/var/lib/a:/var/lib/b"}, "/var/lib/a"),
        ({"XDG_STATE_HOME": "/s", "HOME": "/h"}, "/s/vitcam"),
        ({"XDG_STATE_HOME": "s", "HOME": "/h"}, "/h/.local/state/vitcam"),
        ({"HOME": "/h"}, "/h/.local/state/vitcam"),
    ],
)
def test_the_place_is_where_systemd_or_xdg_say(environ: dict[str, str], folder: str) -> None:
    assert state_folder(environ) == Path(folder)


def test_the_whole_picture_that_an_older_version_kept_is_no_crop(tmp_path: Path) -> None:
    (tmp_path / "crops.json").write_text('{"picamera": "0,0,1,1"}')

    assert SavedCrop(tmp_path, "picamera").load() is None


def test_a_crop_is_kept_to_the_last_digit_so_that_it_still_lies_inside_the_picture(tmp_path: Path) -> None:
    for numerator in range(1, 400):
        region = Region(numerator / 401 + 4.9e-7, 0, 1 - numerator / 401 - 4.9e-7, 1)
        SavedCrop(tmp_path, "picamera").save(region)
        assert SavedCrop(tmp_path, "picamera").load() == region


@pytest.mark.parametrize("record", [3, None, "1,2", "0,0,9,1e999", {"polygon": [[0, 0], [1, 1], [0, 1]]}])
def test_a_crop_that_cannot_be_read_costs_no_other(tmp_path: Path, record: object) -> None:
    SavedCrop(tmp_path, "v4l2:0").save(LEFT)
    path = tmp_path / "crops.json"
    path.write_text(json.dumps({"picamera": record, **json.loads(path.read_text())}))

    assert SavedCrop(tmp_path, "picamera").load() is None
    assert SavedCrop(tmp_path, "v4l2:0").load() == LEFT
    SavedCrop(tmp_path, "v4l2:1").save(LEFT)
    assert json.loads(path.read_text())["picamera"] == record


def test_without_a_home_there_is_no_place() -> None:
    assert state_folder({}) is None
    assert state_folder({"XDG_STATE_HOME": "relative"}) is None
