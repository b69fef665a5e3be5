"""What heat says of itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heat:
    """Temperature and power of the machine, and what the temperature limits."""

    celsius: float | None = None
    """The hottest sensor, in °C; None where there is none, or before the first look."""
    limit_celsius: float | None = None
    """vitcam works so that the processor stays below this, in °C; None where nothing is limited."""
    max_fps: float = 0.0
    """At most this many frames/s are classified because of heat; 0: no limit."""
    threads: int = 0
    """Threads that run the model because of heat; 0: as many as were asked for."""
    hindrances: tuple[str, ...] = ()
    """What slows the processor now, as a Pi's firmware says: `under-voltage`, `throttled` …"""
    since_boot: tuple[str, ...] = ()
    """The same, at any time since the boot."""
    advice: str = ""
    """What is wrong and what helps; empty while all is well."""
