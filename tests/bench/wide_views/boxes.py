"""Where boxes lie in synthetic clips, without a model: how fast that is measured lets one choose how to follow."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.bench.wide_views.clips import Plan, Shot, shots_of
from tests.bench.wide_views.play import hand_box
from tests.bench.wide_views.things import Thing
from vitcam.frames import Frame
from vitcam.look.areas import NO_AREAS
from vitcam.look.follower import Follower
from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect

_SIDE = 224  # of the model's input, in px
_HELD = 0.8  # of the thing must a box hold
_LOOSE = 2.0  # times the box by hand is the largest good box
_BESIDE = 0.1  # a box that holds less of the thing is around something else


@dataclass(slots=True)
class Boxed:
    """What came of some clips."""

    good: list[float] = field(default_factory=list)
    """Of each clip: the part of the time in view with a box that holds the thing, and is not much too large."""
    parts: list[float] = field(default_factory=list)
    """Of each box that holds the thing: the part of it that the thing takes, over that of the box by hand."""
    others: list[float] = field(default_factory=list)
    """Of each clip: boxes around something else, a frame."""
    ms: list[float] = field(default_factory=list)
    """Processor time of each frame."""

    def __str__(self) -> str:
        good, others = float(np.mean(self.good)), float(np.mean(self.others))
        return (
            f"{len(self.good)} clips: {100 * good:.1f} % of the time in view in a good box; the thing takes "
            f"{float(np.median(self.parts)):.2f} of what it takes in one by hand; {others:.2f} other boxes a frame; "
            f"{float(np.median(self.ms)):.2f} ms"
        )


def boxed(plans: Sequence[Plan], things: Sequence[Thing]) -> Boxed:
    """Follow what moves in all clips. Nothing is looked at, so nothing is named and nothing is worn."""
    found = Boxed()
    for plan in plans:
        _follow(plan, things[plan.number % len(things)], found)
    return found


def _follow(plan: Plan, thing: Thing, found: Boxed) -> None:
    follower = Follower("motion", InputSpec(_SIDE, _SIDE))
    whole = Rect(0, 0, plan.width, plan.height)
    good, others = [], []
    for seq, shot in enumerate(shots_of(plan, thing)):
        began = time.thread_time_ns()
        follower.take(Frame(shot.picture, None, whole, seq, round((1 + shot.t) * 1e9), "clip"), NO_AREAS)
        found.ms.append((time.thread_time_ns() - began) / 1e6)
        boxes = [each.rect for each in follower.followed]
        held = [_held(shot, box) for box in boxes]
        others.append(sum(part < _BESIDE for part in held))
        if shot.in_view and shot.box is not None:
            hand = hand_box(shot.box, plan.height, plan.width, _SIDE)
            likes = [hand.area / box.area for box, part in zip(boxes, held, strict=True) if part >= _HELD]
            found.parts.extend(likes)
            good.append(any(like >= 1 / _LOOSE for like in likes))
    found.good.append(float(np.mean(good)))
    found.others.append(float(np.mean(others)))


def _held(shot: Shot, box: Rect) -> float:
    """The part of the thing, as far as it is in view, that a box holds."""
    if shot.box is None:
        return 0.0
    height, width = shot.picture.shape[:2]
    thing = shot.box.rect((width, height))
    return thing.common_area(box) / thing.area
