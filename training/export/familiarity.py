"""What a model file carries to tell known from unknown photos, fitted on embeddings of the photos trained on.

`vitcam/model/familiarity.py` says how it is used. No photo that is held out has a part in it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.model.familiarity import Familiarity
from vitcam_training.evaluation.calibration import fit_threshold

Array = NDArray[np.floating[Any]]

ENOUGH = 2  # photos trained on for each channel of the embedding; of fewer, most axes show no variation by chance
MOST = 5000  # photos that are asked: enough for the axes of an embedding of some hundred channels


def fit_familiarity(kernel: Array, bias: Array, trained: Array, calibration: Array, best: Array) -> Familiarity:
    """Axes and factor from the training photos, the threshold from those that calibrate.

    Of too few training photos no axes are taken: what is left is the energy of Liu et al. 2020 (arXiv 2010.03759).

    kernel       (D, C), bias (C,): the head
    trained      (n, D) embeddings of photos trained on
    calibration  (m, D) embeddings of photos that were not: 5 % of them stay below the threshold
    best         (m,) probability of the best guess for each of these: a sure one is lifted, as in use
    source       ViM, Wang et al. 2022 (arXiv 2203.10807), section 4; D / 2 axes are left out, as in its section 5
    """
    width, labels = kernel.shape
    origin = -np.linalg.pinv(kernel.T.astype(np.float64)) @ bias  # (D,) where all logits are nearest to zero
    centred = trained - origin
    _, axes = np.linalg.eigh(centred.T @ centred)  # columns in order of how much the photos vary along them
    rest = axes[:, : width // 2 if len(trained) >= ENOUGH * width else 0]  # (D, R)
    matrix = np.hstack([kernel, rest]).astype(np.float16).astype(np.float32)  # as the file will have it
    offset = np.concatenate([bias, -origin @ rest]).astype(np.float32)
    distance = float(np.linalg.norm(centred @ rest, axis=-1).mean())
    factor = float((trained @ kernel + bias).max(-1).mean()) / distance if distance else 0.0
    found = Familiarity(matrix, offset, labels, round(factor, 6), threshold=0.0)
    asked = zip(calibration.astype(np.float32), best, strict=True)
    threshold = fit_threshold(np.array([found.certainty(row, float(p)) for row, p in asked]))
    return replace(found, threshold=round(threshold, 4))
