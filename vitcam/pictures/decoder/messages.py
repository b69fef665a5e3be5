"""The messages between the daemon and its decoder process, one packet each. Pixels go through shared memory."""

from collections.abc import Sequence
from dataclasses import dataclass

from vitcam.pictures.decode import Limits

READY = b"ready"
"""The process has started and can decode."""
DONE = b"done"
"""The pixels are in their slot. Any other answer is a sentence that says why they are not."""


@dataclass(frozen=True, slots=True)
class DecodeRequest:
    """Decode the picture in the input file. A descriptor sent with it is the shared memory from now on."""

    length: int
    """Bytes of the encoded picture."""
    most_pixels: int
    enough: Sequence[int] | None
    """As in `Limits`."""
    offset: int
    """Where in the shared memory the pixels go."""
    size: int
    """How many bytes of pixels there may be."""
    keep: bool
    """Whether the shared memory is used again for the next picture."""

    @property
    def limits(self) -> Limits:
        return Limits(self.most_pixels, None if self.enough is None else (self.enough[0], self.enough[1]))
