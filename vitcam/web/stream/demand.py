"""What viewers look at that costs the model extra work."""

from collections.abc import Iterator
from contextlib import contextmanager

from vitcam.web.stream.variant import Variant


class Demand:
    """Written by the event loop, read by the thread that classifies: the model explains itself only to somebody."""

    def __init__(self) -> None:
        self._viewers = 0

    @property
    def rollout(self) -> bool:
        """Whether somebody looks at an attention rollout."""
        return self._viewers > 0

    @contextmanager
    def looking(self, variant: Variant) -> Iterator[None]:
        """A viewer of `variant` is there."""
        wants = variant.overlay == "rollout"
        self._viewers += wants
        try:
            yield
        finally:
            self._viewers -= wants
