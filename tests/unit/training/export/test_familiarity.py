import numpy as np
import pytest
from numpy.typing import NDArray

from vitcam_training.export.familiarity import fit_familiarity

Rows = NDArray[np.float64]
KERNEL = np.random.default_rng(0).normal(size=(16, 4))
BIAS = np.zeros(4)


def seen(n: int, seed: int) -> Rows:
    """Embeddings as of trained photos: each along one label's direction, hardly off the four of them."""
    rng = np.random.default_rng(seed)
    directions = KERNEL / np.linalg.norm(KERNEL, axis=0)
    return np.asarray(3 * directions[:, rng.integers(0, 4, n)].T + rng.normal(0, 0.1, (n, 16)))


def strange(n: int) -> Rows:
    """The same, moved along axes that no trained photo varies in: the logits are as large as before."""
    rng = np.random.default_rng(9)
    free = np.linalg.svd(KERNEL.T)[2][4:]  # (12, 16) orthogonal to the head
    return np.asarray(seen(n, 8) + rng.normal(0, 1.0, (n, 12)) @ free)


UNSURE = np.full(400, 0.5)


@pytest.mark.parametrize("share", [0.0, 0.03, 0.3, 0.97, 1.0])
def test_one_in_twenty_photos_that_calibrate_is_called_unknown_however_many_guesses_are_sure(share: float) -> None:
    calibration = seen(400, 2)
    best = np.where(np.random.default_rng(4).random(400) < share, 0.99, 0.5)
    found = fit_familiarity(KERNEL, BIAS, seen(500, 1), calibration, best)
    asked = zip(calibration.astype(np.float32), best, strict=True)
    below = [found.certainty(row, p) < found.threshold for row, p in asked]

    assert np.mean(below) == pytest.approx(0.05, abs=0.003)


def test_sure_guesses_in_calibration_raise_the_threshold_for_unsure_ones() -> None:
    sure = np.tile([0.99, 0.99, 0.99, 0.5], 100)
    lifted, plain = (fit_familiarity(KERNEL, BIAS, seen(500, 1), seen(400, 2), p) for p in (sure, UNSURE))

    assert lifted.threshold > plain.threshold


def test_what_leaves_the_axes_of_training_is_told_apart_though_its_logits_are_as_large() -> None:
    found = fit_familiarity(KERNEL, BIAS, seen(500, 1), seen(400, 2), UNSURE)
    rejected = [found.score(row.astype(np.float32)) < found.threshold for row in strange(200)]
    kept = [found.score(row.astype(np.float32)) >= found.threshold for row in seen(200, 3)]

    assert found.matrix.shape == (16, 4 + 8)
    assert np.mean(rejected) > 0.95
    assert np.mean(kept) > 0.9


def test_of_too_few_photos_only_the_logits_decide() -> None:
    found = fit_familiarity(KERNEL, BIAS, seen(20, 1), seen(10, 2), UNSURE[:10])
    row = strange(1)[0].astype(np.float32)

    assert found.matrix.shape == (16, 4)
    assert found.factor == 0
    assert found.score(row) == pytest.approx(np.log(np.exp(row @ KERNEL).sum()), abs=0.02)
