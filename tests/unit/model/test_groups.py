"""Groups of labels: which one stands for an unsure guess, and what a model file may carry of them."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.frames import prediction
from tests.grouped import GROUPS, grouped_model, unsure_picture
from tests.unit.model.test_bundle import CARD, FLATBUFFER
from vitcam.errors import ModelError
from vitcam.frames import Group, Guess, Shown
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.groups import Groups

LABELS = ["collie", "pug", "tabby", "cup"]
ANIMALS = Groups({"cat": (2,), "dog": (0, 1), "animal": (0, 1, 2)}, len(LABELS))


def found(*probabilities: float, groups: Groups = ANIMALS) -> list[Group]:
    given = np.array(probabilities, np.float32)
    return [*groups.likely(int(given.argmax()), given, LABELS)]


def test_a_label_that_is_called_as_a_group_joins_it_and_all_that_hold_it() -> None:
    joined = ANIMALS.joined_by(["Dog", "my cup"], len(LABELS))

    assert joined.members == {"cat": (2,), "dog": (0, 1, 4), "animal": (0, 1, 2, 4)}
    assert ANIMALS.members["dog"] == (0, 1)


def written(path: Path, groups: object) -> Path:
    """A model file with any content as its groups."""
    bundle.write(path, FLATBUFFER, CARD, LABELS, [])
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("groups.json", groups if isinstance(groups, str) else json.dumps(groups))
    return path


def test_groups_above_the_noise_are_found_the_smallest_first_where_no_label_is_likely() -> None:
    assert found(0.375, 0.25, 0.125, 0.25) == [Group("cat", 0.125, "tabby"), Group("dog", 0.625), Group("animal", 0.75)]
    assert found(0.375, 0.0625, 0.03125, 0.375) == [Group("dog", 0.4375), Group("animal", 0.46875)]
    assert found(0.25, 0.125, 0.1875, 0.4375)[2] == Group("animal", 0.5625, "collie")
    assert found(0.25, 0.25, 0.25, 0.25, groups=Groups({}, 4)) == []


def test_only_the_groups_of_a_likely_label_are_found() -> None:
    assert found(0.75, 0.0, 0.125, 0.125) == [Group("dog", 0.75), Group("animal", 0.875)]
    assert found(0.1, 0.1, 0.2, 0.6) == []


def test_an_unsure_guess_is_read_as_the_smallest_group_and_a_likely_one_stands_by_itself() -> None:
    unsure = replace(prediction("collie", 0.4), groups=(Group("dog", 0.6), Group("animal", 0.9)))

    assert unsure.group == Group("dog", 0.6)
    assert replace(unsure, top=(Guess("collie", 0.5),)).group is None
    assert replace(unsure, groups=()).group is None


def shown(*probabilities: float) -> Shown:
    """What is displayed of a picture with these probabilities of `LABELS`."""
    ranked = sorted(zip(LABELS, probabilities, strict=True), key=lambda pair: -pair[1])
    top = tuple(Guess(label, p) for label, p in ranked)
    return replace(prediction(), top=top, groups=tuple(found(*probabilities))).shown


def test_the_finest_name_from_a_half_on_is_displayed() -> None:
    assert shown(0.5, 0.25, 0.125, 0.125) == Shown("collie", 0.5, "label")
    assert shown(0.375, 0.125, 0.0, 0.5) == Shown("cup", 0.5, "label")
    assert shown(0.375, 0.125, 0.25, 0.25) == Shown("dog", 0.5, "group")
    assert shown(0.375, 0.0625, 0.25, 0.3125) == Shown("animal", 0.6875, "group")


def test_a_likely_group_without_the_best_label_is_displayed() -> None:
    assert shown(0.25, 0.25, 0.0625, 0.4375) == Shown("dog", 0.5, "group")
    assert shown(0.25, 0.125, 0.1875, 0.4375) == Shown("animal", 0.5625, "group")


def test_no_name_is_displayed_where_none_is_likely_or_the_picture_not_known() -> None:
    assert shown(0.25, 0.125, 0.0625, 0.4375) == Shown(None, 0.4375, "none")
    assert replace(prediction("cup", 0.9), known=False).shown == Shown(None, 0.9, "none")


def test_the_sum_of_all_labels_is_never_above_one() -> None:
    many, names = Groups({"thing": tuple(range(1000))}, 1000), [str(label) for label in range(1000)]
    even = np.full(1000, 0.0010001, np.float32)
    likely = np.full(1000, 0.0005006, np.float32)
    likely[0] = 0.5

    assert many.likely(0, even, names) == (Group("thing", 1.0),)
    assert many.likely(0, likely, names) == (Group("thing", 1.0),)


def test_what_a_file_carries_of_groups_is_read_back(tmp_path: Path) -> None:
    for name in ("a", "b"):
        bundle.write(tmp_path / f"{name}.tflite", FLATBUFFER, CARD, LABELS, [], grouped=ANIMALS)
    carried = bundle.read(tmp_path / "a.tflite")

    assert carried is not None
    assert carried.groups is not None
    assert list(carried.groups.members.items()) == list(ANIMALS.members.items())
    assert (tmp_path / "a.tflite").read_bytes() == (tmp_path / "b.tflite").read_bytes()
    raw = json.loads(zipfile.ZipFile(tmp_path / "a.tflite").read("groups.json"))
    assert raw[1] == {"name": "dog", "labels": [0, 1]}


def test_a_change_of_the_card_keeps_the_groups(tmp_path: Path) -> None:
    path = tmp_path / "a.tflite"
    bundle.write(path, FLATBUFFER, CARD, LABELS, [], grouped=ANIMALS)
    bundle.amend(path, licence="CC0")
    carried = bundle.read(path)

    assert carried is not None
    assert carried.groups is not None
    assert carried.groups.members == ANIMALS.members


def test_a_file_without_groups_has_none(tmp_path: Path) -> None:
    path = tmp_path / "a.tflite"
    bundle.write(path, FLATBUFFER, CARD, LABELS, [])
    carried = bundle.read(path)

    assert carried is not None
    assert carried.groups is None


def test_a_prediction_carries_the_group(tmp_path: Path) -> None:
    classifier = Classifier(grouped_model(tmp_path), threads=1, top_k=10)
    found = classifier.classify_image(unsure_picture())
    group, p = found.group, {guess.label: guess.p for guess in found.top}

    assert group is not None
    assert group.name == "even digit"
    assert group.p == pytest.approx(sum(p[label] for label in "02468"), abs=1e-5)
    assert classifier.with_top_k(1).classify_image(unsure_picture()).group == group


def test_a_list_of_own_labels_keeps_the_groups(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("\n".join(f"Ziffer {i}" for i in range(10)))
    classifier = Classifier(grouped_model(tmp_path), threads=1, labels=own)

    assert classifier.groups is not None
    assert classifier.groups.members == GROUPS


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ("[{", "cannot be read"),
        ("{}}", "cannot be read"),
        ({"dog": [0, 1]}, "cannot be read"),
        ([{"name": "dog"}], "cannot be read"),
        ([["dog", [0]]], "cannot be read"),
        (7, "cannot be read"),
        ([{"name": "dog", "labels": 3}], "cannot be read"),
        ([{"name": ["dog"], "labels": [0]}], "cannot be read"),
        ([{"name": "dog", "labels": []}], "lists no labels for dog"),
        ([{"name": "dog", "labels": [1, 1]}], "or one of them twice"),
        ([{"name": "dog", "labels": [0, 4]}], "none of the 4 labels"),
        ([{"name": "dog", "labels": [-1]}], "none of the 4 labels"),
        ([{"name": "dog", "labels": [True]}], "none of the 4 labels"),
        ([{"name": "dog", "labels": "01"}], "none of the 4 labels"),
        ([{"name": "dog", "labels": [0.0]}], "none of the 4 labels"),
        ([{"name": "", "labels": [0]}], "cannot be printed"),
        ([{"name": 5, "labels": [0]}], "cannot be printed"),
        ([{"name": "do\x1b[31mg", "labels": [0]}], "cannot be printed"),
        ([{"name": "\ud800", "labels": [0]}], "cannot be printed"),
        ([{"name": "dog", "labels": [0]}, {"name": "dog", "labels": [1]}], "names a group twice"),
        ([{"name": "animal", "labels": [0, 1]}, {"name": "dog", "labels": [0]}], "the smallest group first"),
    ],
)
def test_damaged_groups_are_refused_in_one_sentence(tmp_path: Path, groups: Any, words: str) -> None:
    path = written(tmp_path / "a.tflite", groups)

    with pytest.raises(ModelError, match=words) as refused:
        bundle.read(path)
    message = str(refused.value)
    assert message.startswith(f"{path} carries a description that cannot be read (")
    assert message.endswith("; export the model again")
    assert message.isprintable()


def test_groups_that_are_not_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tflite"
    bundle.write(path, FLATBUFFER, CARD, LABELS, [])
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("groups.json", b"\xff\xfe\xff")

    with pytest.raises(ModelError, match="cannot be read"):
        bundle.read(path)
