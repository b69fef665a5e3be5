"""Pictures of the inbox for tests."""

from typing import Any

import numpy as np

from vitcam.frames import Guess
from vitcam.parts.teach.inbox.entry import InboxEntry
from vitcam.pictures.encode import encode_jpeg

JPEG = encode_jpeg(np.full((40, 60, 3), 90, np.uint8), 90)
WIDTH = 8


def looks(*parts: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    """An embedding that begins so."""
    return np.array([*parts, *[0.0] * (WIDTH - len(parts))], np.float32)


def entry(number: int, doubt: float = 0.8, **fields: Any) -> InboxEntry:
    """A picture that looks unlike those of other numbers below 8."""
    usual: dict[str, Any] = {
        "why": "unsure",
        "taken_ms": 1_767_225_600_000 + number,
        "top": (Guess("cup", 0.4), Guess("bowl", 0.3)),
        "model": "toy",
        "space": "a",
        "embedding": looks(*[0.0] * number, 1.0) if number < WIDTH else None,
    }
    return InboxEntry(f"inbox-20260101T0000-{number:06}", doubt=doubt, **usual | fields)
