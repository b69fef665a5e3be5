"""Whether viewers watch something that costs the model extra work."""

from collections.abc import Iterator
from contextlib import contextmanager

from vitcam.pictures.overlay_kinds import OVERLAYS
from vitcam.web.stream.variant import Variant


class Demand:
    """Written by the event loop, read by the thread that classifies. Without viewers there is no extra work."""

    def __init__(self) -> None:
        self._viewers = 0

    @property
    def explanation(self) -> bool:
        """Whether somebody watches an overlay that the model computes only on request, such as the rollout."""
        return self._viewers > 0

    @contextmanager
    def watching(self, variant: Variant) -> Iterator[None]:
        """Count a viewer of `variant` while the context lasts."""
        needs = OVERLAYS[variant.overlay].needs
        wants = needs is not None and needs.costs_extra
        self._viewers += wants
        try:
            yield
        finally:
            self._viewers -= wants
