"""A service manager as systemd is one, as far as its notification socket goes."""

import itertools
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tests.eventually import eventually

INTERVAL_S = 2.0  # of the watchdog: fed three times as often


class Manager:
    """systemd's end of the socket: remembers what it hears, and when."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.heard: list[tuple[float, str]] = []
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._door.bind(str(path))
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        while message := self._door.recv(4096):
            self.heard.append((time.monotonic(), message.decode()))

    def close(self) -> None:
        """Hear nothing any more."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
            end.sendto(b"", str(self.path))
        self._listener.join(10)
        self._door.close()

    def environment(self) -> dict[str, str]:
        """What it gives its service."""
        return {"NOTIFY_SOCKET": str(self.path), "WATCHDOG_USEC": str(round(INTERVAL_S * 1e6))}

    def messages(self) -> list[str]:
        """All that it heard so far."""
        return [message for _, message in list(self.heard)]

    def wait_for(self, wanted: Callable[[str], bool], timeout_s: float = 120) -> str:
        """The first message that is wanted, past or to come. A start takes a minute where all files are read anew."""
        found = eventually(lambda: next(filter(wanted, self.messages()), None), timeout_s)
        assert found, f"heard only: {self.messages()}"
        return found

    def wait_for_feedings(self, count: int) -> None:
        """Return once it was fed so many times; that is three times in each interval."""
        assert eventually(lambda: self.messages().count("WATCHDOG=1") >= count), self.messages()

    def longest_hunger_s(self) -> float:
        """The longest time between two feedings of the watchdog, READY counting as one."""
        fed = [at for at, message in list(self.heard) if message.startswith(("WATCHDOG=1", "READY=1"))]
        return max(after - before for before, after in itertools.pairwise(fed))

    def hungry_for_s(self) -> float:
        """How long ago the watchdog was fed."""
        return time.monotonic() - max(at for at, message in list(self.heard) if message == "WATCHDOG=1")
