"""The scene of a fixed camera, and what of a picture is new in it.

OpenCV's MOG2 (Zivkovic 2004, "Improved adaptive Gaussian mixture model for background subtraction") learns the colours
that each px of a small picture may have, so that what waves becomes a part of the scene, and it knows shadows. What it
lacks stands here: light that becomes stronger, and parts that it must not learn while something is followed there.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.rects import Rect

Mask = NDArray[np.uint8]  # (rows, columns): 1 where it holds, else 0

LONGER_SIDE = 256
"""Of the small picture, in px."""
_LEAST_SIDE = 4
_NOISE = 12.0  # squared deviations from the colours of a px
_LEAST_NOISE, _FIRST_NOISE = 5.0, 10.0  # squared levels of the three colours
_SHADOW = 0.7  # what is darker than this part of the scene is no shadow
_SCENE_S = 20.0
_RARE = 0.05  # what is there for this part of that time is a part of the scene
_AT_FIRST_S = 0.7
_LEARN_S = 0.45  # nothing is new before so much was seen
_STEP_S = 0.2  # from one lesson to the next
_MOST_AT_ONCE = 0.04  # of one lesson once the scene is known: less than makes a colour a part of the scene
_MOVED_S = 0.4
_BLOCKS = 32  # along the longer side, for the light
_WIDE = 9  # blocks a side, in which most show nothing new
_STOPS = 64  # levels of light for each doubling
_DARK = 8.0  # levels that are added before two are divided, since dark px are mostly noise
_SAME_LIGHT = 2  # levels
_JOINED = 7  # px: a thing is seldom seen whole
_LEAST_PX = 20
_MOST_BLOBS = 16  # the largest ones
_GREY, _COLOURED = 2.0, 5.0  # mean difference of a block's colours, in levels: infrared has none
_SOFT = 7  # of a quarter of the picture's px: what is soft over them is light
_SHARP = 14.0  # steps of light
_CORE, _KERNEL, _NEAR = (np.ones((side, side), np.uint8) for side in (3, _JOINED, 9))


@dataclass(frozen=True, slots=True)
class Blob:
    """What is new and belongs together."""

    rect: Rect
    """In px of the small picture."""
    px: int
    """How many of them are new."""


class Scene:
    """Of pictures of one size. For one thread.

    picture  the first one, (H, W, 3) uint8, RGB
    """

    def __init__(self, picture: Image) -> None:
        height, width = picture.shape[:2]
        self.width, self.height = (_side(each, max(height, width), LONGER_SIDE) for each in (width, height))
        self._blocks = tuple(_side(each, max(height, width), _BLOCKS) for each in (width, height))
        self._few = max(1, self.width // 4), max(1, self.height // 4)
        self._colours = cv2.createBackgroundSubtractorMOG2(varThreshold=_NOISE)
        self._colours.setShadowValue(0)
        self._colours.setShadowThreshold(_SHADOW)
        self._colours.setBackgroundRatio(1 - _RARE)
        self._colours.setVarMin(_LEAST_NOISE)
        self._colours.setVarInit(_FIRST_NOISE)
        self._light = self._light_of(self._small(picture))
        self._known_s = self._unlearned_s = 0.0
        self.new: Mask = np.zeros((self.height, self.width), np.uint8)
        """Where the last picture shows something that the scene does not have."""
        self._then, self._then_s = self.new, 0.0
        """What was new a moment ago, and when."""
        self.moves: Mask = np.zeros_like(self.new)
        """Where that was otherwise a moment ago."""
        self.is_grey: bool | None = None
        """Whether the last picture has no colours; None: that cannot be said."""

    @property
    def is_known(self) -> bool:
        """Whether enough was seen to say what is new."""
        return self._known_s >= _LEARN_S

    @property
    def share(self) -> float:
        """The part of the last picture that is new, 0 to 1."""
        return cv2.countNonZero(self.new) / self.new.size

    def take(self, picture: Image, claimed: Iterable[Rect], elapsed_s: float, learn: bool) -> None:
        """Compare a picture with the scene, and learn from it.

        picture    (H, W, 3) uint8, RGB, of the same size as the first one
        claimed    where something is followed, in px of the small picture: the scene there stays as it is
        elapsed_s  since the picture before
        learn      False: the scene stays as it is
        """
        claimed, small = tuple(claimed), self._small(picture)
        light = self._light_of(small)
        self.is_grey = _greyness(cv2.resize(small, self._blocks, interpolation=cv2.INTER_AREA))
        gain = self._gain(light)
        self._learn_light(light, elapsed_s)
        small = self._in_old_light(small, gain)
        self._unlearned_s += elapsed_s
        rate = self._rate() if learn else 0.0
        new = self._colours.apply(small, learningRate=0.0 if claimed else rate)
        if claimed and rate:
            still, lesson = self._colours.getBackgroundImage(), small.copy()
            for rect in claimed:
                lesson[rect.px] = still[rect.px]
            self._colours.apply(lesson, learningRate=rate)
        self._known_s += elapsed_s
        if (gain != 1).any():
            new &= self._unlike_light(small)
        self.new = np.asarray(cv2.morphologyEx(new, cv2.MORPH_OPEN, _CORE) & self.is_known, np.uint8)
        self._note_moves(elapsed_s)

    def blobs(self) -> list[Blob]:
        """What is new in the last picture, the largest first."""
        if not self.new.any():
            return []
        count, labels, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(self.new, _KERNEL))
        own = np.bincount(labels[self.new > 0], minlength=count)
        found = [Blob(self._shrunk(stats[n]), int(own[n])) for n in range(1, count) if own[n] >= _LEAST_PX]
        return sorted(found, key=lambda blob: -blob.px)[:_MOST_BLOBS]

    def _rate(self) -> float:
        """How much of the scene the picture becomes; 0: it is not time for a lesson."""
        if not self.is_known:
            rate = max(1 - math.exp(-self._unlearned_s / _AT_FIRST_S), _MOST_AT_ONCE)
        elif self._unlearned_s < _STEP_S:
            return 0.0
        else:
            rate = min(1 - math.exp(-self._unlearned_s / _SCENE_S), _MOST_AT_ONCE)
        self._unlearned_s = 0.0
        return rate

    def _small(self, picture: Image) -> Image:
        twice = cv2.resize(picture, (2 * self.width, 2 * self.height), interpolation=cv2.INTER_LINEAR)
        return np.asarray(cv2.resize(twice, (self.width, self.height), interpolation=cv2.INTER_AREA), np.uint8)

    def _light_of(self, small: Image) -> NDArray[np.float32]:
        """Of each block."""
        grey = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)
        return np.asarray(cv2.resize(grey, self._blocks, interpolation=cv2.INTER_AREA), np.float32)

    def _gain(self, light: NDArray[np.float32]) -> NDArray[np.float32]:
        """How much brighter the wide neighbourhood of each block is than in the scene."""
        stops = _STOPS * np.log2((light + _DARK) / (self._light + _DARK))
        middle = cv2.medianBlur((128 + stops).clip(0, 255).astype(np.uint8), _WIDE).astype(np.float32) - 128
        return np.exp2(middle / _STOPS) if np.abs(middle).max() > _SAME_LIGHT else np.ones_like(light)

    def _in_old_light(self, small: Image, gain: NDArray[np.float32]) -> Image:
        if (gain == 1).all():
            return small
        divided = cv2.resize(1 / gain, (self.width, self.height), interpolation=cv2.INTER_LINEAR)
        return np.asarray(cv2.multiply(small, cv2.merge([divided] * 3), dtype=cv2.CV_8U), np.uint8)

    def _unlike_light(self, small: Image) -> Mask:
        """Near edges that the scene does not have: the border of light that comes or goes is not sharp."""
        now, before = (cv2.cvtColor(each, cv2.COLOR_RGB2GRAY) for each in (small, self._colours.getBackgroundImage()))
        ratio = np.log2((now + np.float32(_DARK)) / (before + np.float32(_DARK)))
        few = cv2.resize((128 + _STOPS * ratio).clip(0, 255).astype(np.uint8), self._few, interpolation=cv2.INTER_AREA)
        soft = cv2.resize(cv2.medianBlur(few, _SOFT), (self.width, self.height), interpolation=cv2.INTER_LINEAR)
        sharp = np.abs(_STOPS * ratio + 128 - soft) > _SHARP
        return np.asarray(255 * cv2.dilate(sharp.astype(np.uint8), _NEAR), np.uint8)

    def _learn_light(self, light: NDArray[np.float32], elapsed_s: float) -> None:
        lasts_s = _SCENE_S if self.is_known else _AT_FIRST_S
        self._light += np.float32(1 - math.exp(-elapsed_s / lasts_s)) * (light - self._light)

    def _note_moves(self, elapsed_s: float) -> None:
        self.moves = np.asarray(cv2.morphologyEx(cv2.absdiff(self.new, self._then), cv2.MORPH_OPEN, _CORE), np.uint8)
        self._then_s += elapsed_s
        if self._then_s >= _MOVED_S:
            self._then, self._then_s = self.new, 0.0

    def _shrunk(self, stats: NDArray[np.int32]) -> Rect:
        """Without what dilating has added, which the border of the picture has cut off."""
        by = _JOINED // 2
        left, top, wide, high = (int(each) for each in stats[:4])
        right = left + wide - (by if left + wide < self.width else 0)
        bottom = top + high - (by if top + high < self.height else 0)
        return Rect.between(
            left + (by if left else 0), top + (by if top else 0), right, bottom, self.height, self.width
        )


def _side(px: int, longer: int, most: int) -> int:
    return max(_LEAST_SIDE, round(px * most / longer))


def _greyness(blocks: cv2.typing.MatLike) -> bool | None:
    """Whether a picture has no colours; None: that cannot be said."""
    colour = float(np.mean(blocks.max(axis=2) - blocks.min(axis=2)))
    return True if colour < _GREY else False if colour > _COLOURED else None
