"""The table of things: one label for every photo's folder and WordNet id, and the groups that hold it."""

import numpy as np
import pytest

from tests.needs import need_data
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import ABSENT, ALTERED, BASE, BLANK, DARK, DEPICTED, REPLAY, SHOWN, UNLABELLED, USUAL
from vitcam_training.data.published.things import Things, read_things
from vitcam_training.evaluation.answers import Answers, figures, grouped


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


def test_every_label_has_a_group_and_groups_come_by_their_size(things: Things) -> None:
    sizes = [len(members) for members in things.groups.values()]

    assert [thing.label for thing in things.rows if not thing.groups] == []
    assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("folder", "label"),
    [
        ("crocodile_head", "crocodile"), ("Faces_easy", "person"), ("water_lilly", "water lily"), ("roses", "rose"),
        ("longsleeve", "sweater"), ("milk carton", "drink carton"), ("windsor_chair", "chair"),
    ],
)  # fmt: skip
def test_a_publishers_folder_finds_its_label(things: Things, folder: str, label: str) -> None:
    found = things.label_of_folder(folder)

    assert found is not None
    assert things.labels[found] == label
    assert things.label_of_folder("submarine sandwich") is None


def test_a_kind_of_the_thing_is_right_and_so_is_the_name_of_its_group(things: Things) -> None:
    chair, throne, barber_chair = (things.labels.index(label) for label in ("chair", "throne", "barber chair"))

    assert throne in things.right_for_label(chair)
    assert chair in things.right_for_label(throne)
    assert barber_chair not in things.right_for_label(throne)


def test_a_word_above_the_labels_accepts_all_of_its_group(things: Things) -> None:
    dogs = things.right_for_synset("n02084071")

    assert {"collie", "pug"} <= {things.labels[i] for i in dogs}
    assert things.labels.index("tabby cat") not in dogs
    assert things.right_for_synset("n02691156") == {things.labels.index("airplane")}
    assert things.right_for_synset("n00000000") == frozenset()


@pytest.mark.parametrize(
    ("word", "members"),
    [
        ("n00007846", "person, bridegroom, scuba diver, baseball player"),
        ("n02121808", "tabby cat, tiger cat, Persian cat, Siamese cat, Egyptian cat"),
        ("n02419796", "hartebeest, impala, gazelle"),
        ("n02766320", "bassinet, cradle, crib"),
        ("n02876657", "beer bottle, pill bottle, soft-drink bottle, water bottle, water jug, whisky jug, wine bottle"),
        ("n03001627", "chair, barber chair, folding chair, rocking chair, throne, wheelchair"),
        ("n03211117", "monitor, television"),
        ("n03513137", "crash helmet, football helmet, spiked helmet"),
        ("n03636649", "lamp, table lamp, lampshade, chandelier"),
        ("n03797390", "mug, cup"),
        ("n03928116", "grand piano, upright piano"),
        ("n04379243", "desk, dining table, pool table"),
        ("n07739125", "apple"),
    ],
)
def test_a_word_of_the_ordinary_photos_accepts_these_labels_and_no_other(
    things: Things, word: str, members: str
) -> None:
    assert {things.labels[label] for label in things.right_for_synset(word)} == set(members.split(", "))


def test_twins_among_imagenets_classes_share_a_label(things: Things) -> None:
    assert things.synsets["n02690373"] == things.synsets["n02691156"]  # airliner, airplane
    assert things.synsets["n04355933"] == things.synsets["n04356056"]  # sunglass, sunglasses


