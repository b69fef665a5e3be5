"""Small frames and predictions for tests: numbered, and cheap."""

import time

import numpy as np

from vitcam.frames import Frame, Guess, Image, Prediction, Timings
from vitcam.rects import Rect

SECOND = 1_000_000_000


def picture(height: int = 72, width: int = 128, value: int = 128) -> Image:
    """(height, width, 3) uint8, one colour."""
    return np.full((height, width, 3), value, np.uint8)


def frame(seq: int = 0, image: Image | None = None, path: str | None = None) -> Frame:
    """A frame captured now; the model sees its central square."""
    image = picture() if image is None else image
    height, width = image.shape[:2]
    side = min(height, width)
    crop = Rect((width - side) // 2, (height - side) // 2, side, side)
    return Frame(image, None, crop, seq, time.monotonic_ns(), "test", path)


def prediction(label: str = "cup", p: float = 0.9, at_ns: int = 0, seq: int = 0, **others: float) -> Prediction:
    """A prediction of `label`; further labels as `name=probability`."""
    guesses = sorted([Guess(label, p), *(Guess(name, q) for name, q in others.items())], key=lambda g: -g.p)
    attention = np.linspace(0, 1, 3 * 4 * 4, dtype=np.float32).reshape(3, 4, 4)
    return Prediction(
        source="test",
        path=None,
        seq=seq,
        captured_ns=at_ns,
        size=(128, 72),
        crop=Rect(28, 0, 72, 72),
        top=tuple(guesses),
        known=True,
        familiarity=0.9,
        certainty=2.2,
        ms=Timings(1.0, 0.5, 5.0, 7.0),
        attention=attention,
        embedding=None,
    )
