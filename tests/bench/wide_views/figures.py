"""Plays clips with following off, on, and with boxes by hand, and compares what is displayed."""

from __future__ import annotations

import gc
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import numpy as np

from tests.bench.wide_views.clips import Plan, Shot, shots_of
from tests.bench.wide_views.play import Mode, Picture, Played, hand_box, play
from tests.bench.wide_views.things import Shape, Thing, things_of
from vitcam.frames import LIKELY, Prediction
from vitcam.model.classifier import Classifier
from vitcam.pictures.opencv import use_one_thread
from vitcam.rects import Box, Rect
from vitcam_training.evaluation.clips import RIGHT, WRONG, Names
from vitcam_training.evaluation.intervals import bootstrap_figure, bootstrap_means

MODES: tuple[Mode, ...] = ("off", "on", "hand")
GOAL = 0.8
"""Of what a box by hand gains, following must gain at least this share."""
_SINCE = 1.0  # %; for smaller things there is no goal
_LOOKS_S = 0.2  # from one look of the model to the next


_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One clip in one mode: how many frames with the thing in view show what."""

    mode: Mode
    frames: int
    right: int
    wrong: int
    followed: int
    """Frames that show what was seen in a box."""
    looks: int
    """Of the model, in the whole clip."""
    looks_in_view: int
    looks_right: int
    looks_sure_and_wrong: int
    """Something else at a probability of 0.5 or more."""
    events_right: int
    events_wrong: int
    box_looks_right: int
    """Of the looks at a box in which a part of the thing is."""
    parts: tuple[float, ...]
    """Of each of these boxes, the part that the thing's box takes."""

    @property
    def share(self) -> float:
        """Of the time in view in which what is displayed is right."""
        return self.right / self.frames


@dataclass(frozen=True, slots=True)
class Clip:
    """What came of one clip."""

    plan: Plan
    label: str
    photo: str
    outcomes: tuple[Outcome, ...]

    def share(self, mode: Mode) -> float:
        """As `Outcome.share`."""
        return next(each.share for each in self.outcomes if each.mode == mode)


def measured(plans: Sequence[Plan], modes: Sequence[Mode], model: str, workers: int) -> Iterator[Clip]:
    """Play all clips, in processes of their own, which give the memory of each picture back."""
    os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", "1048576")
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, context) as pool:
        yield from pool.map(partial(_measure, modes=tuple(modes), model=model), plans)


def read_clips(path: Path) -> list[Clip]:
    """What `--kept` wrote."""
    records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [
        Clip(
            Plan(**record["plan"]),
            record["label"],
            record["photo"],
            tuple(Outcome(**each | {"parts": tuple(each["parts"])}) for each in record["outcomes"]),
        )
        for record in records
    ]


def _measure(plan: Plan, modes: tuple[Mode, ...], model: str) -> Clip:
    use_one_thread()
    things, names, least_px = _known(plan.kind, model, plan.shape)
    thing = things[plan.number % len(things)]
    shots = list(shots_of(plan, thing))
    outcomes = []
    for mode in modes:
        pictures = (Picture(each.t, each.picture, _hand(each, least_px)) for each in shots)
        frames = max(1, round(_LOOKS_S * plan.fps))
        played = play(pictures, mode, plan.fps, model, look_frames=frames)
        outcomes.append(_outcome(mode, played, shots, thing.label, names))
        gc.collect()  # the daemon's parts know each other in circles, and a clip takes up to 1.5 GB
    return Clip(plan, thing.label, thing.photo, tuple(outcomes))


@cache
def _known(kind: str, model: str, shape: Shape) -> tuple[list[Thing], Names, int]:
    classifier = Classifier(model, threads=1)
    return things_of(kind, classifier, shape), Names(classifier), classifier.input.height


def _hand(shot: Shot, least_px: int) -> Rect | None:
    if shot.box is None or not shot.in_view:
        return None
    height, width = shot.picture.shape[:2]
    return hand_box(shot.box, height, width, least_px)


def _outcome(mode: Mode, played: Played, shots: Sequence[Shot], label: str, names: Names) -> Outcome:
    def judge(name: str | None) -> str:
        return names.judge(name, [label])

    displays = [display for display, shot in zip(played.displays, shots, strict=True) if shot.in_view]
    verdicts = Counter(judge(display.shown.label if display.shown else None) for display in displays)
    in_view = {n for n, shot in enumerate(shots) if shot.in_view}
    looks = [each for each in played.looks if each.seq in in_view]
    told = Counter(judge(each.shown.label) for each in looks)
    events = Counter(judge(event.shown.label) for event in played.events)
    boxes = [each for each in looks if each.track is not None and _part(each, shots[each.seq].box) > 0]
    return Outcome(
        mode=mode,
        frames=len(displays),
        right=verdicts[RIGHT],
        wrong=verdicts[WRONG],
        followed=sum(display.followed for display in displays),
        looks=len(played.looks),
        looks_in_view=len(looks),
        looks_right=told[RIGHT],
        looks_sure_and_wrong=sum(each.top[0].p >= LIKELY and judge(each.shown.label) == WRONG for each in looks),
        events_right=events[RIGHT],
        events_wrong=events[WRONG],
        box_looks_right=sum(judge(each.shown.label) == RIGHT for each in boxes),
        parts=tuple(round(_part(each, shots[each.seq].box), 3) for each in boxes),
    )


