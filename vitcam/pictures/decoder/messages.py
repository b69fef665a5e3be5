"""What the decoder's process and the daemon say to each other, one packet each; pixels go through shared memory."""

from collections.abc import Sequence
from dataclasses import dataclass

from vitcam.pictures.decode import Limits

READY = b"ready"
DONE = b"done"
"""The picture is in its slot. Any other answer is a sentence: why it is not."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Decode the picture in the letter. A descriptor beside it is the memory from now on."""

    length: int
    """Bytes of the picture."""
    most_pixels: int
    enough: Sequence[int] | None
    offset: int
    size: int
    """Where in the memory its pixels go, and how many bytes there may be."""
    keep: bool
    """The memory is used again."""

    @property
    def limits(self) -> Limits:
        return Limits(self.most_pixels, None if self.enough is None else (self.enough[0], self.enough[1]))
