"""The words that people say for what a model knows by finer names."""

from vitcam.model.classifier import Classifier
from vitcam.names.active import ActiveNames
from vitcam.names.everyday import everyday_word, everyday_words
from vitcam.names.languages import LANGUAGES, ORIGINAL, translations
from vitcam.names.naming import naming_of
from vitcam.names.vocabulary import Vocabulary
from vitcam.names.wanted import OwnName, WantedNames

LABELS = ("Tabby cat", "Mimi", "mug", "espresso", "beagle")
MEMBERS = {"cat": (0, 1), "feline": (0, 1)}


def test_a_label_finds_its_word_by_name_also_in_a_model_without_groups() -> None:
    assert everyday_words(LABELS, {}) == {"Tabby cat": "cat", "mug": "cup", "beagle": "dog"}
    assert everyday_word("Egyptian cat") == "cat"
    assert everyday_word("wheelchair") == "wheelchair"


def test_a_label_that_the_table_has_not_is_called_by_its_group_where_people_say_that_word() -> None:
    assert everyday_words(LABELS, MEMBERS)["Mimi"] == "cat"
    assert "feline" not in everyday_words(LABELS, MEMBERS)
    assert everyday_words(("sea lion",), {"seal": (0,)}) == {}


def test_words_are_in_the_language_and_a_name_of_ones_own_is_its_own_word() -> None:
    german = naming_of(WantedNames("de", (OwnName("Mimi", "Minka"),)), LABELS, MEMBERS)

    said = {each.own: german.everyday.get(each.name or "") for each in german.of_labels}
    assert said["Tabby cat"] == "Katze"
    assert said["beagle"] == "Hund", "the model has no such group"
    assert "Minka" not in german.everyday


def test_what_was_displayed_in_another_language_or_by_another_model_finds_the_present_word() -> None:
    vocabulary = Vocabulary(ActiveNames(WantedNames("de")), lambda: (LABELS, MEMBERS))

    assert [vocabulary.everyday(name) for name in ("Tabby cat", "cat", "Katze", "Siamese cat", "espresso")] == [
        "Katze", "Katze", "Katze", "Katze", vocabulary.names_of("espresso")[0],
    ]  # fmt: skip


def test_each_word_that_the_shipped_model_says_is_translated_into_every_language() -> None:
    shipped = Classifier(threads=1)
    words = set(everyday_words(shipped.labels, shipped.groups.members if shipped.groups else {}).values())

    assert {"cat", "dog", "bird", "car", "boat", "cup", "building", "person"} <= words
    assert {(code, word) for code in LANGUAGES if code != ORIGINAL for word in words - set(translations(code))} == set()