def _part(look: Prediction, thing: Box | None) -> float:
    """Of what a look has seen, the part that the thing's box takes, as far as it is in view."""
    return 0.0 if thing is None else thing.rect(look.size).common_area(look.crop) / look.crop.area


def table(clips: Sequence[Clip], modes: Sequence[Mode]) -> str:
    """By size, weather, resolution and move: each mode's share with its 95 % interval, and what following gains."""
    groups: dict[str, Callable[[Plan], object]] = {
        "size, % of the view": lambda plan: f"{plan.size}, {plan.shape}",
        "speed, widths/s": lambda plan: plan.speed,
        "pictures/s": lambda plan: plan.fps,
        "weather": lambda plan: plan.weather,
        "view": lambda plan: f"{plan.width}×{plan.height}",
        "the thing": lambda plan: plan.move,
        "all": lambda plan: "",
    }
    compared = {"off", "on", "hand"} <= set(modes)
    heads = ["", "clips", *modes, *(["(on − off) / (hand − off)"] if compared else [])]
    rows = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, key in groups.items():
        for value, own in sorted(_grouped(clips, key).items(), key=lambda each: str(each[0])):
            cells = [f"{name} {value}".strip(), str(len(own)), *_shares(own, modes), *([gain(own)] if compared else [])]
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _grouped(clips: Iterable[Clip], key: Callable[[Plan], _Key]) -> Mapping[_Key, list[Clip]]:
    found: dict[_Key, list[Clip]] = {}
    for clip in clips:
        found.setdefault(key(clip.plan), []).append(clip)
    return found


def _shares(clips: Sequence[Clip], modes: Sequence[Mode]) -> list[str]:
    values = np.array([[clip.share(mode) for mode in modes] for clip in clips])
    found = bootstrap_means(values, seed=0, draws=2000)
    return [f"{100 * each.value:.1f} % ({100 * each.low:.0f} to {100 * each.high:.0f})" for each in found]


def ratio(clips: Sequence[Clip]) -> float:
    """(on − off) / (hand − off); 0 where a box by hand gains nothing."""
    off, on, hand = _means(clips)
    return (on - off) / (hand - off) if hand > off else 0.0


def _means(clips: Sequence[Clip]) -> tuple[float, float, float]:
    off, on, hand = (float(np.mean([clip.share(mode) for clip in clips])) for mode in MODES)
    return off, on, hand


def gain(clips: Sequence[Clip]) -> str:
    """The ratio, with the 95 % interval of the bootstrap over clips."""

    def figure(places: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
        return ratio([clips[int(i)] for i in places])

    found = bootstrap_figure(figure, len(clips), -1.0, 2.0)
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


def missed(clips: Sequence[Clip]) -> list[tuple[float, Shape]]:
    """The sizes from 1 % on, by shape, at which following gains too little of what a box by hand gains."""
    found = []
    for (size, shape), own in sorted(_grouped(clips, lambda plan: (plan.size, plan.shape)).items()):
        off, on, hand = _means(own)
        if size >= _SINCE and on - off < GOAL * (hand - off):
            found.append((size, shape))
    return found


def looks(clips: Sequence[Clip], modes: Sequence[Mode]) -> str:
    """Of the looks while the thing was in view: how many named it, and how many something else at 0.5 or more."""
    lines = []
    for mode in modes:
        own = [each for clip in clips for each in clip.outcomes if each.mode == mode]
        count, right, wrong = (
            sum(getattr(each, name) for each in own)
            for name in ("looks_in_view", "looks_right", "looks_sure_and_wrong")
        )
        events = sum(each.events_right for each in own), sum(each.events_wrong for each in own)
        lines.append(
            f"{mode}: {count} looks while it was in view, {right} named it, {wrong} named something else at p ≥ 0.5; "
            f"{sum(each.looks for each in own)} looks in all; {events[0]} events right, {events[1]} wrong"
        )
        if parts := [part for each in own for part in each.parts]:
            named = sum(each.box_looks_right for each in own)
            lines.append(
                f"{mode}: {len(parts)} looks at a box with the thing, {100 * named / len(parts):.1f} % named it; "
                f"it is {np.median(parts):.2f} of the box in the middle"
            )
    return "\n".join(lines)
