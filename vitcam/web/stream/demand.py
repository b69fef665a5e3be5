"""What viewers look at that costs the model extra work."""

from collections.abc import Iterator
from contextlib import contextmanager

from vitcam.pictures.overlay_kinds import OVERLAYS
from vitcam.web.stream.variant import Variant


class Demand:
    """Written by the event loop, read by the thread that classifies: the model explains itself only to somebody."""

    def __init__(self) -> None:
        self._viewers = 0

    @property
    def explanation(self) -> bool:
        """Whether somebody looks at an overlay that the model must be asked for, such as the rollout."""
        return self._viewers > 0

    @contextmanager
    def looking(self, variant: Variant) -> Iterator[None]:
        """A viewer of `variant` is there."""
        needs = OVERLAYS[variant.overlay].needs
        wants = needs is not None and needs.costs_extra
        self._viewers += wants
        try:
            yield
        finally:
            self._viewers -= wants
