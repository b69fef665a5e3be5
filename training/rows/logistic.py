"""Rows of a head, added to one that stays as it is: multinomial logistic regression against its log-sum.

What the network says stays what it said: of the probability that the added rows leave, each of its labels keeps its
share. So the log of the sum of its exponentiated logits, one number a photo, stands for all of them.

source  softmax regression with one logit given; Bishop 2006, section 4.3.4
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

STEPS = 250  # of L-BFGS at most
LEAST = -5.0  # logits that the search begins with, below the log-sum of the others
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Rows:
    """K rows of a head over D features."""

    weight: Floats
    """(K, D)."""
    bias: Floats
    """(K,)."""

    def logits(self, features: Floats) -> Floats:
        """(n, D) -> (n, K)."""
        return np.asarray(features @ self.weight.T + self.bias)

    def and_then(self, further: Rows) -> Rows:
        """These rows, and others behind them."""
        return Rows(np.concatenate([self.weight, further.weight]), np.concatenate([self.bias, further.bias]))


@dataclass(frozen=True, eq=False)
class Lesson:
    """What rows are fitted to: n photos."""

    features: Floats
    """(n, D) what the head reads."""
    base: Floats
    """(n,) log-sum-exp of the logits of the rows that stay."""
    right: NDArray[np.bool_]
    """(n, 1 + K) whether a photo is one for the rows that stay (first column), or for each added one. Where several
    are right, the sum of their probabilities counts."""
    weights: Floats
    """(n,)."""
    in_turn: bool = False
    """Each added row is fitted after those before it, which stay as they are then, and to its own photos and those of
    the rows that stay. So it adds to what they say and takes nothing from it. False: all are fitted together."""

    def of(self, places: NDArray[Any]) -> Lesson:
        """The same with some of the photos.

        places  (m,) indices of photos, or (n,) bool
        """
        some = {name: getattr(self, name)[places] for name in ("features", "base", "right", "weights")}
        return replace(self, **some)


def fit_rows(lesson: Lesson, l2: float, begin: Rows | None = None) -> Rows:
    """The rows at which the right answers are most likely; the loss has one minimum, which L-BFGS approaches.

    l2     half of it times the squared length of all weights is added to the loss; biases are free. Features count as
           if their deviation were 1, so that it means the same for every network
    begin  rows near which to look; None: zeros. Rows that are fitted in turn begin with zeros
    """
    if lesson.in_turn:
        return _in_turn(lesson, l2)
    from scipy.optimize import minimize

    mean, deviation = lesson.features.mean(0), np.maximum(lesson.features.std(0), 1e-6)
    x = np.asarray((lesson.features - mean) / deviation, np.float32)
    count, width = lesson.right.shape[1] - 1, x.shape[1]
    middle = float(np.average(lesson.base, weights=lesson.weights))  # biases are near 0 beside it
    base = np.asarray(lesson.base - middle, np.float32)[:, None]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weight, bias = flat[: count * width].reshape(count, width), flat[count * width :]
        logits = np.concatenate([base, x @ weight.T.astype(np.float32) + bias.astype(np.float32)], axis=1)
        value, slope = _surprise(logits, lesson.right, lesson.weights.astype(np.float32))
        gradient = np.concatenate([(slope.T @ x + l2 * weight).ravel(), slope.sum(0)])
        return value + 0.5 * l2 * float((weight**2).sum()), gradient

    start = np.concatenate([np.zeros(count * width), np.full(count, LEAST)])
    if begin is not None:
        start = np.concatenate([(begin.weight * deviation).ravel(), begin.bias + begin.weight @ mean - middle])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "ftol": 1e-6}).x
    weight = found[: count * width].reshape(count, width) / deviation
    return Rows(weight, found[count * width :] + middle - weight @ mean)


def _in_turn(lesson: Lesson, l2: float) -> Rows:
    stays, base, fitted = lesson.right[:, 0], lesson.base, []
    for own in lesson.right[:, 1:].T:
        right = np.stack([stays, own], axis=1)
        one = replace(lesson, base=base, right=right, in_turn=False).of(stays | own)
        fitted.append(fit_rows(one, l2))
        base = np.logaddexp(base, fitted[-1].logits(lesson.features)[:, 0])
    return Rows(np.concatenate([rows.weight for rows in fitted]), np.concatenate([rows.bias for rows in fitted]))


def _surprise(logits: Floats, right: NDArray[np.bool_], weights: Floats) -> tuple[float, Floats]:
    """-Σ w log p of what is right, and its slope by the logits of the added rows: (n, 1 + K) -> (n, K)."""
    raised = np.exp(logits - logits.max(1, keepdims=True))
    p = raised / raised.sum(1, keepdims=True)
    held = np.maximum((p * right).sum(1), 1e-30)
    slope = weights[:, None] * (p - p * right / held[:, None])
    return float(-(weights * np.log(held)).sum()), slope[:, 1:]
