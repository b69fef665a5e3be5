"""Which score tells unknown things best from known ones: those of the literature, measured alike on a model file.

python -m vitcam_training.study.unknown_scores MODEL DATA UNKNOWN
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.model.classifier import Classifier
from vitcam_training.cli.options import ModelArgument
from vitcam_training.data.catalogue import open_dataset, open_to_measure
from vitcam_training.data.dataset import Sample
from vitcam_training.evaluation.model_file import ask_readable, open_model
from vitcam_training.evaluation.unknown import apart
from vitcam_training.study.program import program, start

Floats = NDArray[np.float64]
SUBSPACE = 0.95  # share of the variance of known embeddings that the principal subspace holds
FLOOR = 1e-30


@dataclass(frozen=True, eq=False)
class ScoredAnswers:
    """What a model file said of n photos."""

    probabilities: Floats
    """(n, C)."""
    embedding: Floats
    """(n, D): what the head reads."""
    temperature: float = 1.0
    """By which the logits were divided before the softmax."""

    @property
    def logits(self) -> Floats:
        """(n, C) logits less their mean, as far as probabilities tell them."""
        logs = np.log(np.maximum(self.probabilities, FLOOR))
        return np.asarray(logs - logs.mean(axis=1, keepdims=True))


class Residual:
    """The part of an embedding that no principal direction of known photos explains.

    source  Wang et al. 2022 (ViM, arXiv 2203.10807)
    """

    def __init__(self, known: ScoredAnswers) -> None:
        self._mean = known.embedding.mean(axis=0)
        values, vectors = np.linalg.eigh(np.cov(known.embedding.T))
        rest = np.cumsum(values) <= (1 - SUBSPACE) * values.sum()
        self._rest = vectors[:, rest]  # (D, D'), the directions of little variance
        self.scale = float(known.logits.max(axis=1).mean() / max(self(known).mean(), 1e-9))

    def __call__(self, said: ScoredAnswers) -> Floats:
        """(n,) lengths."""
        return np.asarray(np.linalg.norm((said.embedding - self._mean) @ self._rest, axis=1))


def scores(residual: Residual) -> dict[str, Callable[[ScoredAnswers], Floats]]:
    """Each score as a function of answers to n photos, (n,), larger for what is known."""
    return {
        "energy of the logits": energy,
        "divergence from uniform": divergence,
        "best probability": lambda said: said.probabilities.max(axis=1),
        "largest logit": lambda said: said.logits.max(axis=1),
        "entropy, negative": lambda said: (said.probabilities * np.log(np.maximum(said.probabilities, FLOOR))).sum(1),
        "residual, negative": lambda said: -residual(said),
        "ViM": lambda said: energy(said) - residual.scale * residual(said),
    }


def energy(said: ScoredAnswers) -> Floats:
    """(n,) the familiarity of `vitcam.model`, but for a constant: of the logits without the temperature."""
    logits = said.logits * said.temperature
    return np.asarray(np.log(np.exp(logits).sum(axis=1)))


def divergence(said: ScoredAnswers) -> Floats:
    """(n,) the same of the probabilities as they are, with the temperature."""
    return np.asarray(-np.log(np.maximum(said.probabilities, FLOOR)).mean(axis=1))


def compare(known: ScoredAnswers, unknown: ScoredAnswers, fitted: ScoredAnswers) -> dict[str, dict[str, float]]:
    """Of each score, the figures of `apart`.

    fitted  other known photos, whose embeddings give the principal directions
    """
    return {name: apart(score(known), score(unknown)) for name, score in scores(Residual(fitted)).items()}


def ask(classifier: Classifier, samples: Sequence[Sample]) -> ScoredAnswers:
    """The answers to those photos that can be read. Raises UsageError for a model that gives no embedding."""
    index = {label: i for i, label in enumerate(classifier.labels)}
    rows, embeddings = [], []
    for _, prediction in ask_readable(classifier, samples):
        if prediction.embedding is None:
            raise UsageError(f"{classifier.card.name} gives no embedding; export it with this version of vitcam")
        row = np.zeros(len(index))
        for guess in prediction.top:
            row[index[guess.label]] = guess.p
        rows.append(row)
        embeddings.append(prediction.embedding.astype(np.float64))
    return ScoredAnswers(np.array(rows), np.array(embeddings), classifier.card.temperature)


def compare_scores(
    model: ModelArgument,
    data: Annotated[
        str, typer.Argument(help="Take what the model was trained on, with the parts calibration and heldout.")
    ],
    unknown: Annotated[str, typer.Argument(help="Take photos of none of its labels from here.")],
) -> None:
    """Compare scores that tell unknown things from known ones: a line for each."""
    dataset = open_dataset(data)
    photos, part = open_to_measure(unknown)
    classifier = open_model(model, dataset)
    answers = [
        ask(classifier, samples)
        for samples in (dataset.part("heldout"), photos.part(part), dataset.part("calibration"))
    ]
    for name, found in compare(*answers).items():
        typer.echo(
            f"{name:24} AUROC {found['auroc']:.3f} ({found['auroc_low']:.3f} to {found['auroc_high']:.3f})  "
            f"rejected at 5 % {found['rejected_at_5']:.1%} ({found['rejected_at_5_low']:.1%} to "
            f"{found['rejected_at_5_high']:.1%})"
        )


app = program(compare_scores)
if __name__ == "__main__":
    start(app, "unknown_scores")