def test_the_photos_of_everyday_come_in_their_parts_with_all_labels_that_are_right() -> None:
    need_data("caltech101")
    found = open_dataset("everyday")
    crabs = [sample for sample in found.parts["heldout"] if found.labels[sample.label] == "crab"]
    twice = ("calibration", BASE, USUAL)  # photos that other parts have, too
    paths = [sample.path for part, samples in found.parts.items() for sample in samples if part not in twice]

    assert found.labels == read_things().labels
    assert set(open_dataset("ordinary").parts["choose"]) <= set(found.parts["choose"]) & set(found.parts["calibration"])
    assert not set(open_dataset("ordinary").parts["heldout"]) & {each for part in found.parts.values() for each in part}
    usual = {"train", "choose", "calibration", "heldout", REPLAY, BASE, USUAL, BLANK}
    assert usual | {SHOWN, DARK, ABSENT, DEPICTED, ALTERED} == set(found.parts)
    assert {each.path for each in found.parts[BASE]} == {each.path for each in found.parts[REPLAY]}
    assert len(set(paths)) == len(paths)
    assert all(sample.label == UNLABELLED for sample in found.parts[REPLAY])
    assert found.labels.index("fiddler crab") in crabs[0].accepted


def test_a_half_of_imagenets_photos_is_trained_on_and_the_other_measured() -> None:
    need_data("imagenet_samples")
    trained = {sample.path for sample in open_dataset("everyday").parts[REPLAY]}
    measured = {sample.path for sample in open_dataset("imagenet-things").parts["heldout"]}

    assert len(trained) == len(measured) == 500
    assert not trained & measured


def test_of_each_ordinary_word_one_photo_chooses_and_one_measures() -> None:
    need_data("ordinary")
    parts = open_dataset("ordinary").parts
    words = {part: [sample.path.parent.name for sample in parts[part]] for part in ("choose", "heldout")}
    dogs = next(sample for sample in parts["heldout"] if sample.path.parent.name == "dog")

    assert words["choose"] == words["heldout"]
    assert len(words["choose"]) == 200
    assert len(dogs.accepted) > 100
    assert {"airplane", "cup_or_mug", "dog"} <= {sample.path.parent.name for sample in parts["heldout-trained"]}
    assert {"armadillo", "zebra"}.isdisjoint(sample.path.parent.name for sample in parts["heldout-trained"])
    assert set(parts["heldout-trained"]) < set(parts["heldout"])
    assert not parts["train"]


def test_an_answer_is_right_if_it_is_one_of_the_labels_that_are() -> None:
    probabilities = np.array([[0.1, 0.6, 0.2, 0.1], [0.1, 0.6, 0.2, 0.1], [0.7, 0.1, 0.1, 0.1]], np.float32)
    accepted: tuple[frozenset[int], ...] = (frozenset({1}), frozenset(), frozenset())
    answers = Answers(np.array([2, 2, 0]), probabilities, np.zeros((3, 1), np.float32), accepted=accepted)

    assert answers.right.tolist() == [True, False, True]
    assert answers.answered.tolist() == [2, 1, 0]
    assert figures(answers)["top5"] == 1.0


def test_a_group_that_holds_all_that_a_photo_may_show_is_right_where_the_label_is_not() -> None:
    probabilities = np.tile(np.array([0.1, 0.6, 0.2, 0.1], np.float32), (4, 1))
    accepted: tuple[frozenset[int], ...] = (frozenset(), frozenset(), frozenset({3}), frozenset({1}))
    named = frozenset({1, 2}), frozenset[int](), frozenset({1, 2}), frozenset[int]()
    answers = Answers(np.full(4, 2), probabilities, np.zeros((4, 1), np.float32), accepted=accepted, named=named)

    assert answers.right_or_group.tolist() == [True, False, False, True]
    assert grouped(answers) == {"top1_or_group": 0.5}
    assert grouped(Answers(np.full(4, 2), probabilities, np.zeros((4, 1), np.float32))) == {}


def test_of_a_photo_of_two_things_either_is_right_and_a_group_of_either() -> None:
    """Labels: violin, guitar, person, groom; groups: instruments and people."""
    probabilities = np.array([[0.1, 0.6, 0.2, 0.1], [0.1, 0.1, 0.6, 0.2], [0.1, 0.6, 0.2, 0.1]], np.float32)
    also = (frozenset({2}),) * 3
    named = frozenset({0, 1}), frozenset[int](), frozenset({2, 3})
    answers = Answers(np.zeros(3, int), probabilities, np.zeros((3, 1), np.float32), also=also, named=named)

    assert answers.right.tolist() == [False, True, False]
    assert answers.right_or_group.tolist() == [True, True, True]
