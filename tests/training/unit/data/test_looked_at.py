"""What was seen by eye in photos and clips."""

from pathlib import Path

from tests.needs import need_data
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.published.looked_at import clips, person_in
from vitcam_training.data.published.things import read_things


def test_every_listed_photo_of_a_person_exists_and_is_listed_once() -> None:
    root = need_data("ordinary").parent
    need_data("imagenet_samples")
    lines = Path("training/data/published/people.csv").read_text().splitlines()[1:]
    paths = [line.split(",")[0] for line in lines]

    assert len(set(paths)) == len(paths)
    assert all((root / path).is_file() for path in paths)
    assert len({Path(path).name for path in paths}) == len(paths)


def test_the_player_of_a_cello_is_right_beside_the_cello() -> None:
    need_data("ordinary")
    found = open_dataset("ordinary")
    person = found.labels.index("person")
    by_word = {sample.path.parent.name: sample for sample in found.parts["heldout"]}

    assert found.labels[by_word["cello"].label] == "cello"
    assert by_word["cello"].right == {by_word["cello"].label, person}
    assert person not in by_word["dog"].right
    assert by_word["person"].also == frozenset()


def test_people_are_named_first_and_the_photos_own_word_is_right_too() -> None:
    need_data("ordinary")
    need_data("imagenet_samples")
    found = open_dataset("people")
    person = found.labels.index("person")
    paths = {part: {sample.path for sample in samples} for part, samples in found.parts.items()}

    assert {sample.label for samples in found.parts.values() for sample in samples} == {person}
    assert len(found.parts["heldout"]) > 80
    assert paths["choose"] <= {sample.path for sample in open_dataset("ordinary").parts["choose"]}
    assert not (paths["train"] | paths["choose"]) & paths["heldout"]
    assert any(found.labels.index("academic gown") in sample.also for sample in found.parts["heldout"])


def test_a_photo_elsewhere_shows_no_listed_person() -> None:
    assert person_in(Path("my/cello.jpg"), read_things()) == frozenset()


def test_each_second_of_a_clip_says_what_may_be_named() -> None:
    things = read_things()
    names = {*things.labels, *things.groups, "nothing"}
    found = clips()

    assert {name: len(seconds) for name, seconds in found.items()} == {
        "bottle-detection.mp4": 40, "one-by-one-person-detection.mp4": 139,
    }  # fmt: skip
    assert all(may <= names for seconds in found.values() for may in seconds)
    assert found["one-by-one-person-detection.mp4"][10] == {"person"}
