"""The scene as it is without anything new in it, and what of a frame differs from it.

The scene is a mean of each cell that forgets slowly. The gain between scene and frame in the neighbourhood is removed:
a cloud, the camera's exposure. What is left of a cell's difference is compared with the usual difference of that cell,
which is large in rain and in waving leaves. Cells that are claimed by something that is followed keep the scene of
before it came.
"""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.look.grid import Cells, Mask, Span

_LEAST = 8.0  # levels that a cell must differ
_MOST = 32.0  # levels that are always enough, however much a cell flickers
_NOISE_TIMES = 3.5  # of the mean largest difference of three colours: about five standard deviations
_NOISE_S = 10.0
_SCENE_S = 2.0
_UNCLAIMED_S = 6.0  # what differs and is not followed becomes a part of the scene
_FLOOD_S = 0.7
_FAST_S = 0.4
_LEARN_S = 1.0  # nothing differs before so much was seen
_NEAR = 9  # cells a side, in which a gain is estimated: the border of a shadow is not sharp
_WIDE = 4  # times that, where something new fills it
_ENOUGH = 0.3  # of it must be without anything new
_BLACK = (8.0, 8.0, 8.0, 0.0)  # levels that are added before two are divided, since dark px are mostly noise
_MOST_GAIN = 2.5
_UNSURE_LIGHT = 0.5  # so much of what a change of light does to a cell may be more or less than in its neighbourhood
_LIT, _LIT_SHARE = 4.0, 0.05  # levels that light does to a cell, and the part of all cells
_DISTRUST = 0.02  # weight of a cell in its neighbourhood's gain while something new is there
_TOGETHER = 4  # of 3×3 cells that must differ: what flickers alone is noise


class Scene:
    """Of pictures of one size. For one thread.

    cells  of the first picture
    """

    def __init__(self, cells: Cells) -> None:
        self._mean = cells.copy()
        self._fast = cells.copy()
        self._noise = np.zeros(cells.shape[:2], np.float32)
        self._trust = np.ones(cells.shape[:2], np.float32)
        self._known_s = 0.0
        self.differs: Mask = np.zeros(cells.shape[:2], np.uint8)
        """Where the last picture shows something that the scene does not have."""
        self.moves: Mask = np.zeros(cells.shape[:2], np.uint8)
        """Where it differs from the last half second."""
        self.light_changes = False
        """Whether a part of the last picture is in another light than the scene."""
        self.share = 0.0
        """The part of the picture that differs, 0 to 1."""

    @property
    def is_known(self) -> bool:
        """Whether enough was seen to say what is new."""
        return self._known_s >= _LEARN_S

    def take(self, cells: Cells, claimed: Mask, elapsed_s: float, flooded: bool) -> None:
        """Compare a picture with the scene, and learn from it.

        cells      of the same shape as the first
        claimed    where something is followed: the scene there stays as it is, in the light of now
        elapsed_s  since the picture before
        flooded    more differs than a thing can fill, so the scene is what has changed
        """
        self._trust[claimed > 0] = _DISTRUST
        expected = self._mean * self._gain(cells)
        difference = _largest(cv2.absdiff(cells, expected))
        limit = np.clip(_NOISE_TIMES * self._noise, _LEAST, _MOST)
        by_light = _largest(cv2.absdiff(expected, self._mean))
        self.light_changes = bool(np.count_nonzero(by_light > _LIT) > _LIT_SHARE * by_light.size)
        differs = (difference > np.maximum(limit, _UNSURE_LIGHT * by_light)).astype(np.uint8)
        self.moves = (_largest(cv2.absdiff(cells, self._fast)) > limit).astype(np.uint8)
        together = cv2.boxFilter(differs, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
        self.differs = differs & (together >= _TOGETHER).astype(np.uint8) if self.is_known else np.zeros_like(differs)
        self.share = float(np.count_nonzero(self.differs)) / self.differs.size
        self._learn(cells, expected, difference, claimed, elapsed_s, flooded)

    def absorb(self, cells: Cells, span: Span) -> None:
        """A part of a picture is the scene from now on."""
        self._mean[span.cells] = cells[span.cells]

    def _gain(self, cells: Cells) -> Cells:
        """(rows, columns, 3): how much brighter the neighbourhood of each cell is than the scene's.

        Of a wide neighbourhood where something new fills the near one.
        """
        weight = cv2.merge([self._trust] * 3)
        now, before = (cv2.multiply(cv2.add(each, _BLACK), weight) for each in (cells, self._mean))
        near = cv2.divide(_blurred(now, _NEAR), _blurred(before, _NEAR))
        few = (
            cv2.resize(each, None, fx=1 / _WIDE, fy=1 / _WIDE, interpolation=cv2.INTER_AREA) for each in (now, before)
        )
        few_now, few_before = (_blurred(each, _NEAR) for each in few)
        wide = cv2.divide(few_now, few_before)
        wide = cv2.resize(wide, near.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        known = (_blurred(weight, _NEAR) / _ENOUGH).clip(0, 1)
        return np.asarray((wide + known * (near - wide)).clip(1 / _MOST_GAIN, _MOST_GAIN), dtype=np.float32)

    def _learn(
        self,
        cells: Cells,
        expected: Cells,
        difference: NDArray[np.float32],
        claimed: Mask,
        elapsed_s: float,
        flooded: bool,
    ) -> None:
        self._fast += np.float32(1 - math.exp(-elapsed_s / _FAST_S)) * (cells - self._fast)
        self._known_s = min(self._known_s + elapsed_s, _NOISE_S)
        share = min(1.0, elapsed_s / self._known_s) if self._known_s else 0.0
        # a sudden change is not noise: it counts for little more than what is usual
        self._noise += np.float32(share) * (np.minimum(difference, 3 * self._noise + 1) - self._noise)
        if flooded or not self.is_known:
            self._mean += np.float32(1 - math.exp(-elapsed_s / _FLOOD_S)) * (cells - self._mean)
        else:
            slow, slower = (np.float32(1 - math.exp(-elapsed_s / each)) for each in (_SCENE_S, _UNCLAIMED_S))
            rate = np.where(self.differs > 0, slower, slow)[:, :, None]
            target = np.where(claimed[:, :, None] > 0, expected, cells)
            self._mean += rate * (target - self._mean)
        self._trust = np.where(self.differs > 0, np.float32(_DISTRUST), np.float32(1))


def _blurred(values: cv2.typing.MatLike, side: int) -> Cells:
    return np.asarray(cv2.boxFilter(values, -1, (side, side), borderType=cv2.BORDER_REFLECT), dtype=np.float32)


def _largest(difference: cv2.typing.MatLike) -> NDArray[np.float32]:
    """(rows, columns): of the three colours of each cell."""
    red, green, blue = cv2.split(difference)
    return np.asarray(cv2.max(cv2.max(red, green), blue), dtype=np.float32)
