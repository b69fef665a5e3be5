from dataclasses import replace

import numpy as np

from tests.training.unit.rows.test_logistic import lesson
from vitcam_training.rows.choose import FIRST, OFFSETS, Head, Trial, Tried, best, out_of_fold, try_offsets
from vitcam_training.rows.logistic import fit_rows

HEAD = Head(stays=(0, 1, 1), added=(2,))
"""Two rows of the label 1, and one that is added."""


def test_rows_of_one_label_add_up() -> None:
    twins = np.log(np.array([[0.4, 0.3, 0.3]], np.float32))

    assert HEAD.before(twins).tolist() == [1]
    assert HEAD.answers(twins, np.array([[-0.6]], np.float32)).tolist() == [1]  # 0.55 is more than each twin's 0.3


def test_an_offset_makes_all_added_rows_less_likely() -> None:
    logits, added = np.zeros((1, 3), np.float32), np.ones((1, 1), np.float32)

    assert HEAD.answers(logits, added).tolist() == [2]
    assert HEAD.answers(logits, added, -2.0).tolist() == [1]


def test_further_rows_of_a_label_keep_their_bias_and_its_first_one_has_to_be_very_sure() -> None:
    head = Head(stays=(0, 1), added=(2, 3)).with_further(3, 1)
    logits, added = np.zeros((1, 2), np.float32), np.array([[1.0, 1.0, 1.5]], np.float32)

    assert head.offsets(-2.5).tolist() == [-2.5, FIRST, 0.0]
    assert head.answers(logits, added, -3.0).tolist() == [3]
    assert head.before(logits).tolist() == [0]


def test_each_offset_is_tried_on_both_kinds_of_photos() -> None:
    none = np.zeros((4, 3), np.float32)
    stays = Tried(none, np.full((4, 1), 1.8, np.float32), [frozenset({1})] * 4)
    added = Tried(none, np.full((4, 1), 1.2, np.float32), [frozenset({2})] * 4)
    trials = {trial.offset: trial for trial in try_offsets(HEAD, stays, added)}

    assert tuple(trials) == OFFSETS
    assert all(trial.before == 1.0 for trial in trials.values())
    assert (trials[0.0].stays, trials[0.0].added, trials[0.0].wrong) == (0.0, 1.0, 1.0)
    assert (trials[-0.5].stays, trials[-0.5].added) == (0.0, 1.0)
    assert (trials[-1.5].stays, trials[-1.5].added, trials[-1.5].wrong) == (1.0, 0.0, 0.0)


def test_the_best_offset_loses_nothing_of_what_the_network_knew() -> None:
    good = Trial(-1.0, before=0.8, stays=0.8, added=0.7, wrong=0.3)
    trials = [replace(good, offset=0.0, stays=0.79, added=0.9), good, replace(good, offset=-2.0, stays=0.81, added=0.5)]

    assert best(trials) is good
    assert best([trials[0], replace(good, stays=0.795)]).stays == 0.795  # each loses something


def test_photos_are_asked_about_by_rows_that_were_fitted_without_them() -> None:
    photos = lesson()
    rows = fit_rows(photos, 1.0)
    wrong = photos.right.copy()
    wrong[0] = [False, True, False]  # the first photo is one of a label that stays: only rows that saw it say otherwise
    taught = fit_rows(replace(photos, right=wrong, weights=np.where(np.arange(60) == 0, 50.0, 1.0)), 1.0)
    held = out_of_fold(
        replace(photos, right=wrong, weights=np.where(np.arange(60) == 0, 50.0, 1.0)), np.arange(60), 1.0, rows, seed=0
    )

    assert held.shape == (60, 2)
    assert taught.logits(photos.features[:1])[0, 0] > photos.base[0] > held[0, 0]
