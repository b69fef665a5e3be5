"""What the camera's process and the daemon share: messages over a socket pair, pixels in anonymous memory.

The child sends `Ready` once, then `Captured` for each frame. The daemon sends one byte, the number of a buffer, for
each buffer that nobody reads any more. `CameraFailed` is the child's last message. One message is one packet.
"""

import json
import mmap
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec


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


@dataclass(frozen=True, slots=True)
class Ready:
    """The camera runs. Each buffer holds the preview, and after it the model's input."""

    height: int
    width: int
    input_height: int = 0
    input_width: int = 0
    """0 × 0: the camera's scaler cannot deliver it."""

    @property
    def buffer_size(self) -> int:
        return 3 * (self.height * self.width + self.input_height * self.input_width)

    def bytes_of(self, memory: mmap.mmap, buffer: int) -> NDArray[np.uint8]:
        """(buffer_size,) uint8: one buffer of the memory, without a copy."""
        return np.frombuffer(memory, np.uint8, self.buffer_size, buffer * self.buffer_size)

    def pictures(self, buffer: NDArray[np.uint8]) -> tuple[Image, Image | None]:
        """Preview (H, W, 3) and model input (h, w, 3) or None, both uint8, RGB: views, which keep `buffer` alive."""
        end = 3 * self.height * self.width
        preview = buffer[:end].reshape(self.height, self.width, 3)
        if not self.input_height:
            return preview, None
        return preview, buffer[end:].reshape(self.input_height, self.input_width, 3)


@dataclass(frozen=True, slots=True)
class Captured:
    """A frame is in a buffer, which belongs to the daemon until it gives it back."""

    buffer: int
    seq: int
    captured_ns: int


@dataclass(frozen=True, slots=True)
class CameraFailed:
    """Why the camera cannot be opened, or gives no more pictures: one sentence."""

    error: str


Message = Ready | Captured | CameraFailed

KINDS: tuple[type[Message], ...] = (Ready, Captured, CameraFailed)
