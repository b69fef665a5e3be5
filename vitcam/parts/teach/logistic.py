"""Multinomial logistic regression in NumPy: rows of a head, fitted to what a network makes of photos.

The loss has one minimum; L-BFGS approaches it. Features are turned into the axes along which the photos differ most:
the penalty is the same in all axes that stand at right angles, and each axis gets a step of its own length there.

source  softmax regression, with one logit given where rows are added: Bishop 2006, section 4.3.4; L-BFGS: Nocedal &
        Wright 2006, algorithm 7.5
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_STEPS = 100
_MEMORY = 8
_ENOUGH = 1e-4
"""The search ends where the loss falls by less than this share of itself."""
_FLAT = 1e-9
"""Axes along which the photos differ by less than this share of the most are left out: rounding made them."""


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What rows are fitted to: n photos.

    x        (n, D) what the rows read
    right    (n,) which row is right; -1: none, what the base says is
    weights  (n,) how much each photo counts
    base     (n,) log-sum-exp of the logits of the rows that stay; None: there are none
    """

    x: Floats
    right: NDArray[np.intp]
    weights: Floats
    base: Floats | None = None

    def of(self, places: NDArray[np.intp]) -> Lesson:
        """The same with some of the photos; places (m,)."""
        base = None if self.base is None else self.base[places]
        return Lesson(self.x[places], self.right[places], self.weights[places], base)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """K rows over D features: weight (K, D) and bias (K,)."""

    weight: Floats
    bias: Floats

    def logits(self, x: NDArray[np.floating]) -> Floats:
        """(n, D) -> (n, K)."""
        return np.asarray(x @ self.weight.T + self.bias)


@dataclass(frozen=True, slots=True, eq=False)
class Axes:
    """Where features are centred, how they are scaled, and the axes that they are turned into."""

    mean: Floats
    turn: Floats
    """(D, r)."""
    spread: Floats
    """(r,) sums of squares along each axis."""

    @classmethod
    def of(cls, lesson: Lesson) -> Axes:
        """Of some photos. A feature counts as if its deviation were 1, so strengths mean the same for each network."""
        share = lesson.weights / lesson.weights.sum()
        mean = share @ lesson.x
        centred = lesson.x - mean
        deviation = np.sqrt(np.maximum(share @ centred**2, 1e-12))
        centred /= deviation
        centred *= np.sqrt(lesson.weights)[:, None]
        spread, axes = np.linalg.eigh(centred.T @ centred)
        kept = spread > _FLAT * spread[-1]
        return cls(mean, axes[:, kept] / deviation[:, None], spread[kept])

    def turned(self, x: Floats) -> Floats:
        """(n, D) -> (n, r)."""
        return np.asarray((x - self.mean) @ self.turn)

    def rows(self, weight: Floats, bias: Floats) -> Rows:
        """Rows along the axes, (K, r) -> rows over the features, (K, D)."""
        over = weight @ self.turn.T
        return Rows(over, bias - over @ self.mean)


def fit_rows(lesson: Lesson, count: int, strengths: tuple[float, ...]) -> list[Rows]:
    """Rows for each strength; the search for one begins where the one before it ended.

    count      how many rows
    strengths  half of each times the squared length of all weights is added to the loss; biases are free
    """
    axes = Axes.of(lesson)
    x = axes.turned(lesson.x)
    right = np.zeros((len(x), count))
    named = lesson.right >= 0
    right[named, lesson.right[named]] = 1.0
    middle = 0.0 if lesson.base is None else float(np.average(lesson.base, weights=lesson.weights))
    base = None if lesson.base is None else (lesson.base - middle)[:, None]
    at = np.zeros(count * (len(axes.spread) + 1))
    found = []
    for strength in strengths:

        def loss(flat: Floats, strength: float = strength) -> tuple[float, Floats]:
            rows = flat.reshape(count, -1)
            weight = rows[:, :-1]
            logits = x @ weight.T + rows[:, -1]
            surprise, slope = _surprise(logits, right, base, lesson.weights)
            gradient = np.empty_like(rows)
            gradient[:, :-1] = slope.T @ x + strength * weight
            gradient[:, -1] = slope.sum(0)
            return surprise + 0.5 * strength * float((weight**2).sum()), gradient.ravel()

        curve = 0.5 / max(2, count)
        length = np.append(1 / (curve * axes.spread + strength), 1 / (curve * lesson.weights.sum()))
        at = minimum(loss, at, np.tile(length, count))
        rows = at.reshape(count, -1)
        found.append(axes.rows(rows[:, :-1], rows[:, -1] + middle))
    return found


def minimum(loss: Callable[[Floats], tuple[float, Floats]], at: Floats, length: Floats) -> Floats:
    """Where a smooth, convex function is least, by L-BFGS.

    loss    the value and the gradient at a place
    at      (d,) where the search begins
    length  (d,) of a step along each coordinate, for a gradient of 1
    """
    pairs: list[tuple[Floats, Floats, float]] = []
    value, gradient = loss(at)
    for _ in range(_STEPS):
        step = -_towards(gradient, pairs, length)
        slope, share = float(step @ gradient), 1.0
        there, (lower, steeper) = at + step, loss(at + step)
        while lower > value + 1e-4 * share * slope and share > 1e-6:
            share *= 0.5
            there = at + share * step
            lower, steeper = loss(there)
        if not lower < value:
            break
        moved, bent = there - at, steeper - gradient
        if (curved := float(moved @ bent)) > 0:
            pairs = [*pairs[1 - _MEMORY :], (moved, bent, 1 / curved)]
        done = value - lower < _ENOUGH * abs(lower)
        at, value, gradient = there, lower, steeper
        if done:
            break
    return at


def _towards(gradient: Floats, pairs: list[tuple[Floats, Floats, float]], length: Floats) -> Floats:
    """The two-loop recursion."""
    left, shares = gradient.copy(), []
    for moved, bent, inverse in reversed(pairs):
        shares.append(inverse * float(moved @ left))
        left -= shares[-1] * bent
    left *= length
    if pairs:
        moved, bent, inverse = pairs[-1]
        left /= inverse * float(bent @ (length * bent))
    for (moved, bent, inverse), share in zip(pairs, reversed(shares), strict=True):
        left += (share - inverse * float(bent @ left)) * moved
    return left


def _surprise(logits: Floats, right: Floats, base: Floats | None, weights: Floats) -> tuple[float, Floats]:
    """-Σ w log p of what is right, and its slope by the logits (n, K)."""
    top = logits.max(1, keepdims=True) if base is None else np.maximum(logits.max(1, keepdims=True), base)
    raised = np.exp(logits - top)
    total = raised.sum(1, keepdims=True)
    if base is not None:
        total += np.exp(base - top)
    wanted = (logits * right).sum(1, keepdims=True)
    if base is not None:
        wanted += base * (1 - right.sum(1, keepdims=True))
    surprise = np.log(total) + top - wanted
    slope = (raised / total - right) * weights[:, None]
    return float(weights @ surprise[:, 0]), slope
