"""What rows are fitted to: what is right for photos of each part, and how much they count."""

from pathlib import Path

import numpy as np

from vitcam_training.data.dataset import ABSENT, ALTERED, BASE, DEPICTED, SHOWN, UNLABELLED, Sample
from vitcam_training.recipes.recipe import OneLabelRecipe, RowsRecipe
from vitcam_training.rows.choose import Head
from vitcam_training.rows.features import Features
from vitcam_training.rows.lesson import TRAIN, Photos, lesson_of, same_photo
from vitcam_training.rows.logistic import fit_rows

HEAD = Head(stays=(0, 1), added=(2, 3))
SETTINGS = RowsRecipe(base_weight=5, per_label=2, one=OneLabelRecipe(shown=8, absent=6, depicted=3, altered=1))


def photos(*names: str, label: int, at: float) -> Photos:
    samples = [Sample(Path("photos") / name, label) for name in names]
    embedding = np.full((len(names), 3), at, np.float32)
    return Photos(samples, Features(embedding, embedding, np.zeros((len(names), 2), np.float32)))


GIVEN = {
    TRAIN: photos("a", "b", "c", "d", label=3, at=1.0),
    BASE: photos("e", label=0, at=0.0),
    SHOWN: photos("f", "f#dark", label=2, at=-2.0),
    ABSENT: photos("g", "g#dark", "h", label=UNLABELLED, at=2.0),
    DEPICTED: photos("i", label=UNLABELLED, at=-1.0),
    ALTERED: photos("e#square", label=UNLABELLED, at=0.0),
}


def test_a_photo_that_says_what_it_does_not_show_leaves_every_other_answer_right() -> None:
    right = lesson_of(HEAD, GIVEN, SETTINGS).right

    assert right[:4].tolist() == [[False, False, True]] * 4
    assert right[4].tolist() == [True, False, False]
    assert right[5:7].tolist() == [[False, True, False]] * 2
    assert right[7:].tolist() == [[True, False, True]] * 5


def test_all_photos_of_a_part_count_as_the_recipe_says_however_many_they_are() -> None:
    weights = lesson_of(HEAD, GIVEN, SETTINGS).weights

    assert weights.tolist() == [0.5] * 4 + [5.0] + [4.0] * 2 + [2.0] * 3 + [3.0] + [1.0]


def test_without_such_a_label_only_photos_of_train_and_base_count() -> None:
    assert len(lesson_of(HEAD, GIVEN, RowsRecipe()).base) == 5


def test_a_photo_and_its_altered_ones_are_the_same_also_in_two_parts() -> None:
    same = same_photo(GIVEN, SETTINGS)

    assert same[4] == same[-1]
    assert same[5] == same[6]
    assert len(set(same.tolist())) == 9


def test_the_label_is_named_where_it_is_and_not_where_it_is_absent() -> None:
    lesson = lesson_of(HEAD, GIVEN, SETTINGS)
    logits = fit_rows(lesson, 0.01).logits(lesson.features)

    assert logits[5, 0] > lesson.base[5]
    assert logits[7, 0] < lesson.base[7]
