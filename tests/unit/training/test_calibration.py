import numpy as np
import pytest
from numpy.typing import NDArray
from vitcam_training.calibration import fit_temperature, fit_threshold, scaled


def overconfident(n: int = 4000, temperature: float = 2.0) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Probabilities that are right once their logits are divided by `temperature`."""
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, (n, 6))
    true = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    labels = np.array([rng.choice(6, p=row) for row in true])
    raised = np.exp(logits * temperature)
    return (raised / raised.sum(-1, keepdims=True)).astype(np.float32), labels


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_the_temperature_that_was_put_in_is_found_again(temperature: float) -> None:
    probabilities, labels = overconfident(temperature=temperature)

    assert fit_temperature(probabilities, labels) == pytest.approx(temperature, rel=0.06)


def test_a_temperature_of_one_changes_nothing_and_two_flattens() -> None:
    probabilities, _ = overconfident(50)

    np.testing.assert_allclose(scaled(probabilities, 1.0), probabilities, atol=1e-5)
    assert (scaled(probabilities, 2.0).max(-1) < probabilities.max(-1)).all()
    np.testing.assert_array_equal(scaled(probabilities, 2.0).argmax(-1), probabilities.argmax(-1))


def test_forty_nine_of_fifty_right_answers_reach_the_threshold() -> None:
    probabilities, labels = overconfident()
    threshold = fit_threshold(scaled(probabilities, 2.0), labels)
    right = probabilities.argmax(-1) == labels

    assert (scaled(probabilities, 2.0).max(-1)[right] >= threshold).mean() == pytest.approx(0.98, abs=0.01)


def test_without_one_right_answer_nothing_is_called_unknown() -> None:
    assert fit_threshold(np.array([[0.9, 0.1]]), np.array([1])) == 0.0
