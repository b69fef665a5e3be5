"""Detects motion in what the model sees: a gate before the classifier, 0.1 ms per frame.

Each frame becomes 32×32 blocks. A gain and an offset of the whole picture (a cloud, the camera's exposure) are removed.
The difference of a block from its mean of the last second is then compared with the usual difference of that block.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Frame, Image
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
    rest_s: float = 1.0
    """After this time, in s, a frame passes even then."""


class MotionGate:
    """Called for every frame in order, by one thread: whether it is worth classifying."""

    def __init__(self, options: GateOptions) -> None:
        self._options = options
        self._detector = MotionDetector(options.threshold)
        self._moved_ns = self._passed_ns = 0
        self.rests = False
        """Whether nothing has moved for so long that frames are skipped."""

    def fresh(self) -> "MotionGate":
        """Another gate with the same options, which knows no picture yet."""
        return MotionGate(self._options)

    @property
    def moved_ns(self) -> int:
        """Capture time of the last frame in which something moved."""
        return self._moved_ns

    @property
    def threshold(self) -> float:
        """Least change of a block, in levels of 255."""
        return self._options.threshold

    @property
    def noise(self) -> Blocks:
        """(3, 32, 32): how much each block usually differs."""
        return self._detector.noise

    def wake(self, now: int) -> None:
        """Something has moved, which was seen elsewhere.

        now  capture time of the frame
        """
        self._moved_ns = max(self._moved_ns, now)

    def __call__(self, frame: Frame) -> bool:
        """True from the frame that moved until `hold_s` after the last one; else once in `rest_s`."""
        moved_ns = frame.captured_ns if self._detector.moved(frame) else self._moved_ns
        return self.passes(frame.captured_ns, moved_ns)

    def passes(self, now: int, moved_ns: int) -> bool:
        """The same where another one detects what moves.

        now       capture time of the frame
        moved_ns  that of the last frame in which something moved
        """
        self._moved_ns = max(self._moved_ns, moved_ns)
        awake = now - self._moved_ns < self._options.hold_s * 1e9 or self._moved_ns == now
        due = now - self._passed_ns >= self._options.rest_s * 1e9
        if awake or due:
            self._passed_ns = now
        self.rests = not awake
        return awake or due


class MotionDetector:
    """Keeps the mean of a scene, and how much each block of it flickers.

    noise  what another one knows of that already
    """

    def __init__(self, threshold: float, noise: Blocks | None = None) -> None:
        self._threshold = threshold
        self._crop: Rect | None = None
        self._reference: Blocks = np.zeros((3, _BLOCKS, _BLOCKS), np.float32)
        self.noise: Blocks = np.zeros_like(self._reference) if noise is None else noise
        """How much each block usually differs; replaced as a whole."""
        self._known_s = 0.0
        self._seen_ns = 0

    def moved(self, frame: Frame) -> bool:
        """Whether this frame differs from the last second. The first frame does, and the first of a new crop."""
        if frame.crop != self._crop:
            self._crop, self.noise = frame.crop, np.zeros_like(self.noise)
            self.begin(blocks_of(frame), frame.captured_ns)
            return True
        return self.differs(blocks_of(frame), frame.captured_ns)

    def begin(self, blocks: Blocks, now: int) -> None:
        """Take this as the scene, and keep what is known of its noise."""
        self._reference, self._seen_ns = blocks, now
        self._known_s = _NOISE_S if self.noise.any() else 0.0

    def differs(self, blocks: Blocks, now: int) -> bool:
        """Whether the next picture of the scene differs from the last second.

        now  its capture time
        """
        elapsed_s = max(0.0, (now - self._seen_ns) / 1e9)
        self._seen_ns = now
        change = change_between(self._reference, blocks)
        limit = np.clip(_NOISE_TIMES * self.noise, self._threshold, _MOST_NOISE_TIMES * self._threshold)
        self._learn(blocks, change, elapsed_s)
        changed = (change > limit).any(axis=0).astype(np.uint8)
        together = cv2.boxFilter(changed, -1, (3, 3), normalize=False)
        return int(together.max()) >= _NEIGHBOURS

    def _learn(self, blocks: Blocks, change: Blocks, elapsed_s: float) -> None:
        """A sudden change is not noise: it counts for little more than what is usual."""
        self._known_s = min(self._known_s + elapsed_s, _NOISE_S)
        # a plain mean while there are few frames; after a pause longer than `_NOISE_S` the newest is all that counts
        share = min(1.0, elapsed_s / self._known_s) if self._known_s else 0.0
        self.noise = self.noise + np.float32(share) * (np.minimum(change, 3 * self.noise + 1) - self.noise)
        share = 1 - math.exp(-elapsed_s / _REFERENCE_S)
        self._reference = self._reference + np.float32(share) * (blocks - self._reference)


def blocks_of(frame: Frame) -> Blocks:
    """(3, 32, 32) float32: the mean colours of what the model sees of a frame."""
    return blocks_in(frame.preview[frame.crop.px] if frame.model_input is None else frame.model_input)


def blocks_in(part: Image) -> Blocks:
    """(3, 32, 32) float32: the mean colours of a picture.

    part  (h, w, 3) uint8, RGB
    """
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
