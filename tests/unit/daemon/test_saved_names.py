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


def test_what_a_newer_version_has_written_there_stays(tmp_path: Path) -> None:
    other = 'top = 1\non = [{label = "cat", between = ["22:00", "06:00"]}]\n[web]\nport = 9\nopen = true\nx = 0.5\n'
    other += "since = 2026-11-25\nmost = inf\n"
    (tmp_path / "settings.toml").write_text(other)
    PageSettings(tmp_path).save_names(SOME)
    found = tomllib.loads((tmp_path / "settings.toml").read_text("utf-8"))

    assert {key: value for key, value in found.items() if key != "names"} == tomllib.loads(other)


@pytest.mark.parametrize("content", ["[names", "\x00", "x = " + "[" * 100_000])
def test_a_damaged_file_costs_only_itself_and_is_told_in_one_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: str
) -> None:
    (tmp_path / "settings.toml").write_text(content)

    assert PageSettings(tmp_path).names == WantedNames()
    assert len(caplog.records) == 1
    assert "settings.toml is damaged" in caplog.text
    assert (tmp_path / "settings.toml.damaged").read_text() == content


@pytest.mark.parametrize(
    "bad",
    [
        "language = 'xx'", "language = 5", "language = ['Sprache']", "cat = 5", "cat = 'unknown'", "cat = {}",
        "cat = 'a'\nCAT = 'b'", "'' = 'a'", f"cat = '{'x' * 101}'", "language = 2026-11-27",
    ],
)  # fmt: skip
def test_one_bad_value_costs_that_value_and_no_other_and_stays_in_the_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, bad: str
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(f"[names]\ndog = 'Rex'\n{bad}\n[store]\nkeep_days = 0\n[model]\nname = 'cifar10'\n")
    page = PageSettings(tmp_path)
    before = tomllib.loads(path.read_text())

    assert ("dog", "Rex") in [(each.label, each.name) for each in page.names.own]
    assert dict(page.layer.values) == {"store.keep_days": 0}
    assert page.model == "cifar10"
    assert not path.with_name("settings.toml.damaged").exists()
    page.save_model("everyday")
    page.save_names(page.names)
    assert tomllib.loads(path.read_text()) == {**before, "model": {"name": "everyday"}}
    assert all("are left out" in record.message for record in caplog.records)


def test_a_label_called_language_has_a_table_of_its_own(tmp_path: Path) -> None:
    wanted = WantedNames("de", own_names({"cat": "Mia", "language": "Sprache", "labels": "x"}))
    page = PageSettings(tmp_path)

    assert page.save_names(wanted) == ""
    assert set(page.names.own) == set(wanted.own)
    assert page.names.language == "de"
    found = tomllib.loads((tmp_path / "settings.toml").read_text())
    assert found == {
        "names": {"language": "de", "cat": "Mia", "labels": "x"},
        "labels": {"language": "Sprache"},
    }, "what stands below names is all that an older version reads, and it can"
    page.save_names(WantedNames("", own_names({"cat": "Mia"})))
    assert tomllib.loads((tmp_path / "settings.toml").read_text()) == {"names": {"cat": "Mia"}}


def test_a_name_for_language_that_an_older_version_kept_in_place_of_the_language_is_a_name(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("[names]\ncat = 'Mia'\nlanguage = 'Sprache'\n[store]\nkeep_days = 0\n")
    names = PageSettings(tmp_path).names

    assert {each.label: each.name for each in names.own} == {"cat": "Mia", "language": "Sprache"}
    assert names.language == ""


def test_names_that_cannot_be_written_are_in_force_until_the_end(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    active = initial_names(NameSettings(), PageSettings(tmp_path / "file"))
    reason = active.replace(SOME)

    assert "settings.toml cannot be written" in reason
    assert active.in_force.wanted == SOME
    assert "no folder" in initial_names(NameSettings(), PageSettings(None)).replace(SOME)
