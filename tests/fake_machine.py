"""A Raspberry Pi's /proc and /sys in a folder, for a daemon that is started with it."""

from pathlib import Path

_HOOK = """
from pathlib import Path
from types import SimpleNamespace
import time

from vitcam.parts.heat import watch
from vitcam.machine import Machine

Machine.__init__.__defaults__ = (Path({root!r}),)
watch.LOOK_EVERY_S = 0.2
watch.time = SimpleNamespace(monotonic=lambda: 10 * time.monotonic())
"""


class FakeMachine:
    """A Raspberry Pi 5 that is cool and well supplied. For heat, time passes ten times as fast there."""

    def __init__(self, folder: Path) -> None:
        self._root = folder / "root"
        self._hook = folder / "hook"
        self._hook.mkdir(parents=True)
        (self._hook / "sitecustomize.py").write_text(_HOOK.format(root=str(self._root)))
        self._write("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
        self.celsius(50.0)
        self.throttled("0")

    @property
    def python_path(self) -> str:
        """The daemon's PYTHONPATH."""
        return str(self._hook)

    def celsius(self, degrees: float) -> None:
        """What the sensor says from now on."""
        self._write("sys/class/thermal/thermal_zone0/temp", f"{degrees * 1000:.0f}\n")

    def throttled(self, bits: str) -> None:
        """What the firmware says from now on: hexadecimal, as `get_throttled`."""
        self._write("sys/devices/platform/soc@0/soc@0:firmware/get_throttled", f"{bits}\n")

    def without_sensor(self) -> None:
        """The sensor disappears."""
        (self._root / "sys/class/thermal/thermal_zone0/temp").unlink()

    def _write(self, name: str, text: str) -> None:
        file = self._root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name("fresh")
        fresh.write_text(text)
        fresh.replace(file)  # a reader never sees half of it
