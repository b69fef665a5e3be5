"""What the environment says of the manager, and that no manager at all is nothing special."""

import os
from collections.abc import Mapping

import pytest

from vitcam.daemon.systemd import Notifier


def test_without_a_manager_every_message_is_dropped_in_silence() -> None:
    notifier = Notifier.from_environ({})
    notifier.ready("x")
    notifier.status("x")
    notifier.watchdog()
    notifier.stopping("x")

    assert not notifier.listened_to
    assert notifier.watchdog_s is None


@pytest.mark.parametrize("name", ["", "relative/path", "vsock:2:1234"])
def test_a_socket_that_cannot_be_meant_counts_as_none(name: str) -> None:
    assert Notifier.from_environ({"NOTIFY_SOCKET": name}) == Notifier()


def test_an_at_sign_stands_for_the_abstract_namespace() -> None:
    assert Notifier.from_environ({"NOTIFY_SOCKET": "@/run/x"}).address == b"\0/run/x"
    assert Notifier.from_environ({"NOTIFY_SOCKET": "/run/x"}).address == "/run/x"


@pytest.mark.parametrize(
    ("environ", "interval_s"),
    [
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "500000", "WATCHDOG_PID": str(os.getpid())}, 0.5),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": ""}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "-5"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "²"}, None),
        ({"WATCHDOG_PID": str(os.getpid())}, None),
        ({}, None),
    ],
)
def test_the_interval_is_read_where_it_is_meant_for_this_process(
    environ: Mapping[str, str], interval_s: float | None
) -> None:
    assert Notifier.from_environ(environ).watchdog_s == interval_s


def test_a_path_too_long_for_a_socket_is_no_error() -> None:
    for address in ("/" + "x" * 300, "/null\0byte"):
        notifier = Notifier.from_environ({"NOTIFY_SOCKET": address})
        notifier.watchdog()

        assert notifier.listened_to
