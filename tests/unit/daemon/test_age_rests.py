"""Where nobody knows how long events are to be kept, none is deleted because of its age until a person has said so."""

from pathlib import Path

import pytest

from vitcam.config.layers import PageLayer
from vitcam.config.load import EffectiveSettings, merge_layers
from vitcam.daemon.recording import retention_of
from vitcam.daemon.saved_state.page_settings import PageSettings

DAMAGED = "[names"


def start(folder: Path, *, configuration: str = "") -> EffectiveSettings:
    """The settings of a start with this state folder."""
    path = folder / "config.toml"
    path.write_text(configuration)
    return merge_layers(path, (), {}, {}, folder / "none.toml", PageSettings(folder).layer)


def rests(folder: Path, *, configuration: str = "") -> str:
    """Why nothing is deleted because of its age; empty where it is."""
    return retention_of(start(folder, configuration=configuration).settings.store).rests


def set_on_page(folder: Path, name: str, value: object) -> None:
    page = PageSettings(folder)
    layer = page.layer
    said = layer.unread if name != "store.keep_days" else ""
    page.save_settings(PageLayer(values={**layer.values, name: value}, unread=said))


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (DAMAGED, "was found damaged on"),
        ("[store]\nkeep_days = 'for ever'\n", "store.keep_days is set in"),
        ("[store]\nkeep_days = -1\n", "store.keep_days is set in"),
        ("[store]\nkeep_days = nan\n", "store.keep_days is set in"),
        ("[store]\nkeep_days = 1" + "0" * 400 + "\n", "store.keep_days is set in"),
        ("[store.keep_days]\nof = 5\n", "store.keep_days is set in"),
        ("[store]\nkeep_days = 0\nmax_mb = []\n", "store.max_mb is set in"),
        ("store = 5\n", "store is no table in"),
        ("x" * 9_000_000, "was found damaged on"),
    ],
)
def test_it_rests_at_every_start_until_a_person_says_how_long(tmp_path: Path, content: str, named: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(content)
    for _ in range(3):
        assert named in rests(tmp_path)
    assert "beyond 500 MB the oldest" in rests(tmp_path) or "max_mb = []" in content

    assert rests(tmp_path, configuration="[store]\nkeep_days = 7\nmax_mb = 500\n") == ""
    set_on_page(tmp_path, "overlay.opacity", 0.5)
    assert named in rests(tmp_path), "another setting says nothing of it"
    set_on_page(tmp_path, "store.keep_days", 3)
    set_on_page(tmp_path, "store.max_mb", 100)
    assert rests(tmp_path) == ""
    found = start(tmp_path)
    assert (found.settings.store.keep_days, found.settings.store.max_mb) == (3, 100)
    assert found.settings.overlay.opacity == 0.5


def test_a_damaged_file_of_which_there_is_a_good_copy_costs_nothing(tmp_path: Path) -> None:
    set_on_page(tmp_path, "store.keep_days", 0)
    (tmp_path / "settings.toml").write_text(DAMAGED)

    assert rests(tmp_path) == ""
    assert start(tmp_path).settings.store.keep_days == 0


def test_a_file_that_cannot_be_read_rests_while_that_is_so_and_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.symlink_to(path)  # root may read everything but a loop

    assert "cannot be read: Too many levels" in rests(tmp_path)
    assert "it stays as it is" in PageSettings(tmp_path).save_model("cifar10")
    path.unlink()
    path.write_text("[store]\nkeep_days = 0\n")
    assert rests(tmp_path) == ""


def test_a_damaged_file_without_room_for_another_stays_and_rests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(DAMAGED)
    (tmp_path / "settings.toml.copy").mkdir()  # nothing can be written there

    for _ in range(2):
        assert "was found damaged on" in rests(tmp_path)
    assert path.read_text() == DAMAGED
    assert PageSettings(tmp_path).save_model("cifar10") != ""
    assert path.read_text() == DAMAGED


def test_without_a_file_nothing_rests(tmp_path: Path) -> None:
    assert rests(tmp_path) == ""
    assert start(tmp_path).settings.store.keep_days == 30
