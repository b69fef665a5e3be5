"""A split in which no scene is on both sides."""

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.needs import need_data
from vitcam_training.data.dataset import read_photo
from vitcam_training.data.published.everyday_photos import held_out_before, label_of, listed_parts, photos
from vitcam_training.study.everyday_split.__main__ import CHOOSE, TRAIN, app, listed_pairs, scenes, split
from vitcam_training.study.everyday_split.scene_pairs import local_features, match_scenes, neighbours

ANTS = [f"caltech101/ant/{i:02}.jpg" for i in range(30)]
CUP = "caltech101/cup/00.jpg"


def test_photos_of_a_scene_are_on_one_side_whatever_their_label() -> None:
    pairs = [(ANTS[0], ANTS[1]), (ANTS[1], ANTS[2]), (ANTS[3], CUP), (ANTS[4], "ordinary/ant/1.jpg")]
    parts = split([*ANTS, CUP], pairs, held_out=[ANTS[1]])

    assert parts["heldout"] == [ANTS[1]]
    assert {ANTS[0], ANTS[2], ANTS[3], ANTS[4], CUP} <= set(parts["duplicates"])
    assert len(parts["choose"]) == len(parts["calibration"]) == min(CHOOSE, (25 - TRAIN) // 2)


def test_a_label_of_few_photos_keeps_enough_to_train_on() -> None:
    few = ANTS[: TRAIN + 3]
    parts = split(few, [], held_out=[])

    assert [len(parts[part]) for part in ("choose", "calibration", "heldout")] == [1, 1, 0]


def test_a_new_photo_moves_no_other_into_training_or_out_of_it_but_by_its_place() -> None:
    before, after = split(ANTS[:-1], [], []), split(ANTS, [], [])

    assert len(set(before["choose"]) - set(after["choose"])) <= 1


def test_scenes_go_through_others() -> None:
    groups = scenes(["a", "b", "c", "d"], [("a", "b"), ("c", "b"), ("d", "x")])

    assert sorted(groups) == [["a", "b", "c"], ["d", "x"]]


def test_neighbours_are_compared_once_and_only_with_photos_of_the_collection() -> None:
    rng = np.random.default_rng(0)
    places = rng.normal(size=(20, 16)).astype(np.float32)
    rows = np.concatenate([places, places + 0.01, places - 0.01])
    found = neighbours(rows, 40)

    assert {(i, i + 20) for i in range(20)} <= set(found)
    assert {(i, i + 40) for i in range(40)} & set(found)
    assert all(i < j and i < 40 for i, j in found)


def test_the_committed_split_follows_from_the_committed_pairs() -> None:
    own = photos(need_data("caltech101").parent)

    assert split(own, listed_pairs(), held_out_before()) == listed_parts()


def test_no_scene_of_the_committed_split_is_trained_on_and_measured() -> None:
    parts = listed_parts()
    apart = {path: part for part, paths in parts.items() for path in paths}
    sides = [{apart.get(path, "train") for path in pair} - {"duplicates"} for pair in listed_pairs()]

    assert max(map(len, sides)) <= 1
    assert len(parts["heldout"]) > 900
    assert len(parts["calibration"]) > 4 * len({label_of(path) for path in parts["heldout"]})


@pytest.mark.parametrize("place", range(0, 300, 30))
def test_a_committed_pair_shows_the_same_scene(place: int) -> None:
    root, (one, other) = need_data("caltech101").parent, listed_pairs()[place]
    photo, again = read_photo(root / one), read_photo(root / other)
    features = local_features(photo)
    mirror = np.ascontiguousarray(again[:, ::-1])

    assert any(match_scenes(features, local_features(each)).same for each in (again, mirror))


def test_help_says_what_is_written_and_writes_nothing() -> None:
    answer = CliRunner().invoke(app, ["--help"])

    assert answer.exit_code == 0
    assert "write both lists" in " ".join(answer.output.split())
