"""All figures of the page. Choices are made on photos that choose; the figures are of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vitcam.frames import Prediction
from vitcam.model.classifier import Classifier
from vitcam.teach.interval import wilson
from vitcam_training.data.dataset import data_root, missing_data
from vitcam_training.evaluation.calibration import scaled
from vitcam_training.evaluation.clips import SOURCE
from vitcam_training.evaluation.intervals import Interval
from vitcam_training.study.input_sizes.film import (
    Shift,
    compared,
    fit_still,
    gated,
    headlines,
    kept,
    shown_of,
    still,
)
from vitcam_training.study.input_sizes.looks import (
    InputSize,
    LookAnswers,
    Truth,
    ask_clip,
    ask_photos,
    make_file,
    together,
    truth_of,
    truth_together,
)
from vitcam_training.study.input_sizes.rule import (
    LEVELS,
    Floats,
    Pairs,
    QuickRule,
    RuleOutcome,
    best_rule,
    oracle,
    outcome,
    pairs,
)
from vitcam_training.study.input_sizes.times import time_ratios

CHOOSE = (("everyday", "choose"), ("everyday", "base"))
ORDINARY = ("ordinary", "heldout")
HELD_OUT = (("everyday", "heldout"), ORDINARY, ("imagenet-things", "heldout"))
CLIPS = ("bottle-detection.mp4", "one-by-one-person-detection.mp4")
THREADS = (1, 2)


@dataclass(frozen=True)
class RuleAt:
    """The rule for a share of displayed answers that shall be the same."""

    level: float
    rule: QuickRule
    chosen: RuleOutcome
    """On the photos that it was fitted to."""
    measured: RuleOutcome
    """On the others."""


@dataclass(frozen=True)
class ClipFigures:
    """What a size does on one clip, by the headlines of its frames."""

    clip: str
    rule: RuleOutcome
    """By the rule for photos."""
    shift: Shift
    """Fitted to the other clip."""
    still: RuleOutcome
    """Where a full look is kept while the quick one moves by no more than that."""


@dataclass(frozen=True)
class SizeFigures:
    """Of one size."""

    px: int
    temperature: float
    ms: tuple[float, ...]
    """Processor time of an inference for each of `THREADS`."""
    ratios: tuple[Interval, ...]
    """The same over that of the full look."""
    right: Interval
    """Top-1 of the ordinary photos."""
    named: Interval
    """Share of them with a displayed name."""
    same: Interval
    """Share of the displayed answers of held-out photos that are those of the full look, by this size alone."""
    oracle: RuleOutcome | None = None
    """None for the full look itself, as what follows is empty there."""
    rules: tuple[RuleAt, ...] = ()
    clips: tuple[ClipFigures, ...] = ()


@dataclass(frozen=True)
class FullAlone:
    """Full looks at fewer frames of a clip, each of which counts until the next one."""

    clip: str
    half: RuleOutcome
    """At every second frame."""
    gate: RuleOutcome
    """At those that pass the daemon's motion gate, with its default options."""


@dataclass(frozen=True)
class InputSizeResult:
    """All that the page says."""

    model: str
    photos_chosen: int
    photos_measured: int
    photos_ordinary: int
    full: SizeFigures
    quick: tuple[SizeFigures, ...]
    beside: tuple[FullAlone, ...]
    """What fewer full looks and nothing else do, for each clip."""


def measure(model: Path, sizes: Sequence[int], folder: Path) -> InputSizeResult:
    """Make the files, ask them, time them.

    sizes   of quick looks, in px
    folder  keeps files and answers; what is there is not made again
    raises  UsageError if weights, photos or clips are missing
    """
    clips = tuple(data_root() / "clips" / name for name in CLIPS)
    for clip in clips:
        if not clip.is_file():
            raise missing_data(clip, SOURCE)
    folder.mkdir(parents=True, exist_ok=True)
    classifier = Classifier(model, threads=1)
    work = _Work(model, folder, clips)
    full = _Full(make_file(model, classifier.input.height, folder), work)
    quick = [work.calibrated(make_file(model, px, folder)) for px in sizes]
    every = [full.size, *quick]
    timed = [time_ratios([size.path for size in every], threads) for threads in THREADS]
    each = [_times(timed, i) for i in range(len(every))]
    return InputSizeResult(
        classifier.card.name,
        len(full.chosen),
        len(full.measured),
        len(work.ordinary.labels),
        _alone(full.size, work, full, *each[0]),
        tuple(_figures(size, work, full, *times) for size, times in zip(quick, each[1:], strict=True)),
        tuple(_beside(clip, said, classifier) for clip, said in zip(clips, full.clips, strict=True)),
    )


