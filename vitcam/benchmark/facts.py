"""What a benchmark's reader has to know of the machine: board, processor, memory, system, versions."""

import os
import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from vitcam.machine import Machine, read_text

_PACKAGES = (
    "vitcam",
    "ai-edge-litert",
    "tflite-runtime",
    "numpy",
    "opencv-python-headless",
    "opencv-python",
    "picamera2",
)


def machine_facts(machine: Machine) -> dict[str, str]:
    """Name -> what was found, in the order in which it is read; what is not known is left out."""
    found = {
        "board": machine.board,
        "processor": _processor(machine),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": _memory(machine),
        "system": _system(),
        "kernel": f"{platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": ", ".join(_versions()),
    }
    return {name: text for name, text in found.items() if text}


def _processor(machine: Machine) -> str:
    """As /proc/cpuinfo calls it; of an ARM core it has the part number alone, 0xd0b for a Cortex-A76."""
    text = read_text(machine.root / "proc/cpuinfo")
    for name in ("model name", "CPU part"):
        if found := re.search(rf"^{name}\s*:\s*(.+)$", text, re.MULTILINE):
            return found[1] if name == "model name" else f"ARM part {found[1]}"
    return ""


def _memory(machine: Machine) -> str:
    found = re.search(r"^MemTotal:\s*(\d+) kB", read_text(machine.root / "proc/meminfo"), re.MULTILINE)
    return f"{int(found[1]) / 1024**2:.1f} GiB" if found else ""


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return ""


def _versions() -> Iterator[str]:
    for package in _PACKAGES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            continue
