"""How good a model file is, how close to the float network it was made from, and how many photos of no label it knows.

Keras is imported only where a checkpoint is asked, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vitcam.errors import UsageError
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.files import find_model
from vitcam_training.data.catalogue import open_to_measure
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.evaluation.answers import Answers, calibration, comparison, figures, grouped
from vitcam_training.evaluation.model_file import ask_model, ask_readable, open_model
from vitcam_training.evaluation.scores import in_detail, wilson

COMPARED = ("float_top1", "agreement", "attention_cosine_mean", "attention_cosine_min")


def evaluate_model(
    model: str | Path, data: str, part: str | None = None, checkpoint: Path | None = None, threads: int | None = None
) -> dict[str, Any]:
    """Every figure of a model file on photos, fractions of 1; then how each label was answered, as `LabelScore`.

    Of data without labels: what `called_known` counts.

    data        a data set, a folder of photos or a list of some, with all or some of the model's labels, or with none
    part        of the data; None: see `open_to_measure`
    checkpoint  the float network, measured again; None: the figures of the export, on the same photos
    raises      UsageError if the data have a label that the model does not know, or no photo that can be read
    """
    dataset, part = open_to_measure(data, part, _trained_on(model))
    classifier = open_model(model, dataset, threads)
    if not dataset.labels:
        if checkpoint:
            raise UsageError(f"{dataset.name} has no labels, so a checkpoint cannot be measured on it; omit --float")
        named = {"model": classifier.card.name, "data": dataset.name, "split": part}
        return named | called_known(classifier, dataset.part(part))
    answers = ask_model(classifier, dataset, part)
    stored = classifier.card.accuracy
    if checkpoint:
        from vitcam_training.evaluation.float_network import ask_float

        compared: dict[str, Any] = comparison(answers, ask_float(checkpoint, dataset, part))
    elif (stored.get("data"), stored.get("split")) == (dataset.name, part):
        compared = {name: stored[name] for name in COMPARED}
    else:
        compared = dict.fromkeys(COMPARED)
    return all_figures(classifier, dataset, part, answers, compared)


def all_figures(
    classifier: Classifier, dataset: Dataset, part: str, answers: Answers, compared: dict[str, Any]
) -> dict[str, Any]:
    """What `evaluate --json` says, from the answers; `compared`: against the float network."""
    return {
        "model": classifier.card.name, "data": dataset.name, "split": part, **figures(answers), **compared,
        **grouped(answers),
        "skipped": len(dataset.part(part)) - len(answers.labels),
        **in_detail(answers.labels, answers.answered, answers.known, classifier.labels),
        **calibration(answers),
        "labels": len(classifier.labels),
    }  # fmt: skip


def _trained_on(model: str | Path) -> str:
    """The data that a model file names; empty for files that carry no card."""
    described = bundle.read(find_model(str(model)))
    card = described.card if described else None
    return str(card.accuracy.get("data") or card.provenance.get("data") or "") if card else ""


_KEPT = (
    "data", "split", "n", "top1", "top1_low", "top1_high", "top1_or_group", "known", "known_low", "known_high",
    "ece_debiased", "ece_low", "ece_high",
)  # fmt: skip


def measure_other_datasets(model: Path, sources: Sequence[str]) -> list[dict[str, Any]]:
    """For each data set, folder or list of photos, the figures that its line of a card needs; see `evaluate_model`.

    raises  UsageError as `evaluate_model` does
    """
    found = [evaluate_model(model, source) | {"data": source} for source in sources]
    return [{name: each[name] for name in _KEPT if name in each} for each in found]


def called_known(classifier: Classifier, samples: tuple[Sample, ...]) -> dict[str, Any]:
    """`n`, the share `known` with its 95 % interval, and `mistakes`: the photos that were called known."""
    answers = list(ask_readable(classifier, samples))
    mistakes = [(sample, answer.top[0]) for sample, answer in answers if answer.known]
    low, high = wilson(len(mistakes), len(answers)) if answers else (0.0, 1.0)
    return {
        "n": len(answers), "skipped": len(samples) - len(answers),
        "known": len(mistakes) / max(1, len(answers)), "known_low": low, "known_high": high,
        "mistakes": [{"path": sample.path.name, "label": best.label, "p": best.p} for sample, best in mistakes],
    }  # fmt: skip
