"""What rows are fitted to: what is right for photos of each part, and how much they count."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vitcam_training.data.dataset import ABSENT, ALTERED, BASE, DARK, DEPICTED, SHOWN, UNLABELLED, Sample
from vitcam_training.recipes.recipe import OneLabelRecipe, RowsRecipe
from vitcam_training.rows.choose import Head
from vitcam_training.rows.features import Features
from vitcam_training.rows.lesson import TRAIN, Photos, lesson_of, lesson_of_one, same_photo
from vitcam_training.rows.logistic import Lesson, Rows, fit_rows

HEAD = Head(stays=(0, 1), added=(2, 3))
SETTINGS = RowsRecipe(base_weight=5, per_label=2, one=OneLabelRecipe(shown=8, dark=2, absent=6, depicted=3, altered=1))


def photos(*names: str, label: int, at: float) -> Photos:
    samples = [Sample(Path("photos") / name, label) for name in names]
    embedding = np.full((len(names), 3), at, np.float32)
    return Photos(samples, Features(embedding, embedding, np.zeros((len(names), 2), np.float32)))


GIVEN = {
    TRAIN: photos("a", "b", "c", "d", label=3, at=1.0),
    BASE: photos("e", label=0, at=0.0),
    SHOWN: photos("f", label=2, at=-2.0),
    DARK: photos("f#dark", label=2, at=-2.0),
    ABSENT: photos("g", "g#dark", "h", label=UNLABELLED, at=2.0),
    DEPICTED: photos("i", label=UNLABELLED, at=-1.0),
    ALTERED: photos("e#square", label=UNLABELLED, at=0.0),
}


ROWS = Rows(np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([9.0, 0]))


def one() -> Lesson:
    return lesson_of_one(HEAD, 2, GIVEN, ROWS, SETTINGS)


def test_photos_of_the_other_labels_are_fitted_as_if_there_were_no_such_label() -> None:
    lesson = lesson_of(HEAD, GIVEN, SETTINGS)

    assert lesson.right.tolist() == [[False, False, True]] * 4 + [[True, False, False]]
    assert lesson.weights.tolist() == [0.5] * 4 + [5.0]


def test_one_label_is_fitted_against_all_others_with_every_part_and_has_another_row_for_the_dark() -> None:
    assert one().right.argmax(1).tolist() == [0] * 5 + [1, 2] + [0] * 5
    assert one().in_turn
    assert one().base[0] == pytest.approx(np.log(1 + 1 + np.e))  # two rows that stay, and the other added one


def test_all_photos_of_a_part_count_as_the_recipe_says_however_many_they_are() -> None:
    assert one().weights.tolist() == [0.5] * 4 + [5.0] + [8.0, 2.0] + [2.0] * 3 + [3.0] + [1.0]


def test_a_photo_and_its_altered_ones_are_the_same_also_in_two_parts() -> None:
    same = same_photo(GIVEN, SETTINGS)

    assert same[4] == same[-1]
    assert same[5] == same[6]
    assert len(set(same.tolist())) == 9


def test_the_label_is_named_where_it_is_and_not_where_it_is_absent_and_no_other_row_moves() -> None:
    lesson = one()
    fitted = fit_rows(lesson, 0.01)
    logits = fitted.logits(lesson.features)
    rows = ROWS.and_then(fitted)

    assert logits[5, 0] > lesson.base[5]
    assert (logits[7] < lesson.base[7]).all()
    assert HEAD.with_further(2, 2).rows == (0, 1, 2, 3, 2, 2)
    assert rows.weight[:2].tolist() == ROWS.weight.tolist()
    assert rows.bias.tolist() == [*ROWS.bias, *fitted.bias]


def test_photos_in_the_dark_take_nothing_from_what_the_label_is_by_day() -> None:
    with_dark, dark = one(), 6
    features = with_dark.features.copy()
    features[dark] = [0, 3, 0]
    lesson = replace(with_dark, features=features)
    by_day = fit_rows(lesson.of(np.arange(len(features)) != dark), 0.01)
    fitted = fit_rows(lesson, 0.01)

    assert fitted.weight[0].tolist() == by_day.weight[0].tolist()
    assert fitted.logits(features)[dark, 0] < lesson.base[dark] < fitted.logits(features)[dark, 1]
