"""The machine: disk, memory, temperature and power."""

import shutil

from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.folders import state_folder
from vitcam.storage.room import trouble_with

_GB = 1_000_000_000


def disk(context: CheckContext) -> CheckResult:
    """Free space for models, events and photos."""
    folder = state_folder(context.machine.environ)
    if folder is None:
        return CheckResult(
            "warn", "the daemon has no state folder: neither HOME nor STATE_DIRECTORY is set", "set HOME"
        )
    if trouble := trouble_with(folder):
        found, _, fix = trouble.rpartition("; ")
        return CheckResult("fail", found, fix)
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(existing).free
    found = f"{free / _GB:.1f} GB free at {folder}"
    fix = "free some space: sudo apt clean; sudo journalctl --vacuum-size=100M"
    return _enough(free, 0.05, 0.5, found, fix)


def memory(context: CheckContext) -> CheckResult:
    """Memory that is available without swapping."""
    available = context.machine.available_bytes()
    if available is None:
        return CheckResult("warn", "/proc/meminfo does not say how much memory is available", "mount /proc")
    found = f"{available / _GB:.1f} GB available"
    fix = "end the processes that take most: ps aux --sort=-rss | head"
    return _enough(available, 0.15, 0.4, found, fix)


def _enough(size: int, needed_gb: float, advised_gb: float, found: str, fix: str) -> CheckResult:
    """Whether so many bytes are as many as vitcam needs, and as many as it should have."""
    if size < needed_gb * _GB:
        return CheckResult("fail", f"{found}; at least {needed_gb:g} GB are needed", fix)
    if size < advised_gb * _GB:
        return CheckResult("warn", f"{found}; at least {advised_gb:g} GB are advised", fix)
    return CheckResult("ok", found)


def temperature(context: CheckContext) -> CheckResult:
    """The hottest sensor. A Pi slows down at 80 °C and more so at 85 °C."""
    hottest = context.machine.hottest_celsius()
    if hottest is None:
        return CheckResult("ok", "no sensor here")
    if hottest < 80:
        return CheckResult("ok", f"{hottest:.0f} °C")
    fix = "add a fan or heat sink, or classify fewer frames: --set model.fps=10"
    return CheckResult("warn", f"{hottest:.0f} °C; from 80 °C on a Pi slows down", fix)


def power(context: CheckContext) -> CheckResult:
    """Whether the firmware throttles the processor, or did since the boot."""
    hindrances = context.machine.hindrances()
    if hindrances is None:
        return CheckResult(
            "ok", "no Raspberry Pi firmware here" if not context.machine.is_pi else "the firmware gives no information"
        )
    now, before = hindrances
    found = f"now: {', '.join(now) or 'nothing'}; since the boot: {', '.join(before) or 'nothing'}"
    if not now and not before:
        return CheckResult("ok", "neither throttled nor under-voltage since the boot")
    weak = "under-voltage" in now + before
    fix = "use the official 27 W supply and a short cable" if weak else "add a fan or heat sink"
    return CheckResult("warn", found, fix)
