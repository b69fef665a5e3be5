"""Photos with and without people: what each part teaches, and how its photos are altered."""

from collections import Counter

import numpy as np

from tests.needs import need_data
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dark import by_a_lamp, with_little_light
from vitcam_training.data.dataset import ABSENT, ALTERED, DARK, DEPICTED, SHOWN, UNLABELLED, photo_of
from vitcam_training.data.published.persons import source_of

PLAIN = np.full((60, 80, 3), (200, 100, 50), np.uint8)


def test_no_photo_of_unknown_origin_teaches_and_none_for_research_teaches_person() -> None:
    need_data("people")
    parts = open_dataset("persons").parts
    sources = {part: Counter(source_of(sample.path.name) for sample in samples) for part, samples in parts.items()}

    assert set(sources[SHOWN]) == {"oi", "coco"}
    assert set(sources["heldout"]) == {"hd2", "coco"}
    assert set(sources[ABSENT]) == {"room", "coco", "vww"}
    assert set(sources[DEPICTED]) == {"oi"}
    taught = {sample.path.name.split("#")[0] for part in (SHOWN, ABSENT, DEPICTED) for sample in parts[part]}
    assert taught.isdisjoint(sample.path.name for sample in parts["heldout"])


def test_each_photo_is_there_in_two_shapes_and_two_kinds_of_darkness_whoever_it_shows() -> None:
    need_data("people")
    dataset = open_dataset("persons")
    for part, darker, label in (
        (SHOWN, DARK, dataset.labels.index("person")),
        (ABSENT, ABSENT, UNLABELLED),
        (DEPICTED, DEPICTED, UNLABELLED),
    ):
        plain, narrow = map(photo_of, dataset.parts[part][:2])
        dark, lamp = map(photo_of, dataset.parts[darker][:2] if darker == DARK else dataset.parts[part][2:4])

        assert {sample.label for sample in (*dataset.parts[part], *dataset.parts[darker])} == {label}
        assert narrow.shape[0] == round(plain.shape[0] * 4 / 3)
        assert narrow.shape[1] == plain.shape[1]
        assert dark.mean() < plain.mean()
        assert np.ptp(lamp.astype(int), axis=2).mean() < 2, "grey"


def test_photos_without_a_person_are_altered_as_those_of_persons_are() -> None:
    for name in ("caltech101", "flowers", "imagenet_samples", "ordinary", "people"):
        need_data(name)
    dataset = open_dataset("everyday")
    square = next(sample for sample in dataset.parts[ALTERED] if sample.path.name.endswith("#square"))
    photo = photo_of(square)

    assert photo.shape[0] == photo.shape[1] <= 184
    person = dataset.labels.index("person")
    assert all(person not in sample.right for sample in dataset.parts[ALTERED])


def test_little_light_and_a_lamp_change_a_photo_in_the_same_way_for_the_same_seed() -> None:
    for alter in (with_little_light, by_a_lamp):
        once = alter(PLAIN, 3)

        assert once.shape == PLAIN.shape
        assert once.dtype == np.uint8
        assert np.array_equal(once, alter(PLAIN, 3))
        assert not np.array_equal(once, alter(PLAIN, 4))
        assert once.std() > 2


def test_a_lamp_lights_the_middle_and_leaves_the_corners_dark() -> None:
    white = np.full((120, 160, 3), 200, np.uint8)
    seen = np.mean([by_a_lamp(white, seed) for seed in range(12)], axis=0)

    assert seen[50:70, 70:90].mean() > 1.3 * seen[:15, :15].mean()
