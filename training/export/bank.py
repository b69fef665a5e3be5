"""The bank of a model file: what the finished file itself makes of photos, so that a device sees the same numbers."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vitcam.errors import UsageError
from vitcam.model.bank import Bank
from vitcam.model.classifier import Classifier
from vitcam.model.spare_rows import AddedRows, read_by_rows
from vitcam_training.data.dataset import Dataset
from vitcam_training.evaluation.model_file import ask_readable, open_model
from vitcam_training.export.trial import some_of

PHOTOS = 3000
"""Of E = D = 192 they take 1.7 MB, and 1.6 once packed."""
_PROBE = "the log of the sum"
_LOGIT = 10.0  # near the usual log-sums, so that no probability is too small to be exact


def make_bank(model: Path, datasets: Sequence[Dataset], count: int = PHOTOS) -> Bank:
    """Ask a finished file about `count` photos of the part `train` of data sets, as many of each as it has a share.

    raises  UsageError if the file has no room for labels that a device adds, or a data set has a label that it lacks
    """
    of_each = [[sample for sample in dataset.part("train") if sample.label >= 0] for dataset in datasets]
    share = min(1.0, count / max(1, sum(map(len, of_each))))
    features, labels, log_sums, shares = [], [], [], []
    for dataset, photos in zip(datasets, of_each, strict=True):
        classifier = open_model(model, dataset)
        if not classifier.card.row_capacity:
            raise UsageError(f"{model.stem} has no room for labels that a device adds; give --spare-rows, too")
        index = {label: i for i, label in enumerate(classifier.labels)}
        _probe(classifier)
        for sample, answer in ask_readable(classifier, some_of(photos, round(share * len(photos)))):
            (probed,) = [guess.p for guess in answer.top if guess.label == _PROBE]
            features.append(np.asarray(read_by_rows(answer), np.float16))
            right = [dataset.labels[label] for label in (sample.label, *sorted(sample.right))]
            labels.append(next(index[label] for label in right if label in index))
            log_sums.append(_LOGIT + np.log(1 / probed - 1))
            best = next(guess for guess in answer.top if guess.label != _PROBE)
            shares.append(best.p / (1 - probed) if best.label in right else 0.0)
    if not labels:
        raise UsageError("there are no photos that can be read to put into the bank; give other data sets")
    logging.getLogger(__name__).info("%d photos in the bank", len(labels))
    return Bank(
        np.stack(features), np.array(labels, np.int16), np.array(log_sums, np.float16), np.array(shares, np.float16)
    )


def _probe(classifier: Classifier) -> None:
    """Let the model know one label more whose logit is always the same: of its probability follows the log-sum."""
    width = classifier.card.row_width
    rows = np.zeros((1, width), np.float32), np.array([_LOGIT], np.float32)
    classifier.take_rows(AddedRows((_PROBE,), *rows))
    classifier.top_k = len(classifier.labels)
