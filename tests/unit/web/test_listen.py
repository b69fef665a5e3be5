"""Binding a port, and the error when it is not available."""

import socket

import pytest

from vitcam.errors import VitcamError
from vitcam.web.server import listen


def test_a_port_in_use_is_refused_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(VitcamError, match=rf"port {port} is in use already.*--port") as refused:
            listen("127.0.0.1", port)

    assert refused.value.exit_code == 1


def test_port_zero_takes_any_free_port() -> None:
    with listen("127.0.0.1", 0) as taken:
        assert taken.getsockname()[1] > 0


@pytest.mark.parametrize("host", ["no such host.invalid", "192.0.2.7", "..", "x" * 300])
def test_an_address_of_another_machine_is_refused_with_what_to_do(host: str) -> None:
    with pytest.raises(VitcamError, match=r"is not an address of this machine.*--host"):
        listen(host, 0)


def test_a_port_that_does_not_exist_is_refused() -> None:
    with pytest.raises(VitcamError, match="port 70000 does not exist"):
        listen("127.0.0.1", 70000)


def test_localhost_is_taken_where_most_programs_look_for_it() -> None:
    with listen("localhost", 0) as taken:
        assert taken.getsockname()[0] == "127.0.0.1"
