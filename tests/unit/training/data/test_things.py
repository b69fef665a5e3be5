"""The table of things: one label for every photo's folder and WordNet id, and the groups that hold it."""

import pytest

from vitcam_training.data.published.things import Things, read_things


@pytest.fixture(scope="module")
def things() -> Things:
    return read_things()


def test_every_label_and_every_wordnet_id_means_one_thing(things: Things) -> None:
    synsets = [synset for thing in things.rows for synset in thing.synsets]

    assert len(set(things.labels)) == len(things.labels)
    assert len(set(synsets)) == len(synsets)


def test_a_thing_belongs_to_its_groups_from_the_smallest_on(things: Things) -> None:
    collie = next(thing for thing in things.rows if thing.label == "collie")
    sizes = [len(things.groups[group]) for group in collie.groups]

    assert collie.groups[0] == "dog"
    assert collie.groups[-1] == "animal"
    assert sizes == sorted(sizes)
    assert all(members for members in things.groups.values())


@pytest.mark.parametrize(
    ("folder", "label"),
    [("crocodile_head", "crocodile"), ("Faces_easy", "face"), ("water_lilly", "water lily"), ("roses", "rose")],
)
def test_a_publishers_folder_finds_its_label(things: Things, folder: str, label: str) -> None:
    found = things.label_of_folder(folder)

    assert found is not None
    assert things.labels[found] == label
    assert things.label_of_folder("submarine sandwich") is None


def test_a_kind_of_the_thing_is_right_and_the_reverse_is_not(things: Things) -> None:
    butterfly, monarch = things.labels.index("butterfly"), things.labels.index("monarch butterfly")

    assert monarch in things.right_for_label(butterfly)
    assert butterfly not in things.right_for_label(monarch)


def test_a_word_above_the_labels_accepts_all_of_its_group(things: Things) -> None:
    dogs = things.right_for_synset("n02084071")

    assert {"collie", "pug"} <= {things.labels[i] for i in dogs}
    assert things.labels.index("tabby cat") not in dogs
    assert things.right_for_synset("n02691156") == {things.labels.index("airplane")}
    assert things.right_for_synset("n00000000") == frozenset()


def test_twins_among_imagenets_classes_share_a_label(things: Things) -> None:
    assert things.label_of_synset("n02690373") == things.label_of_synset("n02691156")  # airliner, airplane
    assert things.label_of_synset("n04355933") == things.label_of_synset("n04356056")  # sunglass, sunglasses
