"""How good a model file is, how close to the float network it was made from, and how many photos of no label it knows.

Keras is imported only where a checkpoint is asked, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vitcam.errors import UsageError
from vitcam.frames import Prediction
from vitcam.interval import wilson
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.files import find_model
from vitcam_training.data.catalogue import open_to_measure
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.evaluation.answers import (
    Answers,
    calibration,
    comparison,
    displayed,
    figures,
    grouped,
    paired,
    surely,
)
from vitcam_training.evaluation.model_file import ask_model, ask_readable, open_model
from vitcam_training.evaluation.scores import in_detail

COMPARED = ("float_top1", "agreement", "attention_cosine_mean", "attention_cosine_min")


def evaluate_model(
    model: str | Path, data: str, part: str | None = None, checkpoint: Path | None = None, threads: int | None = None
) -> dict[str, Any]:
    """Every figure of a model file on photos, fractions of 1; then how each label was answered, as `LabelScore`.

    Of photos without labels: what `called_known` counts.

    data        a data set, a folder of photos or a list of some, with all or some of the model's labels, or with none
    part        of the data; None: see `open_to_measure`
    checkpoint  the float network, measured again; None: the figures of the export, on the same photos
    raises      UsageError if the data have a label that the model does not know, or no photo that can be read
    """
    dataset, part = open_to_measure(data, part, _trained_on(model))
    classifier = open_model(model, dataset, threads)
    samples = dataset.part(part)
    if all(sample.label < 0 for sample in samples):
        if checkpoint:
            raise UsageError(f"{dataset.name} has no labels, so a checkpoint cannot be measured on it; omit --float")
        named = {"model": classifier.card.name, "data": dataset.name, "split": part}
        return named | called_known(classifier, samples, dataset.labels)
    answers = ask_model(classifier, dataset, part)
    stored = classifier.card.accuracy
    if checkpoint:
        from vitcam_training.evaluation.float_network import ask_float

        reference = ask_float(checkpoint, dataset, part, classifier.labels)
        compared: dict[str, Any] = comparison(answers, reference) | paired(answers, reference)
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
        **displayed(answers),
        **surely(answers, classifier.card.accuracy),
        "labels": len(classifier.labels),
    }  # fmt: skip


def _trained_on(model: str | Path) -> str:
    """The data that a model file names; empty for files that carry no card."""
    described = bundle.read(find_model(str(model)))
    card = described.card if described else None
    return str(card.accuracy.get("data") or card.provenance.get("data") or "") if card else ""


_KEPT = (
    "data", "split", "n", "top1", "top1_low", "top1_high", "top1_or_group", "known", "known_low", "known_high",
    "ece_debiased", "ece_low", "ece_high", "displayed", "displayed_low", "displayed_high", "displayed_right",
    "displayed_right_low", "displayed_right_high", "displayed_ece",
    "displayed_ece_if_calibrated", "displayed_wrong", "displayed_wrong_low", "displayed_wrong_high",
    "wrong_displayed", "sure", "sure_low", "sure_high", "sure_right", "sure_right_low", "sure_right_high",
)  # fmt: skip


def measure_other_datasets(model: Path, sources: Sequence[str]) -> list[dict[str, Any]]:
    """For each data set, folder or list of photos, the figures that its line of a card needs; see `evaluate_model`.

    raises  UsageError as `evaluate_model` does
    """
    found = [evaluate_model(model, source) | {"data": source} for source in sources]
    return [{name: each[name] for name in _KEPT if name in each} for each in found]


def measure_headline(model: Path, source: str) -> dict[str, Any]:
    """The figures that stand for a model, on a data set, a folder or a list of photos; see `evaluate_model`.

    raises  UsageError as `evaluate_model` does, and for photos that show none of the labels
    """
    found = evaluate_model(model, source) | {"data": source}
    if found.get("top1") is None:
        raise UsageError(f"{source} shows none of the labels, so nothing there can be right; choose other photos")
    return {name: found[name] for name in ("data", "split", "n", "top1", "top1_low", "top1_high", "top5", "ece")}


def called_known(classifier: Classifier, samples: tuple[Sample, ...], labels: tuple[str, ...] = ()) -> dict[str, Any]:
    """What is said of photos that show no thing of the labels, or of which nobody knows what they show.

    labels   the names of the labels that a sample accepts
    returns  `n`, `skipped`; the share `known` with its 95 % interval; the share `displayed_wrong`, by the name of a
             label that the photo does not accept, with its interval, and `displayed_group`, by the name of a group that
             holds none of those; `kinds`: the counts by the photos' folders; `mistakes`: the photos called known
    """
    answers = list(ask_readable(classifier, samples))
    accepted = [frozenset(labels[label] for label in sample.accepted) for sample, _ in answers]
    wrong = [_displayed_wrong(classifier, answer, right) for (_, answer), right in zip(answers, accepted, strict=True)]
    kinds: dict[str, dict[str, int]] = {}
    for (sample, _), level in zip(answers, wrong, strict=True):
        counts = kinds.setdefault(sample.path.parent.name, {"n": 0, "label": 0, "group": 0})
        counts["n"] += 1
        if level is not None:
            counts[level] += 1
    mistakes = [
        (sample, answer.top[0])
        for (sample, answer), right, level in zip(answers, accepted, wrong, strict=True)
        if answer.known and (level or (answer.shown.level == "none" and answer.top[0].label not in right))
    ]
    count, named = len(answers), sum(level == "label" for level in wrong)
    (low, high), (named_low, named_high) = (wilson(k, count) if count else (0.0, 1.0) for k in (len(mistakes), named))
    return {
        "n": count, "skipped": len(samples) - count,
        "known": len(mistakes) / max(1, count), "known_low": low, "known_high": high,
        "displayed_wrong": named / max(1, count), "displayed_wrong_low": named_low, "displayed_wrong_high": named_high,
        "displayed_group": sum(level == "group" for level in wrong) / max(1, count),
        "kinds": kinds,
        "mistakes": [{"path": sample.path.name, "label": best.label, "p": best.p} for sample, best in mistakes],
    }  # fmt: skip


def _displayed_wrong(classifier: Classifier, answer: Prediction, right: frozenset[str]) -> str | None:
    """The level of the name that is displayed, if it is wrong: `label` or `group`."""
    shown = answer.shown
    if shown.level == "label":
        return None if shown.label in right else "label"
    if shown.level == "none" or classifier.groups is None:
        return None
    held = {classifier.labels[label] for label in classifier.groups.members[str(shown.label)]}
    return "group" if held.isdisjoint(right) else None
