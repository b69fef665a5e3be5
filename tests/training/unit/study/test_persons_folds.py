"""Folds by scene, and rows that are fitted without what they are asked about."""

import numpy as np

from vitcam_training.rows.choose import Head
from vitcam_training.rows.logistic import Lesson, fit_rows
from vitcam_training.study.persons.folds import FOLDS, Refits, folds_of, scenes_of

RNG = np.random.default_rng(0)


def test_photos_of_one_scene_are_in_one_fold_and_folds_are_of_one_size() -> None:
    scenes = RNG.normal(size=(20, 16))
    embedding = np.repeat(scenes, 3, axis=0) + 0.05 * RNG.normal(size=(60, 16))
    found = scenes_of(embedding)
    fold = folds_of(found)

    assert len(set(found.tolist())) == 20
    assert all(len(set(fold[i : i + 3].tolist())) == 1 for i in range(0, 60, 3))
    assert np.bincount(fold).tolist() == [12] * FOLDS


def test_rows_are_fitted_without_photos_and_their_altered_ones() -> None:
    names = np.array(["a.jpg", "b.jpg", "b.jpg", "c.jpg"])
    right = np.array([[True, False], [False, True], [False, True], [False, True]])
    features = np.array([[0.0], [1.0], [1.0], [-1.0]], np.float32)
    lesson = Lesson(features, np.zeros(4), right, np.ones(4))
    refits = Refits(Head((0,), (1,)), 1, lesson, names, fit_rows(lesson, 0.1), 0.1)
    rows = refits.without(np.array(["b.jpg"]))

    assert refits.rows.logits(features)[1, 0] > 0
    assert rows.logits(features)[1, 0] < refits.rows.logits(features)[1, 0]
