"""The lists of ImageNet's classes: their lengths, their order, and words that people can be shown."""

import pytest

from tests.needs import need_data
from vitcam_training.data.published.imagenet_classes import class_list, ids_of_names, is_person, words
from vitcam_training.data.published.things import read_things


@pytest.mark.parametrize("outputs", [1000, 11_221, 11_821, 21_841, 21_842, 21_843])
def test_a_head_tells_its_list_by_its_outputs(outputs: int) -> None:
    found = class_list(outputs)

    assert found
    assert len(set(found.ids)) == outputs
    assert class_list(outputs + 10) is None


def test_the_thousand_are_in_the_order_of_their_published_file() -> None:
    lines = (need_data("deit_tiny") / "synset_words.txt").read_text().splitlines()
    found = class_list(1000)

    assert found
    assert list(found.ids) == [line.split()[0] for line in lines]
    assert ids_of_names([line.split(" ", 1)[1] for line in lines]) == found.ids
    assert ids_of_names([line.split(" ", 1)[1] for line in reversed(lines)]) == ()


def test_the_large_lists_hold_the_thousand_but_for_what_their_release_lacked() -> None:
    thousand, autumn, google, microsoft = (class_list(each) for each in (1000, 21_841, 21_843, 21_842))
    assert thousand
    assert autumn
    assert google
    assert microsoft

    assert set(thousand.ids) - set(autumn.ids) == {"n04399382"}
    assert len(set(google.ids) - set(autumn.ids)) == 2
    assert microsoft.ids[:1000] == thousand.ids
    assert list(google.ids) == sorted(google.ids)


def test_every_class_has_a_word_of_its_own_but_people_share_theirs() -> None:
    found = class_list(21_843)
    assert found
    named = words(found.ids, {})
    others = [word for id_, word in named.items() if not is_person(id_)]

    assert len(set(others)) == len(others)
    assert all(word.isprintable() and word.strip() == word for word in others)
    assert {word for id_, word in named.items() if is_person(id_)} == {"person"}
    assert named["n00007846"] == "person"
    assert not is_person("n01440764")


def test_a_word_that_is_taken_is_given_to_no_other_class() -> None:
    named = words(["n01440764", "n02012849"], {"n02012849": "Tench"})

    assert named == {"n01440764": "tench (n01440764)", "n02012849": "Tench"}


def test_every_class_of_the_thousand_is_a_thing() -> None:
    found = class_list(1000)
    assert found

    assert set(found.ids) <= set(read_things().synsets)
