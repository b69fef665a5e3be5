"""Which variant of a frame's picture a viewer asks for, and whether the watched ones cost the model extra work."""

import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from vitcam.errors import UsageError
from vitcam.pictures.overlay_kinds import OVERLAYS

_MAX_QUOTED = 40  # characters of a wrong value that an error repeats


@dataclass(frozen=True, slots=True)
class Variant:
    """Viewers with equal variants share one JPEG, so the numbers are rounded to steps (`STEPS`)."""

    overlay: str = "attention"
    """A name of `OVERLAYS`."""
    head: int | None = None
    """Which attention head, from 0; None for the mean of all."""
    opacity: float = 0.5
    width: int = 960
    """In px; a narrower picture is never enlarged."""
    quality: int = 80
    fps: int = 15
    """The most pictures per second."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Numbers from `low` to `high`; a number between two steps is rounded to the nearer one."""

    low: float
    high: float
    step: float

    def snap(self, name: str, text: str) -> float:
        """The nearest step. Raises UsageError for text that is not a number, or is out of range."""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not self.low <= value <= self.high:  # also refuses nan
            raise UsageError(
                f"{name} is {text[:_MAX_QUOTED]!r}; a number from {self.low:g} to {self.high:g} is allowed"
            )
        return round(self.low + round((value - self.low) / self.step) * self.step, 3)


STEPS = {
    "opacity": Steps(0, 1, 0.1),
    "width": Steps(160, 1920, 80),
    "quality": Steps(30, 95, 5),
    "fps": Steps(1, 60, 1),
}


def read_variant(
    query: Mapping[str, str], heads: int, default: Variant, overlays: Collection[str] = OVERLAYS.keys()
) -> Variant:
    """The variant that a query asks for. Unknown names are ignored: many clients add one to get around caches.

    heads     how many the model has
    overlays  those that the model has the data for
    raises    UsageError that says what is allowed
    """
    number = {
        name: steps.snap(name, query[name]) if name in query else float(getattr(default, name))
        for name, steps in STEPS.items()
    }
    overlay = _read_overlay(query.get("overlay", default.overlay), overlays)
    needs = OVERLAYS[overlay].needs
    return Variant(
        overlay=overlay,
        # where these two change no pixel, one JPEG serves all viewers
        head=_read_head(query.get("head", "mean"), heads) if needs is not None and needs.by_head else None,
        opacity=0.0 if needs is None else number["opacity"],
        width=int(number["width"]),
        quality=int(number["quality"]),
        fps=int(number["fps"]),
    )


def _read_overlay(text: str, overlays: Collection[str]) -> str:
    if text in overlays:
        return text
    raise UsageError(f"overlay is {text[:_MAX_QUOTED]!r}; allowed: {', '.join(overlays)}")


def _read_head(text: str, heads: int) -> int | None:
    if text == "mean":
        return None
    if text in map(str, range(heads)):
        return int(text)
    allowed = f"mean, or 0 to {heads - 1}" if heads else "mean (this model gives no attention)"
    raise UsageError(f"head is {text[:_MAX_QUOTED]!r}; allowed: {allowed}")


def stream_record(default: Variant, overlays: Collection[str]) -> dict[str, Any]:
    """The parameters of `/stream` and their defaults, for pages and programs that let people choose."""
    return {
        "overlays": list(overlays),
        "overlays_explained": [_overlay_record(name) for name in overlays],
        "default": asdict(default),
        "steps": {name: asdict(steps) for name, steps in STEPS.items()},
    }


def _overlay_record(name: str) -> dict[str, Any]:
    kind = OVERLAYS[name]
    record: dict[str, Any] = {"mode": name, "label": kind.label, "sentence": kind.sentence}
    needs = None if kind.needs is None else {"name": kind.needs.name, "by_head": kind.needs.by_head}
    return record | {"needs": needs, "style": kind.style}


class Demand:
    """What viewers want the model to compute: without viewers there is no extra work.

    Written by the event loop, read by the thread that classifies.
    """

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
