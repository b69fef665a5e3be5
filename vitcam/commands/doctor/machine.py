"""What the machine has left: disk, memory, coolness, power."""

import re
import shutil
from pathlib import Path

from vitcam.commands.doctor.check import Finding, Place, read_text, run_bounded

_GB, _MB = 1_000_000_000, 1_000_000
_POWER = {
    0: "under-voltage",
    1: "frequency capped",
    2: "throttled",
    3: "soft temperature limit",
}  # bits of get_throttled; 16 higher: since the boot


def disk(place: Place) -> Finding:
    """Room where models, events and photos will lie."""
    folder = state_folder(place)
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(existing).free
    found = f"{free / _GB:.1f} GB free at {folder}"
    fix = "free some space: sudo apt clean; sudo journalctl --vacuum-size=100M"
    if free < 50 * _MB:
        return Finding("fail", f"{found}; at least 0.05 GB are needed", fix)
    if free < 500 * _MB:
        return Finding("warn", f"{found}; at least 0.5 GB are advised", fix)
    return Finding("ok", found)


def state_folder(place: Place) -> Path:
    """systemd's StateDirectory=, else the user's own."""
    if given := place.environ.get("STATE_DIRECTORY"):
        return Path(given)
    base = Path(place.environ.get("XDG_STATE_HOME", ""))
    if not base.is_absolute():
        base = Path(place.environ.get("HOME") or "/") / ".local/state"
    return base / "vitcam"


def memory(place: Place) -> Finding:
    """Memory that can be had without swapping."""
    match = re.search(r"^MemAvailable:\s+(\d+) kB", read_text(place.root / "proc/meminfo"), re.MULTILINE)
    if match is None:
        return Finding("warn", "/proc/meminfo does not say how much memory is available", "mount /proc")
    available = int(match[1]) * 1024
    found = f"{available / _GB:.1f} GB available"
    fix = "end what takes most: ps aux --sort=-rss | head"
    if available < 150 * _MB:
        return Finding("fail", f"{found}; at least 0.15 GB are needed", fix)
    if available < 400 * _MB:
        return Finding("warn", f"{found}; at least 0.4 GB are advised", fix)
    return Finding("ok", found)


def temperature(place: Place) -> Finding:
    """The hottest sensor. A Pi slows down at 80 °C and more so at 85 °C."""
    hottest = hottest_celsius(place)
    if hottest is None:
        return Finding("ok", "no sensor here")
    if hottest < 80:
        return Finding("ok", f"{hottest:.0f} °C")
    fix = "add a fan or heat sink, or ask for less: --set model.fps=10"
    return Finding("warn", f"{hottest:.0f} °C; from 80 °C on a Pi slows down", fix)


def hottest_celsius(place: Place) -> float | None:
    """In °C; None where there is no sensor."""
    readings = [read_text(zone).strip() for zone in place.root.glob("sys/class/thermal/thermal_zone*/temp")]
    degrees = [int(text) / 1000 for text in readings if re.fullmatch(r"-?\d+", text)]
    return max(degrees, default=None)


def power(place: Place) -> Finding:
    """Whether the firmware holds the processor back, now or since the boot."""
    hindrances = hindrances_of(place)
    if hindrances is None:
        return Finding("ok", "no Raspberry Pi firmware here" if not place.is_pi else "the firmware does not say")
    now, before = hindrances
    found = f"now: {', '.join(now) or 'nothing'}; since the boot: {', '.join(before) or 'nothing'}"
    if not now and not before:
        return Finding("ok", "neither throttled nor under-voltage since the boot")
    weak = "under-voltage" in now + before
    fix = "use the official 27 W supply and a short cable" if weak else "add a fan or heat sink"
    return Finding("warn", found, fix)


def hindrances_of(place: Place) -> tuple[list[str], list[str]] | None:
    """What holds the processor back now, and what did since the boot; None off a Pi."""
    bits = _throttled(place)
    if bits is None:
        return None
    now = [name for bit, name in _POWER.items() if bits >> bit & 1]
    return now, [name for bit, name in _POWER.items() if bits >> bit + 16 & 1]


def _throttled(place: Place) -> int | None:
    """The firmware's bit field; None off a Pi."""
    for file in place.root.glob("sys/devices/platform/soc*/*firmware/get_throttled"):
        text = read_text(file).strip()
        if re.fullmatch(r"(0x)?[0-9a-fA-F]+", text):
            return int(text, 16)
    if place.is_pi and shutil.which("vcgencmd"):
        match = re.search(r"throttled=0x([0-9a-fA-F]+)", run_bounded(["vcgencmd", "get_throttled"], 5).out)
        return int(match[1], 16) if match else None
    return None
