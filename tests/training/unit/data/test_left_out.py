"""Data sets without some labels, whose photos are then unknown."""

from pathlib import Path

import pytest

from tests.needs import need_data
from vitcam_training.data.dataset import REPLAY, UNLABELLED, Dataset, Sample
from vitcam_training.data.published.imagenet import imagenet_things
from vitcam_training.data.published.left_out import COUNT, DRAWS, everyday_left_out, left_out, unknown_things, without
from vitcam_training.data.published.things import read_things


def test_labels_leave_table_photos_and_groups_and_the_others_move_up() -> None:
    photos = tuple(Sample(Path(f"{label}.jpg"), label) for label in (0, 1, 2, UNLABELLED))
    both = Sample(Path("both.jpg"), 2, accepted=frozenset({1}))
    groups = {"low": (0, 1), "middle": (1,)}
    dataset = Dataset("some", ("a", "b", "c"), {"train": (*photos, both)}, {"n0": 0, "n1": 1, "n2": 2}, groups)
    found = without(dataset, frozenset({1}))

    assert found.labels == ("a", "c")
    assert [(sample.path.stem, sample.label, set(sample.accepted)) for sample in found.parts["train"]] == [
        ("0", 0, set()), ("2", 1, set()), ("-1", UNLABELLED, set()), ("both", 1, set()),
    ]  # fmt: skip
    assert found.synsets == {"n0": 0, "n2": 1}
    assert found.groups == {"low": (0,)}


def test_each_draw_leaves_out_a_hundred_labels_and_always_the_same() -> None:
    found = [left_out(draw, 1039) for draw in DRAWS]

    assert [len(each) for each in found] == [COUNT] * 3
    assert len(set(found)) == 3
    assert left_out(DRAWS[0], 1039) == found[0]


@pytest.mark.parametrize("draw", DRAWS)
def test_no_photo_of_a_label_that_is_left_out_is_trained_on_and_none_of_another_is_unknown(draw: int) -> None:
    need_data("caltech101")
    things, kept, unknown = read_things(), everyday_left_out(draw), unknown_things(draw)
    dropped = {things.labels[label] for label in left_out(draw, len(things.labels))}
    shown = {kept.labels[sample.label] for sample in kept.parts["train"]}
    replayed = {things.labels[things.synsets[sample.path.name.split("_")[0]]] for sample in kept.parts[REPLAY]}

    assert len(kept.labels) == len(things.labels) - COUNT
    assert dropped.isdisjoint(kept.labels)
    assert dropped.isdisjoint(shown | replayed)
    assert {things.labels[sample.label] for sample in unknown.parts["heldout"]} <= dropped
    assert {sample.path for sample in unknown.parts["heldout"]}.isdisjoint(
        sample.path for part in kept.parts.values() for sample in part
    )
    held_out = {sample.path for sample in imagenet_things().parts["heldout"]}
    assert {sample.path for sample in kept.parts["heldout"]} <= held_out
