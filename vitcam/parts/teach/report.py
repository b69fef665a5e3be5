"""What is said of a model that was taught: how well it knows its labels, what it mixes up, and what would help."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Unreadable
from vitcam.interval import wilson
from vitcam.parts.teach.examples import Examples, Others
from vitcam.parts.teach.head import Head
from vitcam.parts.teach.inbox.target import ENOUGH
from vitcam.parts.teach.logistic import Floats
from vitcam.sentence import Sentence

MOST_NAMED = 5
MOST_SUSPECTS = 50
_GROWS = 0.02
"""An accuracy that rose by more than this when the photos doubled will still rise."""
_GOOD, _WEAK = 0.92, 0.8  # one in twenty is taken for none of the labels on purpose
_FEWEST_COPIES = 5
_AS_SURE = 0.8
"""A copy is as sure as its photo from this share of its probability on."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of n pictures that the answering rows were not learned from, with a 95 % interval."""

    count: int
    n: int

    @property
    def value(self) -> float:
        return self.count / self.n

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.count, self.n)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Of both on the same pictures."""

    model: str
    """The name of the one in use."""
    before: Share
    """What that is right about."""
    after: Share
    """What rows are right about that were learned without the recording of the picture."""


@dataclass(frozen=True, slots=True)
class Confused:
    """Photos of one label that were taken for another."""

    label: str
    taken_for: str
    count: int
    names: tuple[str, ...]
    """Of a few of the photos, the surest mistakes first."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A photo that may be named wrong."""

    name: str
    label: str
    looks_like: str
    p: float
    """The probability of `looks_like`, by rows that were learned without this photo."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a teaching found."""

    name: str
    labels: tuple[tuple[str, int], ...]
    """Each with how many photos it was taught with."""
    accuracy: Share | None
    """Cross-validated; None where nothing could be held out, one photo of each label."""
    held_out: Share | None
    """On photos of folders such as `val`, with the finished model; None where there are none."""
    confused: tuple[Confused, ...]
    suspects: tuple[Suspect, ...]
    """The most suspicious first."""
    half: Share | None
    """As `accuracy`, learned from half of the photos."""
    advice: tuple[str, ...]
    """Sentences."""
    unreadable: tuple[Unreadable, ...]
    lost: Share | None = None
    """Of the bank's photos about which the base is right, how many are taken for one of the labels; None where these
    stand alone."""
    stolen: Share | None = None
    """Of the pictures of the camera's history, how many are taken so; None where there are none."""
    background: tuple[str, ...] = ()
    """Labels that are recognised as surely where the thing is painted out."""
    compared: Comparison | None = None
    """None: nobody asked for it, or there was no picture to compare them on."""


def accuracy_of(examples: Examples, held: Floats) -> Share | None:
    """held: (n, K + 1) probabilities or logits by rows that were learned without the photo."""
    measured = examples.measured
    if not measured.any():
        return None
    right = held[measured].argmax(1) == examples.of[measured]
    return Share(int(right.sum()), int(measured.sum()))


def taken(others: Others, head: Head, source: int) -> Share | None:
    """Of the pictures of a source, how many are taken for one of the labels; None where there are none."""
    answers = head.held_others[others.source == source].argmax(1)
    return Share(int((answers < head.held_others.shape[1] - 1).sum()), len(answers)) if len(answers) else None


def explained_by_background(examples: Examples, others: Others, head: Head) -> tuple[str, ...]:
    """The labels of which the copies are as surely recognised as their photos."""
    copies = others.copies
    photos, found = others.source[copies], []
    for label, name in enumerate(examples.labels):
        own = (examples.of[photos] == label) & examples.measured[photos]
        sure, left = head.held[photos[own], label], head.held_others[copies[own], label]
        if own.sum() >= _FEWEST_COPIES and left.mean() >= _AS_SURE * sure.mean():
            found.append(name)
    return tuple(found)


def confused_in(examples: Examples, head: Head, other: str) -> tuple[Confused, ...]:
    """The pairs of labels that are mixed up, the most frequent first.

    other  what the last column of the probabilities is called
    """
    answers, sure = head.held.argmax(1), head.held.max(1)
    wrong = np.flatnonzero(examples.measured & (answers != examples.of))
    named = (*examples.labels, other)
    pairs = Counter((int(examples.of[i]), int(answers[i])) for i in wrong)
    found = []
    for (label, answer), count in sorted(pairs.items(), key=lambda each: (-each[1], each[0])):
        places = [i for i in wrong if examples.of[i] == label and answers[i] == answer]
        places.sort(key=lambda i: -sure[i])
        names = tuple(examples.names[i] for i in places[:MOST_NAMED])
        found.append(Confused(named[label], named[answer], count, names))
    return tuple(found)


