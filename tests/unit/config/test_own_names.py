"""`[names]`: a language, and any label as a key with another name for it."""

from pathlib import Path

import pytest

from tests.unit.config.test_load import Write, effective, refused, write  # noqa: F401 - a fixture
from vitcam.config.compare import Changes, with_changes
from vitcam.config.load import merge_layers
from vitcam.config.names import OWN_NAME, NameSettings
from vitcam.config.option import without_secrets
from vitcam.config.settings import Settings, option_called
from vitcam.errors import ConfigError
from vitcam.names.wanted import OwnName, WantedNames

SOME = '[names]\nlanguage = "de"\n"tabby cat" = " Mia "\n"consommé" = ""\n'


def test_every_key_but_the_language_is_a_name_of_ones_own(write: Write) -> None:  # noqa: F811
    path = write(SOME)
    names = effective(path).settings.names

    assert names.language == "de"
    assert names.own == (OwnName("tabby cat", "Mia", str(path)), OwnName("consommé", "", str(path)))
    assert names.wanted == WantedNames("de", names.own, str(path))


def test_a_later_place_changes_what_it_names_again_in_any_case(tmp_path: Path) -> None:
    system, named = tmp_path / "system.toml", tmp_path / "named.toml"
    system.write_text(SOME)
    named.write_text('[names]\n"TABBY CAT" = "Luna"\n')
    names = merge_layers(named, ["names.pug=Rex", 'names."Consommé"=soup'], {}, {}, system).settings.names

    assert {each.label: each.name for each in names.own} == {"TABBY CAT": "Luna", "pug": "Rex", "Consommé": "soup"}
    assert {each.place for each in names.own} == {str(named), "--set names.pug", "--set names.Consommé"}


def test_a_language_that_nobody_sets_leaves_the_choice_to_the_page(write: Write) -> None:  # noqa: F811
    assert effective(None).settings.names.wanted == WantedNames()
    assert effective(write('[names]\nlanguage = "en"\n')).settings.names.wanted.language == "en"
    assert effective(None, VITCAM_NAMES_LANGUAGE="fr").settings.names.wanted.language_place == "VITCAM_NAMES_LANGUAGE"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('"tabby cat" = 5', ["'tabby cat'", "5"]),
        ('"tabby cat" = ["Mia"]', ["'tabby cat'", "Mia"]),
        ('"tabby cat" = {a = 1}', ["'tabby cat'"]),
        ('"tabby cat" = "a\\u0007"', ["'tabby cat'"]),
        (f'"{"x" * 200}" = "Mia"', ["100 characters"]),
        ('"" = "Mia"', ["''"]),
        ('wall = "unknown"', ["'wall'", "unknown"]),
        ('cat = "Mia"\n"Cat" = "Luna"', ["'cat'"]),
        ('language = "xx"', ["names.language", "'xx'"]),
        ("language = 5", ["names.language", "5"]),
    ],
)
def test_what_is_no_name_is_refused_with_its_place(write: Write, content: str, said: list[str]) -> None:  # noqa: F811
    sentence = refused(ConfigError, write(f"[names]\n{content}\n"))

    assert "named.toml" in sentence
    assert "\n" not in sentence
    for word in said:
        assert word in sentence


def test_a_variable_cannot_hold_a_name_of_ones_own() -> None:
    sentence = refused(ConfigError, VITCAM_NAMES_CAT="Mia")

    assert "VITCAM_NAMES_CAT" in sentence
    assert "[names]" in sentence


def test_names_are_shown_with_their_place(write: Write) -> None:  # noqa: F811
    path = write(SOME)
    rows = {name: (value, origin) for name, value, origin in effective(path).rows() if name.startswith("names.")}

    assert rows == {
        "names.language": ("de", str(path)),
        'names."tabby cat"': ("Mia", str(path)),
        'names."consommé"': ("", str(path)),
    }
    assert option_called('names."tabby cat"') is OWN_NAME
    assert without_secrets(OWN_NAME, "Mia") == "Mia"


def test_a_run_takes_over_other_names() -> None:
    other = Settings(names=NameSettings("de", (OwnName("cat", "Mia", "a.toml"),), "a.toml"))
    changes = Changes.between(Settings(), other)

    assert changes == Changes(("names",), ())
    assert with_changes(Settings(), other, changes.live).names.wanted == other.names.wanted
    assert Changes.between(Settings(), Settings(names=NameSettings("en", (), "a.toml"))).touch("names")