class _Work:
    """What all sizes are asked."""

    def __init__(self, model: Path, folder: Path, clips: tuple[Path, ...]) -> None:
        self._folder, self.clips = folder, clips
        self.truth = truth_together(truth_of(model, *part) for part in CHOOSE)
        self.ordinary = truth_of(model, *ORDINARY)

    def chosen(self, size: InputSize) -> LookAnswers:
        return together(ask_photos(size, *part, self._folder) for part in CHOOSE)

    def measured(self, size: InputSize) -> LookAnswers:
        return together(ask_photos(size, *part, self._folder) for part in HELD_OUT)

    def of_ordinary(self, size: InputSize) -> LookAnswers:
        return ask_photos(size, *ORDINARY, self._folder)

    def of_clips(self, size: InputSize) -> list[LookAnswers]:
        return [ask_clip(size, clip, self._folder) for clip in self.clips]

    def calibrated(self, size: InputSize) -> InputSize:
        return size.calibrated(self.chosen(size), self.truth)


class _Full:
    """What the full look says of everything."""

    def __init__(self, size: InputSize, work: _Work) -> None:
        self.size = size
        self.chosen = size.predictions(work.chosen(size))
        self.measured = size.predictions(work.measured(size))
        self.clips = [size.predictions(asked) for asked in work.of_clips(size)]


def _times(timed: Sequence[Sequence[tuple[float, Interval]]], i: int) -> tuple[tuple[float, ...], tuple[Interval, ...]]:
    return tuple(each[i][0] for each in timed), tuple(each[i][1] for each in timed)


def _alone(
    size: InputSize, work: _Work, full: _Full, ms: tuple[float, ...], ratios: tuple[Interval, ...]
) -> SizeFigures:
    """What a size says without any other."""
    asked = work.of_ordinary(size)
    right = _top1(asked, work.ordinary)
    named = sum(one.shown.label is not None for one in size.predictions(asked))
    alone = _pairs(size, work.measured(size), full.measured)
    displayed = [(a, b) for a, b in zip(alone.quick, alone.full, strict=True) if a is not None or b is not None]
    return SizeFigures(
        size.px,
        size.temperature,
        ms,
        ratios,
        _share(right, len(asked.blank)),
        _share(named, len(asked.blank)),
        _share(sum(a == b for a, b in displayed), len(displayed)),
    )


def _figures(
    size: InputSize, work: _Work, full: _Full, ms: tuple[float, ...], ratios: tuple[Interval, ...]
) -> SizeFigures:
    alone = _alone(size, work, full, ms, ratios)
    chosen = _pairs(size, work.chosen(size), full.chosen)
    measured = _pairs(size, work.measured(size), full.measured)
    rules = []
    for level in LEVELS:
        rule = best_rule(chosen, level)
        rules.append(RuleAt(level, rule, outcome(chosen, rule), outcome(measured, rule)))
    clips = _clips(size, work, full, rules[-1].rule)
    return SizeFigures(
        alone.px, alone.temperature, ms, ratios, alone.right, alone.named, alone.same,
        oracle(measured), tuple(rules), clips,
    )  # fmt: skip


def _beside(clip: Path, full: Sequence[Prediction], classifier: Classifier) -> FullAlone:
    usual = headlines(full)
    half, passed = np.arange(len(full)) % 2 == 0, gated(clip, classifier)
    return FullAlone(clip.name, *(compared(kept(full, looked), usual, looked) for looked in (half, passed)))


def _clips(size: InputSize, work: _Work, full: _Full, rule: QuickRule) -> tuple[ClipFigures, ...]:
    every = work.of_clips(size)
    rows = [_rows(size, asked) for asked in every]
    shifts = [fit_still(one, said) for one, said in zip(rows, full.clips, strict=True)]
    found = []
    for i, (clip, asked, said) in enumerate(zip(work.clips, every, full.clips, strict=True)):
        usual, quick = headlines(said), size.predictions(asked)
        unsure = _pairs(size, asked, said).sure[rule.score] < rule.least
        others = min(shift for j, shift in enumerate(shifts) if j != i)
        moved = still(rows[i], others)
        found.append(
            ClipFigures(
                clip.name,
                compared(shown_of(quick, said, unsure), usual, unsure),
                others,
                compared(kept(said, moved), usual, moved),
            )
        )
    return tuple(found)


def _pairs(size: InputSize, asked: LookAnswers, full: Sequence[Prediction]) -> Pairs:
    return pairs(size.predictions(asked), _rows(size, asked), full)


def _rows(size: InputSize, asked: LookAnswers) -> Floats:
    return np.asarray(scaled(asked.probabilities, size.temperature))


def _top1(asked: LookAnswers, truth: Truth) -> int:
    return int(truth.right(frozenset({guess}) for guess in asked.probabilities.argmax(-1).tolist()).sum())


def _share(count: int, n: int) -> Interval:
    return Interval(count / n, *wilson(count, n))
