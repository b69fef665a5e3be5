"""What kernel and firmware say of the machine: its board, its temperature, and what throttles it."""

import re
import shutil
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vitcam.processes.command import run_with_timeout

_SOMEWHERE = ("192.0.2.1", 9)  # documentation's own network (RFC 5737): connect() of UDP sends nothing
_POWER = {
    0: "under-voltage",
    1: "frequency capped",
    2: "throttled",
    3: "soft temperature limit",
}  # bits of get_throttled; 16 higher: since the boot


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine, seen through its environment and its /proc and /sys."""

    environ: Mapping[str, str]
    root: Path = Path("/")
    """Folder that contains /proc, /sys and /dev."""

    @property
    def board(self) -> str:
        """What the device tree calls the machine, such as `Raspberry Pi 5 Model B Rev 1.0`; empty on a PC."""
        return read_text(self.root / "proc/device-tree/model").rstrip("\0")

    @property
    def hardware_id(self) -> str:
        """An id that only this machine has, even if its SD card is copied; readable without root. Empty: it has none.

        A number of the board, else the address of a network card that is built in, else the number of the system.
        """
        number = read_text(self.root / "proc/device-tree/serial-number").strip("\0\n")
        cards = sorted(path.parent for path in self.root.glob("sys/class/net/*/device"))
        addresses = (read_text(card / "address").strip() for card in cards)
        return number or next(filter(None, addresses), "") or read_text(self.root / "etc/machine-id").strip()

    @property
    def is_pi(self) -> bool:
        return "Raspberry Pi" in self.board

    def hottest_celsius(self) -> float | None:
        """In °C; None where there is no sensor."""
        readings = [read_text(zone).strip() for zone in self.root.glob("sys/class/thermal/thermal_zone*/temp")]
        degrees = [int(text) / 1000 for text in readings if re.fullmatch(r"-?\d+", text)]
        return max(degrees, default=None)

    def available_bytes(self) -> int | None:
        """Memory that programs can have without swapping; None where the kernel does not say it."""
        found = re.search(r"^MemAvailable:\s+(\d+) kB", read_text(self.root / "proc/meminfo"), re.MULTILINE)
        return int(found[1]) * 1024 if found else None

    def hindrances(self, by_command: bool = True) -> tuple[list[str], list[str]] | None:
        """What throttles the processor now, and what has since the boot; None where it is not a Pi.

        by_command  start `vcgencmd` where the kernel does not say it; False: for a daemon that asks again and again
        """
        bits = self._throttled(by_command)
        if bits is None:
            return None
        now = [name for bit, name in _POWER.items() if bits >> bit & 1]
        return now, [name for bit, name in _POWER.items() if bits >> bit + 16 & 1]

    def _throttled(self, by_command: bool) -> int | None:
        """The firmware's bit field; None where it is not a Pi."""
        for file in self.root.glob("sys/devices/platform/soc*/*firmware/get_throttled"):
            text = read_text(file).strip()
            if re.fullmatch(r"(0x)?[0-9a-fA-F]+", text):
                return int(text, 16)
        if by_command and self.is_pi and shutil.which("vcgencmd"):
            match = re.search(r"throttled=0x([0-9a-fA-F]+)", run_with_timeout(["vcgencmd", "get_throttled"], 5).out)
            return int(match[1], 16) if match else None
        return None


def own_address() -> str:
    """This machine's address in its network; its name if it has no route."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            asked.connect(_SOMEWHERE)
            return str(asked.getsockname()[0])
    except OSError:
        return f"{socket.gethostname()}.local"


def read_text(path: Path) -> str:
    """The content of a file of /proc or /sys; empty when it does not exist or may not be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
