import numpy as np
import pytest
from scipy.special import logsumexp

from vitcam_training.rows.logistic import Lesson, Rows, fit_rows

RNG = np.random.default_rng(3)


def lesson(n: int = 60, shift: float = 3.0) -> Lesson:
    """Photos of a label that stays, of which the network is sure, and of two added ones, each with its own feature."""
    kind = np.arange(n) % 3
    features = RNG.normal(size=(n, 5))
    features[np.arange(n), kind] += shift
    right = np.eye(3, dtype=bool)[kind]
    return Lesson(features, np.where(kind == 0, 8.0, 5.0), right, np.ones(n))


def probabilities(rows: Rows, photos: Lesson) -> np.ndarray:
    logits = np.concatenate([photos.base[:, None], rows.logits(photos.features)], axis=1)
    return np.asarray(np.exp(logits - logsumexp(logits, axis=1, keepdims=True)))


def test_added_rows_name_their_photos_and_leave_the_others_alone() -> None:
    photos = lesson()
    guesses = probabilities(fit_rows(photos, l2=0.1), photos).argmax(1)

    assert (photos.right[np.arange(len(guesses)), guesses]).all()


def test_the_slope_of_the_loss_vanishes_where_the_search_ends() -> None:
    photos, l2 = lesson(), 1.0
    rows = fit_rows(photos, l2)
    slope = (probabilities(rows, photos) - photos.right)[:, 1:]

    assert np.abs(slope.sum(0)).max() < 0.02  # of the biases, which are free


def test_the_rows_do_not_depend_on_the_scale_of_a_feature() -> None:
    photos = lesson()
    scaled = Lesson(photos.features * [1, 100, 0.01, 1, 1], photos.base, photos.right, photos.weights)
    one, other = fit_rows(photos, 1.0), fit_rows(scaled, 1.0)

    assert other.logits(scaled.features) == pytest.approx(one.logits(photos.features), abs=0.02)


def test_of_several_right_columns_the_sum_counts() -> None:
    photos = lesson()
    either = photos.right.copy()
    either[photos.right[:, 1], 2] = True  # what shows the first added thing may be called by the second name, too
    found = probabilities(fit_rows(Lesson(photos.features, photos.base, either, photos.weights), 1.0), photos)

    assert (found * either).sum(1).min() > 0.5
