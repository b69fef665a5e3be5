"""Scores that tell unknown things from known ones, on answers whose truth is known."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from vitcam.model.out_of_distribution import familiarity
from vitcam_training.study.unknown_scores import Residual, ScoredAnswers, compare, divergence, energy


def said(logits: NDArray[np.float64], seed: int, away: float = 0.0) -> ScoredAnswers:
    """Answers with these logits; embeddings vary along two of eight directions, and `away` along a third."""
    rng = np.random.default_rng(seed)
    raised = np.exp(logits)
    embedding = np.zeros((len(logits), 8))
    embedding[:, :2] = 10 * rng.normal(size=(len(logits), 2))
    embedding[:, 2:] = 0.1 * rng.normal(size=(len(logits), 6))
    embedding[:, 2] += away
    return ScoredAnswers(raised / raised.sum(axis=1, keepdims=True), embedding)


def peaked(height: float, seed: int, n: int = 200) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n, 6))
    logits[:, 0] += height
    return logits


def test_the_energy_is_the_models_own_score_but_for_a_constant() -> None:
    answers = replace(said(peaked(3, 0), 0), temperature=0.6)
    own = np.array([familiarity(row, 0.6) for row in answers.probabilities])

    assert np.ptp(energy(answers) - own) == pytest.approx(0, abs=1e-9)


def test_the_divergence_is_the_energy_where_there_is_no_temperature() -> None:
    answers = said(peaked(3, 0), 0)

    assert np.ptp(divergence(answers) - energy(answers)) == pytest.approx(0, abs=1e-9)


def test_logits_come_back_from_probabilities_less_their_mean() -> None:
    logits = peaked(3, 1)

    np.testing.assert_allclose(said(logits, 1).logits, logits - logits.mean(axis=1, keepdims=True), atol=1e-9)


def test_a_flat_answer_is_told_by_all_scores_of_probabilities_and_not_by_the_residual() -> None:
    found = compare(said(peaked(8, 2), 2), said(peaked(0, 3), 3), said(peaked(8, 4), 4))

    for name in (
        "energy of the logits",
        "divergence from uniform",
        "best probability",
        "largest logit",
        "entropy, negative",
        "ViM",
    ):
        assert found[name]["auroc"] > 0.9, name
    assert found["residual, negative"]["auroc"] == pytest.approx(0.5, abs=0.1)


def test_a_strange_embedding_is_told_by_the_residual_and_vim_alone() -> None:
    found = compare(said(peaked(4, 2), 2), said(peaked(4, 3), 3, away=5), said(peaked(4, 4), 4))

    assert found["residual, negative"]["auroc"] > 0.99
    assert found["ViM"]["auroc"] > 0.95
    assert found["best probability"]["auroc"] == pytest.approx(0.5, abs=0.1)


def test_the_residual_leaves_out_the_directions_in_which_known_photos_vary() -> None:
    residual = Residual(said(peaked(4, 5), 5))
    shifted = ScoredAnswers(np.full((1, 6), 1 / 6), np.array([[30.0, -20.0, 0, 0, 0, 0, 0, 0]]))

    assert residual(shifted)[0] < 0.2
