"""What the camera's process and the daemon share: messages over a socket pair, pixels in anonymous memory.

The child sends `Ready` once, then `Captured` for each frame. The daemon sends one byte, the number of a buffer, for
each buffer that nobody reads any more, `Boxes` when something else is followed, and `Still` when nothing moves any
more, or something does again. `CameraFailed` is the child's last message. One message is one packet.
"""

import json
import mmap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect

MOST_DETAILS = 3
"""Of one frame."""


@dataclass(frozen=True, slots=True)
class CameraConfig:
    """What is requested of the camera; it may grant something else."""

    camera: int
    width: int
    height: int
    fps: float
    input: InputSpec | None
    hflip: bool = False
    vflip: bool = False
    """Left and right, top and bottom are swapped while the sensor is read, or else in the copy."""
    follow: bool = False
    """Parts of the pictures are wanted in the camera's own px, where it has more than width × height."""

    @property
    def patience_s(self) -> float:
        """How long the child waits for a frame before it calls the camera stalled."""
        return 2.5 + 2 / self.fps

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "CameraConfig":
        fields: dict[str, Any] = json.loads(text)
        spec = fields.pop("input")
        return cls(**fields, input=spec and InputSpec(**spec))


class DetailCut(NamedTuple):
    """A detail in a buffer: where it lies in the preview, and its own size, all in px."""

    x: int
    y: int
    width: int
    height: int
    rows: int
    columns: int

    @property
    def rect(self) -> Rect:
        """Where it lies in the preview."""
        return Rect(self.x, self.y, self.width, self.height)


@dataclass(frozen=True, slots=True)
class Ready:
    """The camera runs. Each buffer holds the preview, after it the model's input, and after that details."""

    height: int
    width: int
    input_height: int = 0
    input_width: int = 0
    """0 × 0: the camera's scaler cannot deliver it."""
    room: int = 0
    """Bytes for details; 0: the camera has no more px than the preview."""
    following: str = ""
    """What is followed is cut from this, as a sentence; empty where nothing is followed."""
    camera_bytes: int = 0
    """What the camera's own buffers take."""
    small_height: int = 0
    small_width: int = 0
    """Of the whole picture as the scaler makes it small; 0 × 0: it does not."""

    @property
    def pictures_size(self) -> int:
        """Bytes of preview and model input."""
        return 3 * (self.height * self.width + self.input_height * self.input_width)

    @property
    def buffer_size(self) -> int:
        return self.pictures_size + self.room

    def bytes_of(self, memory: mmap.mmap, buffer: int, cuts: Sequence[DetailCut] | None = None) -> NDArray[np.uint8]:
        """(size,) uint8: one buffer of the memory, without a copy; as far as it is used where `cuts` are known."""
        size = self.buffer_size
        if cuts is not None:
            size = self.pictures_size + sum(3 * cut.rows * cut.columns for cut in cuts)
        return np.frombuffer(memory, np.uint8, size, buffer * self.buffer_size)

    def pictures(self, buffer: NDArray[np.uint8]) -> tuple[Image, Image | None]:
        """Preview (H, W, 3) and model input (h, w, 3) or None, both uint8, RGB: views, which keep `buffer` alive."""
        end = 3 * self.height * self.width
        preview = buffer[:end].reshape(self.height, self.width, 3)
        if not self.input_height:
            return preview, None
        return preview, buffer[end : self.pictures_size].reshape(self.input_height, self.input_width, 3)

    def small(self, buffer: NDArray[np.uint8]) -> Image:
        """The whole picture made small, (h, w, 3) uint8, RGB: a view, where nothing else is in the buffer."""
        shape = self.small_height, self.small_width, 3
        return buffer[: 3 * self.small_height * self.small_width].reshape(shape)

    def details(self, buffer: NDArray[np.uint8], cuts: Sequence[DetailCut]) -> Iterator[Image]:
        """(rows, columns, 3) uint8, RGB, of each cut: views, which keep `buffer` alive."""
        start = self.pictures_size
        for cut in cuts:
            end = start + 3 * cut.rows * cut.columns
            yield buffer[start:end].reshape(cut.rows, cut.columns, 3)
            start = end


@dataclass(frozen=True, slots=True)
class Captured:
    """A frame is in a buffer, which belongs to the daemon until it gives it back."""

    buffer: int
    seq: int
    captured_ns: int
    cuts: Sequence[Sequence[int]] = field(default_factory=list)
    """A `DetailCut` of each detail that is in it, in the order of the buffer."""
    is_small: bool = False
    """Only the small picture is in it."""


@dataclass(frozen=True, slots=True)
class CameraFailed:
    """Why the camera cannot be opened, or gives no more pictures: one sentence."""

    error: str


@dataclass(frozen=True, slots=True)
class Boxes:
    """What is followed from the next frame on: x, y, width and height in px of the preview."""

    rects: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Still:
    """Whether only small pictures are wanted, some in a second, from the next frame on."""

    is_still: bool


FromDaemon = Boxes | Still

FROM_DAEMON: tuple[type[FromDaemon], ...] = (Boxes, Still)

Message = Ready | Captured | CameraFailed

KINDS: tuple[type[Message], ...] = (Ready, Captured, CameraFailed)