def suspects_of(examples: Examples, held: Floats) -> tuple[Suspect, ...]:
    """Photos that look more like another label than like their own, the clearest first.

    held  (n, K or more) probabilities by rows that were learned without the photo
    """
    order = suspicion(examples, held)
    found: list[Suspect] = []
    for place, other, gap in order:
        if gap <= 0 or len(found) == MOST_SUSPECTS:
            break
        p = float(held[place, other])
        found.append(Suspect(examples.names[place], examples.labels[examples.of[place]], examples.labels[other], p))
    return tuple(found)


def suspicion(examples: Examples, held: Floats) -> list[tuple[int, int, float]]:
    """Place of each measured photo, the label that it looks like besides its own, and by how much more, descending.

    The measure is how much likelier the other label is than its own (log odds).

    held  (n, K or more) probabilities by rows that were learned without the photo
    """
    count = len(examples.labels)
    logs = np.log(np.maximum(held[:, :count], 1e-30))
    places = np.arange(len(examples))
    own = logs[places, examples.of]
    logs[places, examples.of] = -np.inf
    other = logs.argmax(1)
    gap = logs[places, other] - own
    order = sorted(np.flatnonzero(examples.measured).tolist(), key=lambda place: (-gap[place], place))
    return [(place, int(other[place]), float(gap[place])) for place in order]


def advice_for(
    examples: Examples, accuracy: Share | None, half: Share | None, held: Floats, single: tuple[str, ...]
) -> tuple[str, ...]:
    """What to do next, in sentences.

    held    (n, K + 1) as for `accuracy_of`
    single  labels whose photos are all of one recording
    """
    counts = Counter(examples.labels[label] for label in examples.of.tolist())
    if accuracy is None:
        return (
            Sentence(
                "Nothing could be checked: there is one picture of each label. Take ten or more of each.",
                "teach.advice.unchecked",
            ),
        )
    weak, few = _weak(examples, held), sorted(label for label, count in counts.items() if count < ENOUGH)
    said: list[str] = []
    if half is not None:
        part, whole = round(100 * half.value), round(100 * accuracy.value)
        if accuracy.value - half.value > _GROWS:
            said.append(
                Sentence(
                    f"More pictures will help: with half of them {half.value:.0%} were right, with all "
                    f"{accuracy.value:.0%}.",
                    "teach.advice.more",
                    half=part,
                    all=whole,
                )
            )
        elif accuracy.value < _GOOD:
            said.append(
                Sentence(
                    f"More pictures of the same kind would change little: with half of them {half.value:.0%} were "
                    f"right, with all {accuracy.value:.0%}. Take others: in another light, from another side, with "
                    "another background.",
                    "teach.advice.others",
                    half=part,
                    all=whole,
                )
            )
        elif not (weak or few or single):
            said.append(Sentence("It is good enough: more pictures would change little.", "teach.advice.enough"))
    if weak:
        seldom = f"{_listed(weak)} {'is' if len(weak) == 1 else 'are'} recognised least often: begin there."
        said.append(Sentence(seldom, "teach.advice.weak", labels=", ".join(weak)))
    if few:
        short = f"There are fewer than {ENOUGH} pictures of {_listed(few)}: take more."
        said.append(Sentence(short, "teach.advice.few", least=ENOUGH, labels=", ".join(few)))
    if single:
        said.append(
            Sentence(
                f"All pictures of {_listed(single)} are from one recording, so the figures are too good: record again "
                "at another time of day.",
                "teach.advice.single",
                labels=", ".join(single),
            )
        )
    return tuple(said)


def _weak(examples: Examples, held: Floats) -> list[str]:
    """Labels of which less than four in five photos are recognised, the worst first."""
    right: NDArray[np.bool_] = held.argmax(1) == examples.of
    shares = []
    for label, name in enumerate(examples.labels):
        own = (examples.of == label) & examples.measured
        if own.any() and (share := float(right[own].mean())) < _WEAK:
            shares.append((share, name))
    return [name for _, name in sorted(shares)]


def _listed(names: list[str] | tuple[str, ...]) -> str:
    shown = [repr(name) for name in names[:MOST_NAMED]]
    more = len(names) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more} more labels"
    return " and ".join(([", ".join(shown[:-1])] if shown[1:] else []) + shown[-1:])
