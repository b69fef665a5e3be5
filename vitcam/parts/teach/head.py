"""From learned rows to the head of a model: how sure it is (temperature), and what it takes for none of its labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitcam.model.spare_rows import AddedRows
from vitcam.model.taught import NONE, Taught
from vitcam.parts.teach.examples import RIGHT, Examples, Others
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
LOST = 0.005
"""Beside the labels of the base, this share of its right answers may be lost."""
COPIES = 0.3
"""What a taken copy weighs, beside a photo that is won; with `LOST` it was chosen on other teachings than are
reported (python -m vitcam_training.study.teaching.theft)."""
OFFSETS: tuple[float, ...] = tuple(np.arange(4.0, -8.5, -0.25).tolist())
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
    held_others: Floats
    """(m, K + 1) the same of the others."""


def head_alone(examples: Examples, learned: Learned) -> Head:
    """Rows that stand alone, the last one for none of them."""
    count, measured = len(examples.labels), examples.measured
    held, of_others = (_with_none(each.T, count).T for each in (learned.held, learned.held_others))
    offset = 0.0
    if measured.sum() >= _FEWEST:
        above = held[measured, :count].max(1) - held[measured, count]
        offset = float(np.quantile(above, REJECTED))
        held, of_others = (each + np.append(np.zeros(count), offset) for each in (held, of_others))
    temperature = _temperature(held[measured], examples.of[measured])
    weight, bias = _with_none(learned.rows.weight, count), _with_none(learned.rows.bias, count)
    bias[count] += offset
    weight, bias = (weight - weight.mean(0)) / temperature, (bias - bias.mean()) / temperature
    rows = AddedRows((*examples.labels, NONE), weight.astype(np.float32), bias.astype(np.float32))
    taught = Taught(rows, alone=True, has_none=True)
    return Head(taught, temperature, offset, _softmax(held / temperature), _softmax(of_others / temperature))


def head_beside(examples: Examples, others: Others, learned: Learned) -> Head:
    """Rows beside those of the base, all of them as likely as is good for both, but never so that they take too many of
    its right answers."""
    offset = _offset(examples, others, learned)
    same = examples.same
    has_same = np.flatnonzero(same >= 0)
    rows = AddedRows(
        examples.labels, learned.rows.weight.astype(np.float32), (learned.rows.bias + offset).astype(np.float32)
    )
    p = _beside(learned.held + offset, examples.log_sums, examples.best)
    p[has_same, same[has_same]] += p[has_same, -1]  # the row of a label counts with what the base says of it
    p[has_same, -1] = 0.0
    taught = Taught(rows, alone=False, joined=examples.joined)
    return Head(taught, 1.0, offset, p, _beside(learned.held_others + offset, others.log_sums, others.best))


def _beside(logits: Floats, log_sums: Floats, best: Floats) -> Floats:
    """Probabilities of the rows and of the base's best label, the only one of the base's that can be the answer."""
    p = _softmax(np.concatenate([logits, log_sums[:, None]], axis=1))
    p[:, -1] *= np.exp(best)
    return p


def _offset(examples: Examples, others: Others, learned: Learned) -> float:
    """The offset at which fewest right answers of the base and fewest copies are taken, and most photos are right."""
    own, most = others.log_sums + others.best, learned.held_others.max(1, initial=-np.inf)
    right, copies = others.source == RIGHT, others.copies
    of, measured = examples.of, examples.measured
    base, places = examples.log_sums + examples.best, np.arange(len(of))
    ours = learned.held[places, of]
    rest = learned.held.copy()
    rest[places, of] = -np.inf
    rival, agrees = rest.max(1, initial=-np.inf), examples.same == of

    def tried(offset: float) -> tuple[float, float]:
        taken = most + offset >= own
        lost, copied = (float(taken[some].mean()) if taken[some].size else 0.0 for some in (right, copies))
        with_base = np.where(agrees, np.logaddexp(ours + offset, base), ours + offset)
        best = with_base > np.maximum(rival + offset, np.where(agrees, -np.inf, base))
        won = float(best[measured].mean()) if measured.any() else 0.0
        return lost, won - lost - COPIES * copied

    found = {offset: tried(offset) for offset in OFFSETS}
    allowed = [offset for offset in OFFSETS if found[offset][0] <= LOST] or [OFFSETS[-1]]
    if not measured.any():
        return next((offset for offset in allowed if offset <= 0), OFFSETS[-1])
    return max(allowed, key=lambda offset: (found[offset][1], -abs(offset)))


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
