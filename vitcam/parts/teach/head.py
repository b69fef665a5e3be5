"""From learned rows to the head of a model: how sure it is (temperature), and what it takes for none of its labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitcam.model.spare_rows import AddedRows
from vitcam.model.taught import NONE, Taught
from vitcam.parts.teach.examples import Examples, Others
from vitcam.parts.teach.learn import TEMPERATURES, Learned, surprise
from vitcam.parts.teach.logistic import Floats

REJECTED = 0.06
"""This share of the taught photos, each held out, may be taken for none of the labels, so that unfamiliar ones are. The
finished rows have learned from all of them and know them better: of other photos of the labels one in twenty is taken
so, as twelve other draws than are reported showed (python -m vitcam_training.study.teaching)."""
OF_BANK = 0.4
"""So far from the mean of the labels towards what was learned from the bank; chosen on other draws than are reported
(python -m vitcam_training.study.teaching)."""
KNOWN = 0.5
"""A label is known if it is more likely than none of them."""
LOST = 0.01
"""Beside the labels of the base, this share of its right answers may be lost."""
OFFSETS = tuple(np.arange(4.0, -8.5, -0.25).tolist())
_FEWEST = 10
"""Held-out photos; of fewer neither temperature nor share can be told."""


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """The head of a model."""

    taught: Taught
    temperature: float
    """By which the logits were divided already."""
    offset: float
    """What was added to the logits of the rows beside those of the base, or to that for none of the labels."""
    held: Floats
    """(n, K + 1) probabilities of the photos that were taught, by rows that were learned without them: those of the
    labels, then that of none of these, or of the base's best label."""
    lost: float
    """The share of the base's right answers that were lost; 0 where the labels stand alone."""


def head_alone(examples: Examples, learned: Learned) -> Head:
    """A head that knows these labels alone, and none of these."""
    count, measured = len(examples.labels), examples.measured
    held = _with_none(learned.held.T, count).T
    offset = 0.0
    if measured.sum() >= _FEWEST:
        above = held[measured, :count].max(1) - held[measured, count]
        offset = float(np.quantile(above, REJECTED))
        held = held + np.append(np.zeros(count), offset)
    temperature = _temperature(held[measured], examples.of[measured])
    weight, bias = _with_none(learned.rows.weight, count), _with_none(learned.rows.bias, count)
    bias[count] += offset
    weight, bias = (weight - weight.mean(0)) / temperature, (bias - bias.mean()) / temperature
    rows = AddedRows((*examples.labels, NONE), weight.astype(np.float32), bias.astype(np.float32))
    return Head(Taught(rows, alone=True, none=True), temperature, offset, _softmax(held / temperature), 0.0)


def head_beside(examples: Examples, others: Others, learned: Learned) -> Head:
    """Rows beside those of the base, all of them as likely as is good for both, but never so that they take too many of
    its right answers."""
    lost, offset = _offset(examples, others, learned)
    same = examples.same
    has_same = np.flatnonzero(same >= 0)
    rows = AddedRows(
        examples.labels, learned.rows.weight.astype(np.float32), (learned.rows.bias + offset).astype(np.float32)
    )
    held = learned.held + offset
    every = np.concatenate([held, examples.log_sums[:, None]], axis=1)
    p = _softmax(every)
    p[:, -1] *= np.exp(examples.best)  # of the base's labels only the best one can be taken for the answer
    p[has_same, same[has_same]] += p[has_same, -1]  # the row of a label counts with what the base says of it
    p[has_same, -1] = 0.0
    return Head(Taught(rows, alone=False, joined=examples.joined), 1.0, offset, p, lost)


def _offset(examples: Examples, others: Others, learned: Learned) -> tuple[float, float]:
    """The share of the base's right answers that is lost, and the offset at which least is lost and most is right."""
    right = others.right > 0
    own = others.log_sums + np.log(np.where(right, others.right, 1.0))
    most = learned.held_others.max(1, initial=-np.inf)
    of, measured = examples.of, examples.measured
    base, places = examples.log_sums + examples.best, np.arange(len(of))
    ours = learned.held[places, of]
    rest = learned.held.copy()
    rest[places, of] = -np.inf
    rival, agrees = rest.max(1, initial=-np.inf), examples.same == of

    def tried(offset: float) -> tuple[float, float]:
        lost = float((right & (most + offset >= own)).mean()) if len(others) else 0.0
        with_base = np.where(agrees, np.logaddexp(ours + offset, base), ours + offset)
        best = with_base > np.maximum(rival + offset, np.where(agrees, -np.inf, base))
        won = float(best[measured].mean()) if measured.any() else 0.0
        return lost, won - lost

    found = {offset: tried(offset) for offset in OFFSETS}
    allowed = [offset for offset in OFFSETS if found[offset][0] <= LOST] or [OFFSETS[-1]]
    if not measured.any():
        allowed = [offset for offset in allowed if offset <= 0]
        return found[allowed[0]][0], allowed[0]
    best = max(allowed, key=lambda offset: (found[offset][1], -abs(offset)))
    return found[best][0], best


def _with_none(rows: Floats, count: int) -> Floats:
    """What stands for none of the labels, behind what stands for each: (K or K + 1, …) -> (K + 1, …).

    It is nearer to the mean of the labels than what was learned: strange things differ from those of the bank, but no
    label stands out for them from the mean of all. Where there was no bank, it is the mean.
    """
    mean = rows[:count].mean(0, keepdims=True)
    none = mean + OF_BANK * (rows[count:] - mean) if len(rows) > count else mean
    return np.concatenate([rows[:count], none])


def _temperature(logits: Floats, of: NDArray[np.intp]) -> float:
    """At which the right labels are most likely; 1 for too few photos."""
    if len(of) < _FEWEST:
        return 1.0
    found: float = min(TEMPERATURES, key=lambda each: surprise(logits / each, of))
    return found


def _softmax(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(raised / raised.sum(1, keepdims=True))
