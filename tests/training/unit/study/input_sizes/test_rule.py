"""A quick look, and the full one where it is not sure, on answers whose truth is known."""

import numpy as np
import pytest

from tests.frames import prediction
from vitcam_training.evaluation.intervals import Interval
from vitcam_training.study.input_sizes.rule import NEVER, P, Pairs, QuickRule, best_rule, fit, oracle, outcome, pairs

SURE = np.array([0.9, 0.8, 0.7, 0.6, -np.inf])


def found(sure: np.ndarray = SURE) -> Pairs:
    """Five pictures: the second and the fourth quick look say something else, the last one nothing."""
    return Pairs(("cup", "cat", "dog", "fox", None), ("cup", "hat", "dog", None, None), {P: sure})


def test_a_quick_look_that_is_not_sure_is_followed_by_a_full_one() -> None:
    told = outcome(found(), QuickRule(P, 0.7))

    assert (told.n, told.looked_full) == (5, 2)
    assert (told.displayed, told.same) == (3, 2)  # cup, cat in place of hat, dog; the other two display nothing
    assert told.time(Interval(0.4, 0.3, 0.5)).value == pytest.approx(0.4 + 2 / 5)
    assert told.time(Interval(0.4, 0.3, 0.5)).low == pytest.approx(0.3 + told.full_share.low)
    assert told.full_share.low < 2 / 5 < told.full_share.high


def test_a_name_where_the_full_look_has_none_is_another_answer() -> None:
    told = outcome(found(), QuickRule(P, 0.6))

    assert (told.displayed, told.same) == (4, 2)


def test_the_rule_that_is_fitted_has_the_fewest_full_looks_with_so_many_same_answers() -> None:
    assert fit(found(), P, 0.99) == QuickRule(P, 0.9)
    assert fit(found(), P, 0.6) == QuickRule(P, 0.7)
    assert fit(found(), P, 0.5) == QuickRule(P, 0.6)


def test_where_no_quick_look_can_be_trusted_every_picture_gets_the_full_one() -> None:
    never = fit(found(np.array([0.1, 0.9, 0.1, 0.1, -np.inf])), P, 1.0)
    told = outcome(found(), never)

    assert never.least == NEVER
    assert (told.looked_full, told.same) == (5, told.displayed)


def test_of_several_scores_that_with_the_fewest_full_looks_is_taken() -> None:
    rows = np.array([[0.60, 0.39, 0.01], [0.55, 0.25, 0.20], [0.52, 0.24, 0.24]])
    quick = [prediction("ant", 0.60), prediction("ant", 0.55), prediction("ant", 0.52)]
    full = [prediction("bee", 0.9), prediction("ant", 0.9), prediction("ant", 0.9)]

    looked = outcome(pairs(quick, rows, full), best_rule(pairs(quick, rows, full), 1.0))

    # by probability the wrong one is the surest; by the margin it is the least sure, so only it gets a full look
    assert (looked.looked_full, looked.same) == (1, 3)


def test_a_quick_look_without_a_name_is_never_sure() -> None:
    both = pairs([prediction("ant", 0.4)], np.array([[0.4, 0.1, 0.5]]), [prediction("ant", 0.9)])

    assert all(values[0] == -np.inf for values in both.sure.values())


def test_whoever_is_told_which_quick_looks_are_the_same_looks_again_at_the_others_only() -> None:
    told = oracle(found())

    assert told.looked_full == 2
    assert told.same == told.displayed == 3
