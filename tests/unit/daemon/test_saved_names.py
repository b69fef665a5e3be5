"""Names that were set on the page, kept in `settings.toml` of the state folder."""

import tomllib
from pathlib import Path

import pytest

from vitcam.config.names import NameSettings
from vitcam.daemon.saved_state.page_settings import PageSettings, initial_names
from vitcam.names.wanted import WantedNames, own_names

SOME = WantedNames("de", own_names({"tabby cat": 'Mia "the\\ cat"', "consommé": "", "a = b [c] # d": "ö🐈"}))


def test_what_is_saved_is_there_at_the_next_start(tmp_path: Path) -> None:
    saved = PageSettings(tmp_path / "deep")

    assert saved.names == WantedNames()
    assert saved.save_names(SOME) == ""
    assert PageSettings(tmp_path / "deep").names == SOME
    written = (tmp_path / "deep" / "settings.toml").read_text("utf-8")
    assert tomllib.loads(written)["names"]["tabby cat"] == 'Mia "the\\ cat"'
    assert '\n[names]\nlanguage = "de"\n' in written


def test_nothing_that_is_set_is_saved_too(tmp_path: Path) -> None:
    saved = PageSettings(tmp_path)
    saved.save_names(SOME)
    saved.save_names(WantedNames())

    assert saved.names == WantedNames()


def test_what_a_newer_version_has_written_there_stays(tmp_path: Path) -> None:
    other = 'top = 1\non = [{label = "cat", between = ["22:00", "06:00"]}]\n[web]\nport = 9\nopen = true\nx = 0.5\n'
    other += "since = 2026-11-25\nmost = inf\n"
    (tmp_path / "settings.toml").write_text(other)
    PageSettings(tmp_path).save_names(SOME)
    found = tomllib.loads((tmp_path / "settings.toml").read_text("utf-8"))

    assert {key: value for key, value in found.items() if key != "names"} == tomllib.loads(other)


@pytest.mark.parametrize(
    "content",
    [
        "[names",
        "names = 5",
        "[names]\nlanguage = 'xx'",
        "[names]\nlanguage = 5",
        "[names]\ncat = 5",
        "[names]\ncat = 'unknown'",
        "[names]\ncat = 'a'\nCAT = 'b'",
        "\x00",
        "x = " + "[" * 100_000,
    ],
)
def test_a_damaged_file_costs_only_itself_and_is_told_in_one_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: str
) -> None:
    (tmp_path / "settings.toml").write_text(content)

    assert PageSettings(tmp_path).names == WantedNames()
    assert len(caplog.records) == 1
    assert "settings.toml is damaged" in caplog.text
    assert (tmp_path / "settings.toml.damaged").exists()


def test_the_last_good_copy_takes_the_place_of_a_damaged_file(tmp_path: Path) -> None:
    saved = PageSettings(tmp_path)
    saved.save_names(SOME)
    (tmp_path / "settings.toml").write_text("[names")

    assert saved.names == SOME


def test_names_that_cannot_be_written_are_in_force_until_the_end(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    active = initial_names(NameSettings(), PageSettings(tmp_path / "file"))
    reason = active.replace(SOME)

    assert "settings.toml cannot be written" in reason
    assert active.in_force.wanted == SOME
    assert "no folder" in initial_names(NameSettings(), PageSettings(None)).replace(SOME)
