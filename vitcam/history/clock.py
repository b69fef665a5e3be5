"""The clocks of this machine. The time since its start is always right; the wall clock may be set at any moment."""

import ctypes
import secrets
import time
from pathlib import Path

_BOOT_ID, _UPTIME = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/uptime")
_SYNCHRONISED = Path("/run/systemd/timesync/synchronized")
_MOST_ERROR_US = 16_000_000
_APART_S = 60.0
_NAP_NS = 250_000_000


class MachineClock:
    """Of one run. Used by any thread."""

    def __init__(self) -> None:
        self.boot = _boot()
        """The same for all runs between two starts of the machine, and for no other."""

    def up_ms(self) -> int:
        """ms since the machine was started, sleep included. Nobody can set this clock."""
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000

    def booted_ms(self) -> int:
        """When the machine was started, by the wall clock as it is now, in ms since the epoch."""
        return (time.time_ns() - time.clock_gettime_ns(time.CLOCK_BOOTTIME)) // 1_000_000

    def is_synchronised(self) -> bool:
        """Whether a time server has set the wall clock, and nobody has set it since.

        The kernel knows: it forgets this when the clock is set by hand, and after nine hours without a server. The
        service may not ask the kernel (`ProtectClock=`): there the file counts that systemd-timesyncd writes.

        source  `ntp_synced` of systemd: an error below 16 s, whatever STA_UNSYNC says; org.freedesktop.timedate1(5)
        """
        error_us = _kernels_error_us()
        return _SYNCHRONISED.exists() if error_us is None else error_us < _MOST_ERROR_US


class RunTimes:
    """Wall time of moments that are known in monotonic time. Used by one thread.

    All are counted from the start of the machine as the wall clock said it at first. The history knows by
    which clock they should have been counted.
    """

    def __init__(self) -> None:
        self.booted_ms = MachineClock().booted_ms()
        self._asleep_ns = _asleep_ns()

    def ms(self, monotonic_ns: int) -> int:
        """In ms since the epoch, of a moment since the machine slept last."""
        asleep_ns = _asleep_ns()
        if abs(asleep_ns - self._asleep_ns) > _NAP_NS:
            self._asleep_ns = asleep_ns
        return self.booted_ms + (monotonic_ns + self._asleep_ns) // 1_000_000


def _asleep_ns() -> int:
    """How long the machine has slept since its start; the two clocks are not read at the very same moment."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()


class _Timex(ctypes.Structure):
    """The begin of what adjtimex(2) fills; the rest is room."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("rest", ctypes.c_char * 512),
    )


def _kernels_error_us() -> int | None:
    """How wrong the wall clock may be, in µs; None where the kernel may not be asked."""
    asked = _Timex()
    try:
        refused = ctypes.CDLL(None).adjtimex(ctypes.byref(asked)) < 0
    except (OSError, AttributeError):
        return None
    return None if refused else int(asked.maxerror)


def _boot() -> str:
    """The kernel's id of this boot; another one where this process has clocks of its own, as under faketime."""
    try:
        found = _BOOT_ID.read_text("ascii").strip()
        apart_s = time.clock_gettime(time.CLOCK_BOOTTIME) - float(_UPTIME.read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return secrets.token_hex(16)
    return found if abs(apart_s) < _APART_S else f"{found}-simulated"
