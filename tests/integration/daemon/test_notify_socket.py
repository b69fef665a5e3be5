"""Against a real datagram socket, as systemd opens one: by path and in the abstract namespace."""

import contextlib
import secrets
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from vitcam.daemon.systemd import Notifier


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    """The manager's end, and what it would put into NOTIFY_SOCKET."""
    name = str(tmp_path / "notify") if request.param == "path" else f"@vitcam-test-{secrets.token_hex(8)}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door:
        door.bind(name if name.startswith("/") else "\0" + name[1:])
        door.settimeout(5)
        yield door, name


def heard(door: socket.socket) -> str:
    return door.recv(4096).decode()


def test_every_message_arrives_as_sd_notify_writes_it(manager: tuple[socket.socket, str]) -> None:
    door, name = manager
    notifier = Notifier.from_environ({"NOTIFY_SOCKET": name})

    notifier.ready("watching demo")
    notifier.status("cup 93 %, 25.0 fps")
    notifier.watchdog()
    notifier.stopping("asked to end")

    assert heard(door) == "READY=1\nSTATUS=watching demo"
    assert heard(door) == "STATUS=cup 93 %, 25.0 fps"
    assert heard(door) == "WATCHDOG=1"
    assert heard(door) == "STOPPING=1\nSTATUS=asked to end"


def test_a_label_with_a_line_break_cannot_smuggle_in_a_field(manager: tuple[socket.socket, str]) -> None:
    door, name = manager

    Notifier.from_environ({"NOTIFY_SOCKET": name}).status("cup\nWATCHDOG=1\r\n µ\udcff")

    assert heard(door) == "STATUS=cup WATCHDOG=1 µ?"


def test_a_manager_that_went_away_is_no_error(manager: tuple[socket.socket, str]) -> None:
    door, name = manager
    notifier = Notifier.from_environ({"NOTIFY_SOCKET": name})
    notifier.watchdog()
    door.close()

    notifier.watchdog()
    notifier.status("still here")

    assert notifier.listened_to


@pytest.mark.fault(
    "systemd does not read",
    injected="a notify socket that is full",
    observed="nothing waits for it for long",
)
def test_a_manager_that_never_reads_delays_nobody_for_long(tmp_path: Path) -> None:
    name = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door:
        door.bind(name)
        notifier = Notifier.from_environ({"NOTIFY_SOCKET": name})
        fill(name)
        began = time.monotonic()

        notifier.watchdog()

        assert 0.4 < time.monotonic() - began < 5
        assert {heard(door) for _ in range(2)} == {"X=1"}


def fill(name: str) -> None:
    """Send until the queue takes no more."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other, contextlib.suppress(BlockingIOError):
        other.setblocking(False)
        while True:
            other.sendto(b"X=1", name)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_no_descriptor_is_left_open_after_many_messages(manager: tuple[socket.socket, str]) -> None:
    door, name = manager
    notifier = Notifier.from_environ({"NOTIFY_SOCKET": name})
    before = descriptors()
    for _ in range(100):
        notifier.watchdog()
        heard(door)

    assert descriptors() == before
