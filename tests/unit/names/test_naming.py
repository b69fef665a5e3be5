"""What labels and groups are called, which of them become one, and what a name on the left means."""

import numpy as np
import pytest

from tests.refusals import naming as refusal_naming
from vitcam.errors import UsageError
from vitcam.names.active import ActiveNames, without_fixed
from vitcam.names.naming import Naming, naming_of, trouble_with
from vitcam.names.wanted import OwnName, WantedNames, key_of, own_names

LABELS = ("tabby cat", "tiger cat", "Persian cat", "pug", "cup")
MEMBERS = {"cup": (4,), "cat": (0, 1, 2), "animal": (0, 1, 2, 3)}
P = np.array([0.25, 0.125, 0.0625, 0.5, 0.0625], np.float32)


def wanted(language: str = "", **own: str) -> WantedNames:
    """Names of one's own; an underscore stands for a space."""
    return WantedNames(language, own_names({label.replace("_", " "): name for label, name in own.items()}))


def named(language: str = "", **own: str) -> Naming:
    return naming_of(wanted(language, **own), LABELS, MEMBERS)


def test_a_renamed_label_keeps_its_place_and_its_groups() -> None:
    found = named(pug="Rex")

    assert found.labels == ("tabby cat", "tiger cat", "Persian cat", "Rex", "cup")
    assert found.members == MEMBERS
    assert found.merged(P) is P


def test_labels_of_the_same_name_become_one_with_the_sum_of_their_probabilities() -> None:
    found = named(tabby_cat="Mia", tiger_cat="mia")

    assert found.labels == ("Mia", "Persian cat", "pug", "cup")
    assert found.merged(P).tolist() == [0.375, 0.0625, 0.5, 0.0625]
    assert found.members == {"cup": (3,), "cat": (0, 1), "animal": (0, 1, 2)}


def test_a_hidden_label_is_gone_and_nobody_gets_its_probability() -> None:
    found = named(pug="")

    assert found.labels == ("tabby cat", "tiger cat", "Persian cat", "cup")
    assert found.merged(P).tolist() == [0.25, 0.125, 0.0625, 0.0625]
    assert found.members == {"cup": (3,), "cat": (0, 1, 2), "animal": (0, 1, 2)}


def test_a_group_is_not_credited_with_what_is_none_of_it() -> None:
    found = named(tabby_cat="pet", pug="pet")

    assert found.labels == ("pet", "tiger cat", "Persian cat", "cup")
    assert found.members == {"cup": (3,), "cat": (1, 2), "animal": (0, 1, 2)}


def test_groups_are_renamed_hidden_and_merged_too() -> None:
    assert named(cat="Katze").members == {"cup": (4,), "Katze": (0, 1, 2), "animal": (0, 1, 2, 3)}
    assert named(cat="").members == {"cup": (4,), "animal": (0, 1, 2, 3)}
    assert named(cat="beast", animal="beast").members == {"cup": (4,), "beast": (0, 1, 2, 3)}


def test_the_language_comes_before_names_of_ones_own() -> None:
    found = named("de", tabby_cat="Mia")

    assert found.labels == ("Mia", "Tigerkatze", "Perserkatze", "Mops", "Tasse")
    assert list(found.members) == ["Tasse", "Katze", "Tier"]
    assert [each.translation for each in found.of_labels[:2]] == ["getigerte Katze", "Tigerkatze"]


@pytest.mark.parametrize("left", ["tabby cat", "TABBY  Cat", "getigerte Katze", "GETIGERTE KATZE"])
def test_the_left_side_may_be_the_models_name_or_its_translation_in_any_case(left: str) -> None:
    assert naming_of(WantedNames("de", own_names({left: "Mia"})), LABELS, MEMBERS).labels[0] == "Mia"


def test_accents_may_be_coded_either_way() -> None:
    assert key_of("consomme\N{COMBINING ACUTE ACCENT}") == key_of("CONSOMMÉ")


def test_the_models_own_name_is_meant_before_another_ones_translation() -> None:
    found = naming_of(wanted("fr", papillon="Filou"), ("papillon", "butterfly"), {})

    assert found.labels == ("Filou", "papillon")


