"""Notifications to systemd: sd_notify(3) over the datagram socket that NOTIFY_SOCKET names."""

import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass

_SEND_TIMEOUT_S = 0.5  # a manager that does not read must not delay the supervisor


@dataclass(frozen=True, slots=True)
class Notifier:
    """Sends the state of the daemon to systemd; does nothing without a socket, or when the socket is gone."""

    address: str | bytes | None = None
    """Path of the socket, or b"\\0name" in the abstract namespace; None: no service manager."""
    watchdog_s: float | None = None
    """The daemon must send WATCHDOG=1 more often than this, in s; None: no watchdog."""

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> "Notifier":
        """Read NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID; an invalid value counts as not set."""
        return cls(_address(environ.get("NOTIFY_SOCKET", "")), _watchdog_s(environ))

    @property
    def listened_to(self) -> bool:
        """True under systemd: the daemon then waits for a missing camera."""
        return self.address is not None

    def ready(self, status: str) -> None:
        """The port is bound and the model verified; or the settings were read again."""
        self._send("READY=1", _status(status))

    def reloading(self) -> None:
        """The settings are being read again; `ready` says that this is done.

        source  sd_notify(3) on RELOADING=1: systemd takes only a message that was sent after its own request
        """
        self._send("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def status(self, text: str) -> None:
        """One line for `systemctl status`."""
        self._send(_status(text))

    def watchdog(self) -> None:
        """Feed the watchdog."""
        self._send("WATCHDOG=1")

    def stopping(self, status: str) -> None:
        """The daemon is about to end."""
        self._send("STOPPING=1", _status(status))

    def _send(self, *lines: str) -> None:
        if self.address is None:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
                sock.settimeout(_SEND_TIMEOUT_S)
                sock.sendto("\n".join(lines).encode(errors="replace"), self.address)
        except OSError:
            return  # the manager is gone: the daemon continues, and a watchdog that is not fed restarts it


def _address(name: str) -> str | bytes | None:
    if name.startswith("@"):
        return b"\0" + os.fsencode(name[1:])
    return name if name.startswith("/") else None


def _watchdog_s(environ: Mapping[str, str]) -> float | None:
    """sd_watchdog_enabled(3): WATCHDOG_PID, where set, names the process that the interval is for."""
    if environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    microseconds = environ.get("WATCHDOG_USEC", "")
    if not microseconds.isascii() or not microseconds.isdigit() or int(microseconds) == 0:
        return None
    return int(microseconds) / 1e6


def _status(text: str) -> str:
    return "STATUS=" + " ".join(text.split())  # a line break would begin a field of its own
