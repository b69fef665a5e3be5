"""Detects motion in what the model sees: a gate before the classifier, 0.1 ms per frame.

Each frame becomes 32×32 blocks. A gain and an offset of the whole picture (a cloud, the camera's exposure) are removed.
The difference of a block from its mean of the last second is then compared with the usual difference of that block.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Frame
from vitcam.rects import Rect

Blocks = NDArray[np.float32]  # (3, 32, 32): RGB, since an object as bright as its background may have another colour

_BLOCKS = 32
_SAMPLES = 96  # nine per block, each of four px: 0.03 ms, where a true mean of 720p takes 1.6 ms
_REFERENCE_S = 1.0  # long enough to see slow movements, short enough to forget a chair that was moved
_NOISE_S = 10.0
_NOISE_TIMES = 6.0  # of the mean deviation: about five standard deviations
_MOST_NOISE_TIMES = 4.0  # of the threshold; stronger flicker keeps the gate open, so that nothing is missed
_NEIGHBOURS = 3  # of 3×3 blocks; one flickering px is in one block only
_MOST_GAIN = 2.0
_FLAT = 1.0  # standard deviation, in levels of 255, below which no gain can be estimated


@dataclass(frozen=True, slots=True)
class GateOptions:
    """When frames are skipped, and how many."""

    threshold: float = 6.0
    """Least change of a block, in levels of 255."""
    hold_s: float = 3.0
    """Every frame passes until nothing has moved for this time, in s."""
    rest_fps: float = 1.0
    """Frames/s that pass even then."""


class MotionGate:
    """Called for every frame in order, by one thread: whether it is worth classifying."""

    def __init__(self, options: GateOptions) -> None:
        self._options = options
        self._detector = MotionDetector(options.threshold)
        self._moved_ns = self._passed_ns = 0

    def fresh(self) -> "MotionGate":
        """Another gate with the same options, which knows no picture yet."""
        return MotionGate(self._options)

    @property
    def moved_ns(self) -> int:
        """Capture time of the last frame in which something moved."""
        return self._moved_ns

    def __call__(self, frame: Frame) -> bool:
        """True from the frame that moved until `hold_s` after the last one; else `rest_fps` times a second."""
        moved_ns = frame.captured_ns if self._detector.moved(frame) else self._moved_ns
        return self.passes(frame.captured_ns, moved_ns)

    def passes(self, now: int, moved_ns: int) -> bool:
        """The same where another one detects what moves.

        now       capture time of the frame
        moved_ns  that of the last frame in which something moved
        """
        self._moved_ns = moved_ns
        awake = now - self._moved_ns < self._options.hold_s * 1e9 or self._moved_ns == now
        due = now - self._passed_ns >= 1e9 / self._options.rest_fps
        if awake or due:
            self._passed_ns = now
        return awake or due


class MotionDetector:
    """Keeps the mean of a scene, and how much each block of it flickers."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._crop: Rect | None = None
        self._reference: Blocks = np.zeros((3, _BLOCKS, _BLOCKS), np.float32)
        self._noise: Blocks = np.zeros_like(self._reference)
        self._known_s = 0.0
        self._seen_ns = 0

    def moved(self, frame: Frame) -> bool:
        """Whether this frame differs from the last second. The first frame does, and the first of a new crop."""
        blocks = blocks_of(frame)
        elapsed_s = max(0.0, (frame.captured_ns - self._seen_ns) / 1e9)
        self._seen_ns = frame.captured_ns
        if frame.crop != self._crop:
            self._crop, self._reference, self._noise, self._known_s = frame.crop, blocks, np.zeros_like(blocks), 0.0
            return True
        change = change_between(self._reference, blocks)
        limit = np.clip(_NOISE_TIMES * self._noise, self._threshold, _MOST_NOISE_TIMES * self._threshold)
        self._learn(blocks, change, elapsed_s)
        changed = (change > limit).any(axis=0).astype(np.uint8)
        together = cv2.boxFilter(changed, -1, (3, 3), normalize=False)
        return int(together.max()) >= _NEIGHBOURS

    def _learn(self, blocks: Blocks, change: Blocks, elapsed_s: float) -> None:
        """A sudden change is not noise: it counts for little more than what is usual."""
        self._known_s = min(self._known_s + elapsed_s, _NOISE_S)
        # a plain mean while there are few frames; after a pause longer than `_NOISE_S` the newest is all that counts
        share = min(1.0, elapsed_s / self._known_s) if self._known_s else 0.0
        self._noise = self._noise + np.float32(share) * (np.minimum(change, 3 * self._noise + 1) - self._noise)
        share = 1 - math.exp(-elapsed_s / _REFERENCE_S)
        self._reference = self._reference + np.float32(share) * (blocks - self._reference)


def blocks_of(frame: Frame) -> Blocks:
    """(3, 32, 32) float32: the mean colours of what the model sees of a frame."""
    crop, part = frame.crop, frame.model_input
    if part is None:
        part = frame.preview[crop.px]
    samples = cv2.resize(part, (_SAMPLES, _SAMPLES), interpolation=cv2.INTER_LINEAR)
    blocks = cv2.resize(samples.astype(np.float32), (_BLOCKS, _BLOCKS), interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(blocks.transpose(2, 0, 1), dtype=np.float32)


def change_between(reference: Blocks, blocks: Blocks) -> Blocks:
    """How much each block differs, after the gain and offset of each colour that fit best (least squares).

    reference, blocks  (3, 32, 32) float32, levels of 255
    returns            (3, 32, 32) float32, levels of 255
    """
    before, now = (each - each.mean(axis=(1, 2), keepdims=True) for each in (reference, blocks))
    power = np.einsum("cij,cij->c", before, before)
    flat = power <= _FLAT**2 * _BLOCKS**2
    gain = np.where(flat, 1, np.einsum("cij,cij->c", before, now) / np.where(flat, 1, power))
    return np.asarray(np.abs(now - gain.clip(1 / _MOST_GAIN, _MOST_GAIN)[:, None, None] * before), dtype=np.float32)