def test_a_translation_that_another_label_has_as_its_own_name_is_not_used() -> None:
    assert naming_of(wanted("de"), ("lorry", "Sattelzug"), {}).labels == ("lorry", "Sattelzug")


def test_labels_that_a_file_names_alike_stay_apart() -> None:
    found = naming_of(wanted(c="d"), ("a", "a", "b", "c"), {})

    assert found.labels == ("a", "a", "b", "d")
    assert found.places is None


def test_an_unknown_name_is_told_with_the_nearest_ones() -> None:
    sentence = trouble_with(wanted("de", taby_cat="Mia", getigerte_Katz="Mia", zzzz="", qqqq=""), LABELS, MEMBERS)

    assert "'taby cat' (near are 'tabby cat'" in sentence
    assert "'getigerte Katz' (near are 'getigerte Katze'" in sentence
    assert "'zzzz' and 1 more" in sentence
    assert trouble_with(wanted("de", TABBY_cat="Mia", Tier=""), LABELS, MEMBERS) == ""


def test_names_are_made_once_and_again_where_they_or_the_labels_change() -> None:
    active = ActiveNames(wanted(pug="Rex"))
    first = active.of(LABELS, MEMBERS)

    assert first is not None
    assert active.of(LABELS, MEMBERS) is first
    other = active.of(("pug", "cat"), {})
    assert other is not None
    assert other.labels == ("Rex", "cat")
    active.replace(wanted(cup="Tasse"))
    again = active.of(LABELS, MEMBERS)
    assert again is not None
    assert again.labels[-2:] == ("Rex", "Tasse")


def test_what_the_configuration_says_comes_before_the_page() -> None:
    fixed = WantedNames("", (OwnName("Tabby Cat", "Mia", "/etc/config.toml"),))
    active = ActiveNames(fixed, wanted("de", tabby_cat="Luna", getigerte_Katze="Luna", pug="Rex"))
    found = active.of(LABELS, MEMBERS)

    assert found is not None
    assert found.labels == ("Mia", "Tigerkatze", "Perserkatze", "Rex", "Tasse")
    active.fix(WantedNames("en", (), "/etc/config.toml"))
    found = active.of(LABELS, MEMBERS)
    assert found is not None
    assert found.labels == ("Luna", "tiger cat", "Persian cat", "Rex", "cup")


def test_the_page_is_told_where_something_else_is_fixed() -> None:
    fixed = WantedNames("de", (OwnName("tabby cat", "Mia", "/etc/config.toml"),), "VITCAM_NAMES_LANGUAGE")

    def refusal(page: WantedNames) -> str:
        return without_fixed(fixed, page, LABELS, [*MEMBERS])[1]

    assert "VITCAM_NAMES_LANGUAGE" in refusal(wanted("fr"))
    assert "/etc/config.toml" in refusal(wanted(tabby_cat="Luna"))
    assert "/etc/config.toml" in refusal(wanted(getigerte_Katze="Luna"))
    page, none = without_fixed(fixed, wanted("de", tabby_cat="Mia", pug="Rex"), LABELS, [*MEMBERS])
    assert (page, none) == (wanted(pug="Rex"), "")


@pytest.mark.parametrize(
    ("given", "named_there"),
    [
        ({"cat": 5}, "5"),
        ({"cat": None}, "None"),
        ({"cat": "x" * 101}, "100"),
        ({"cat": "a\x00b"}, "cat"),
        ({"cat": "\u202eaim"}, "cat"),
        ({"": "Mia"}, "''"),
        ({"x" * 101: "Mia"}, "100"),
        ({"cat": " Unknown "}, "Unknown"),
        ({"cat": "Mia", "CAT ": "Luna"}, "CAT"),
        ({f"label {i}": "x" for i in range(2001)}, "2,001"),
    ],
)
def test_what_is_no_name_is_refused(given: dict[str, object], named_there: str) -> None:
    with pytest.raises(UsageError, match=refusal_naming(named_there)):
        own_names(given)


def test_where_every_label_is_hidden_none_is() -> None:
    names = wanted(**{label.replace(" ", "_"): "" for label in LABELS})

    assert naming_of(names, LABELS, MEMBERS).labels == LABELS
    assert "hides every label" in trouble_with(names, LABELS, MEMBERS)
