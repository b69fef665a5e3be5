import numpy as np
import pytest
from numpy.typing import NDArray

from vitcam.model.groups import Groups
from vitcam_training.evaluation.displayed import (
    Named,
    at_threshold,
    collected,
    name_is_right,
    names,
    risk_and_coverage,
    sure_from,
)

GROUPS = Groups({"dog": (1, 2), "animal": (0, 1, 2)}, 4)
DOG, PUG, CAT, CUP = frozenset({1, 2}), frozenset({1}), frozenset({0}), frozenset({3})


def test_the_finest_likely_name_is_displayed() -> None:
    found = names(
        np.array(
            [[0.1, 0.6, 0.1, 0.2], [0.1, 0.4, 0.3, 0.2], [0.3, 0.2, 0.1, 0.4], [0.2, 0.2, 0.05, 0.55]], np.float32
        ),
        GROUPS,
    )

    assert found.labels == (PUG, DOG, frozenset({0, 1, 2}), CUP)
    assert found.p == pytest.approx([0.6, 0.7, 0.6, 0.55])
    assert found.displayed.tolist() == [True] * 4


def test_without_a_likely_name_the_best_guess_is_not_displayed() -> None:
    row = np.array([[0.2, 0.15, 0.1, 0.45]], np.float32)

    assert names(row, GROUPS).labels == (CUP,)
    assert names(row, GROUPS).displayed.tolist() == [False]
    assert names(row, None).p == pytest.approx([0.45])


@pytest.mark.parametrize(
    ("named", "right", "also", "expected"),
    [
        (PUG, PUG, frozenset(), True),
        (DOG, PUG, frozenset(), True),  # a dog, of a pug
        (PUG, DOG, frozenset(), True),  # any breed, of what the publisher only calls a dog
        (CAT, DOG, frozenset(), False),
        (DOG, CUP, frozenset(), False),
        (DOG, CUP, PUG, True),  # a pug beside a cup
        (DOG, frozenset({0, 1}), frozenset(), False),  # it may be the cat
    ],
)
def test_a_name_is_right_if_it_holds_what_is_right_or_nothing_else(
    named: frozenset[int], right: frozenset[int], also: frozenset[int], expected: bool
) -> None:
    assert name_is_right(named, right, also) is expected


P = (0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.4, 0.3)
RIGHT = np.array([1, 1, 1, 1, 0, 1, 1, 0, 1, 0], bool)
ANSWERS = collected([(((PUG, p),), True) for p in P])


def judge(named: Named) -> NDArray[np.bool_]:
    return RIGHT[: len(named.labels)]


def test_risk_and_coverage_are_shares_of_what_is_displayed() -> None:
    found = risk_and_coverage(ANSWERS, judge)

    assert found["displayed"] == 0.8
    assert found["displayed_right"] == 6 / 8
    assert found["wrong_displayed"] == 2 / 3
    assert found["displayed_right_low"] < 6 / 8 < found["displayed_right_high"]
    at_80 = next(each for each in found["risk_coverage"] if each["threshold"] == 0.8)
    assert (at_80["n"], at_80["coverage"], at_80["right"]) == (4, 0.4, 1.0)


def test_the_threshold_of_others_is_used_as_it_is() -> None:
    found = at_threshold(ANSWERS, judge, 0.7)

    assert (found["sure_from"], found["sure"], found["sure_right"]) == (0.7, 0.6, 5 / 6)


@pytest.mark.parametrize(("wanted", "expected"), [(0.95, 0.76), (0.85, 0.61), (0.5, 0.5)])
def test_the_lowest_probability_is_found_from_which_on_enough_is_right(wanted: float, expected: float) -> None:
    assert sure_from(ANSWERS, judge, wanted) == expected


def test_where_nothing_is_right_no_probability_is_enough() -> None:
    assert sure_from(ANSWERS, lambda named: np.zeros(len(named.labels), bool)) == 1.0
    assert risk_and_coverage(Named(), judge)["displayed"] is None


def test_where_more_certainty_is_asked_for_a_group_takes_the_place_of_a_label() -> None:
    found = collected([(((PUG, 0.6), (DOG, 0.8)), True), (((CAT, 0.55),), True), (((CUP, 0.9), (DOG, 0.9)), False)])
    surer = found.at(0.7)

    assert (found.labels, found.displayed.tolist()) == ((PUG, CAT, CUP), [True, True, False])
    assert (surer.labels, surer.displayed.tolist()) == ((DOG, CAT, CUP), [True, False, False])
    assert surer.p == pytest.approx([0.8, 0.55, 0.9])
    assert risk_and_coverage(found, judge)["risk_coverage"][2] == {
        "threshold": 0.7, "n": 1, "coverage": 1 / 3, "right": 1.0, "right_low": pytest.approx(0.2065, abs=1e-3),
        "right_high": 1.0,
    }  # fmt: skip
