"""Numbers about a run that a part gives, whoever reads them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, or one for each value of its labels."""

    name: str
    """As Prometheus has it, such as `vitcam_temperature_celsius`."""
    doc: str
    """What it is, as a short sentence."""
    values: Mapping[tuple[str, ...], float]
    """Values of `labels` -> the number; `()` where there are none."""
    labels: tuple[str, ...] = ()
    counts: bool = False
    """True: it only grows during a run."""

    @classmethod
    def of(cls, name: str, doc: str, value: float, counts: bool = False) -> Self:
        """One without labels."""
        return cls(name, doc, {(): value}, counts=counts)
