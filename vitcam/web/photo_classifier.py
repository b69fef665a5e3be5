"""What is done with a photo that somebody sends."""

from collections.abc import Callable
from dataclasses import dataclass

from vitcam.frames import Image, Prediction
from vitcam.pictures.decode import Decode, Decoded


@dataclass(frozen=True, slots=True)
class Expert:
    """All three block; none is called while another one works."""

    decode: Decode
    classify: Callable[[Image], Prediction]
    explain: Callable[[Decoded], Image] | None = None
    """Draws the sheet of `vitcam explain`, (h, w, 3) uint8, RGB; None where nobody can."""
