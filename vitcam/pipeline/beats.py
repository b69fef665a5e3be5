"""The state that each stage publishes: one frozen value per stage.

A stage's own thread replaces its beat as a whole. Every other thread takes one reference and reads that, so that the
fields of a beat always belong together.
"""

import time
from dataclasses import dataclass

from vitcam.sources.source import Source


@dataclass(frozen=True, slots=True)
class CaptureBeat:
    """The stage that reads the source."""

    at_ns: int
    """Monotonic time of its last progress: a frame came, opening the source began or failed, or the slot was full."""
    source: Source | None = None
    """The source that is open, or was last."""
    trouble: str = ""
    """Why there is no picture; empty while there is one."""
    lost: int = 0
    """Frames that the source lost itself, and those that were not needed."""
    live: bool = True
    """Whether frames come by themselves, so that the newest wins."""


@dataclass(frozen=True, slots=True)
class ClassifyBeat:
    """The stage that asks the model."""

    since_ns: int | None = None
    """Monotonic time at which the inference that runs now began; None while none does."""
    waits: bool = False
    """Whether the next frame will be classified at once."""
    confirmed_ns: int = 0
    """Capture time of the last frame that the newest prediction is known to hold for."""
    due_s: float = 0.0
    """Monotonic time before which no further frame is classified."""


@dataclass(frozen=True, slots=True)
class PublishBeat:
    """The stage that hands predictions to the sinks."""

    since_ns: int | None = None
    """Monotonic time at which the prediction that is published now was taken; None while none is."""


class Beats:
    """The beats of all stages. Each attribute is written only by the thread of its own stage."""

    def __init__(self) -> None:
        self.capture = CaptureBeat(time.monotonic_ns())
        self.classify = ClassifyBeat()
        self.publish = PublishBeat()
