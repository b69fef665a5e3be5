import numpy as np
import pytest
from numpy.typing import NDArray

from vitcam_training.evaluation.calibration import fit_gate, fit_temperature, fit_threshold, scaled


def overconfident(n: int = 4000, temperature: float = 2.0) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Probabilities that are right once their logits are divided by `temperature`, and which best guesses are right."""
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, (n, 6))
    true = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    labels = np.array([rng.choice(6, p=row) for row in true])
    raised = np.exp(logits * temperature)
    return (raised / raised.sum(-1, keepdims=True)).astype(np.float32), logits.argmax(-1) == labels


@pytest.mark.parametrize("temperature", [0.05, 0.5, 1.0, 2.0, 6.0])
def test_the_temperature_that_was_put_in_is_found_again(temperature: float) -> None:
    probabilities, right = overconfident(temperature=temperature)

    assert fit_temperature(probabilities, right) == pytest.approx(temperature, rel=0.06)


def test_a_temperature_of_one_changes_nothing_and_two_flattens() -> None:
    probabilities, _ = overconfident(50)

    np.testing.assert_allclose(scaled(probabilities, 1.0), probabilities, atol=1e-5)
    assert (scaled(probabilities, 2.0).max(-1) < probabilities.max(-1)).all()
    np.testing.assert_array_equal(scaled(probabilities, 2.0).argmax(-1), probabilities.argmax(-1))


def test_a_few_photos_all_answered_rightly_leave_the_model_some_doubt() -> None:
    temperature = fit_temperature(np.full((8, 2), [0.9, 0.1], np.float32), np.ones(8, bool))

    assert 0.35 < temperature < 0.9


def test_twenty_photos_suffice_to_make_a_network_surer_that_was_trained_for_an_epoch() -> None:
    probabilities = np.full((20, 5), 0.69 / 4, np.float32)
    probabilities[:, 0] = 0.31  # on every photo, as the user's network said on average, and right on 17 of 20
    temperature = fit_temperature(probabilities, np.arange(20) < 17)

    assert scaled(probabilities, temperature).max(-1).mean() == pytest.approx(0.85, abs=0.05)


def test_only_the_best_guess_decides_how_sure_the_model_may_be() -> None:
    probabilities, right = overconfident()
    shuffled = probabilities.copy()
    for row in shuffled:
        others = np.delete(np.arange(6), row.argmax())
        row[others] = row[others][::-1]

    assert fit_temperature(shuffled, right) == fit_temperature(probabilities, right)


def test_one_in_twenty_known_photos_stays_below_the_threshold() -> None:
    scores = np.random.default_rng(0).normal(size=4000)

    assert (scores < fit_threshold(scores)).mean() == pytest.approx(0.05, abs=1e-3)


def test_the_gate_hides_names_only_below_where_most_are_wrong() -> None:
    scores = np.array([5.0, 1.0, 4.0, 2.0, 3.0])
    wrong = np.array([False, True, False, True, False])

    assert fit_gate(scores, wrong) == 3.0
    assert fit_gate(scores, np.zeros(5, bool)) == 1.0, "none is hidden"
    assert fit_gate(scores, np.array([False, True, True, False, True])) == 5.0
