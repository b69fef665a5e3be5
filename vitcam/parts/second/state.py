"""What second models say of themselves."""

from dataclasses import dataclass

from vitcam.state import Percentiles


@dataclass(frozen=True, slots=True)
class SecondState:
    """Second models, since the start."""

    models: tuple[str, ...] = ()
    """Names of those that are ready."""
    asked: int = 0
    """How often one was asked."""
    named: int = 0
    """How often it was sure enough to give a name."""
    ms: Percentiles | None = None
    """How long one took, with the picture made ready for it; null: none was asked."""
