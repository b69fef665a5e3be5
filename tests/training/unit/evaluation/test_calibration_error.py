import numpy as np
import pytest

from vitcam_training.evaluation.calibration_error import (
    calibration_error,
    debiased_error,
    error_if_calibrated,
    same_mass,
)

Drawn = tuple[np.ndarray, np.ndarray]


def drawn(n: int, seed: int, overconfident_by: float = 0.0) -> Drawn:
    """Confidences (n,) and whether each guess is right (n,), less often than it says by this share."""
    rng = np.random.default_rng(seed)
    confidence = rng.uniform(0.3, 1.0, n)
    return confidence, rng.random(n) < confidence - overconfident_by


def test_a_model_that_is_as_sure_as_it_is_right_has_no_calibration_error() -> None:
    assert calibration_error(np.full(4, 0.75), np.array([1, 1, 1, 0], bool)) == pytest.approx(0.0, abs=1e-6)


def test_a_model_that_is_always_sure_and_half_right_is_off_by_a_half() -> None:
    assert calibration_error(np.ones(4), np.array([1, 1, 0, 0], bool)) == pytest.approx(0.5, abs=1e-6)


def test_a_perfectly_calibrated_model_shows_about_the_error_that_is_foretold() -> None:
    shown = [calibration_error(*drawn(300, seed)) for seed in range(60)]

    assert error_if_calibrated(drawn(300, 0)[0]) == pytest.approx(float(np.mean(shown)), rel=0.1)
    assert np.mean(shown) > 0.03, "300 photos cannot show less"


def test_the_debiased_error_of_a_calibrated_model_is_far_below_the_usual_one() -> None:
    usual, debiased = zip(
        *((calibration_error(*drawn(300, seed)), debiased_error(*drawn(300, seed)).value) for seed in range(20)),
        strict=True,
    )

    assert np.mean(debiased) < 0.6 * np.mean(usual)


def test_the_debiased_error_finds_a_real_one_and_its_interval_holds_it() -> None:
    found = [debiased_error(*drawn(1000, seed, overconfident_by=0.1)) for seed in range(10)]

    assert np.mean([each.value for each in found]) == pytest.approx(0.1, abs=0.015)
    assert sum(each.low <= 0.1 <= each.high for each in found) >= 8


def test_fewer_photos_than_bins_give_an_error_between_0_and_1() -> None:
    found = debiased_error(np.array([0.9, 0.6]), np.array([True, False]))

    assert 0 <= found.low <= found.value <= found.high <= 1


def test_bins_of_the_same_mass_hold_as_many_photos_each_in_order_of_confidence() -> None:
    confidence, _ = drawn(150, 1)
    bin_of = same_mass(confidence)

    assert np.bincount(bin_of).tolist() == [10] * 15
    assert (np.diff(bin_of[np.argsort(confidence)]) >= 0).all()
