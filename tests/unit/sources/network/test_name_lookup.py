"""Names become addresses in a process of its own, which can be ended."""

import socket
import threading
import time

import pytest

from vitcam.sources.network.name_lookup import NameLookup


def test_a_name_has_the_addresses_that_the_system_gives_it() -> None:
    wanted = {str(entry[4][0]) for entry in socket.getaddrinfo("localhost", None, type=socket.SOCK_STREAM)}

    assert set(NameLookup()("localhost")) == wanted


@pytest.mark.parametrize("address", ["192.0.2.7", "2001:db8::7", "fe80::1%eth0"])
def test_an_address_is_looked_up_nowhere(address: str) -> None:
    assert NameLookup()(address) == (address,)


@pytest.mark.parametrize("name", ["no-host.invalid", "x" * 300 + ".invalid", "a..b"])
def test_a_name_that_has_no_address_is_an_error_with_a_reason(name: str) -> None:
    with pytest.raises(OSError, match=r"[a-z]{3}") as refused:
        NameLookup()(name)

    assert refused.value.strerror
    assert name not in str(refused.value)


def test_a_lookup_that_nobody_waits_for_any_more_is_ended() -> None:
    lookup = NameLookup()
    threading.Timer(0.0, lookup.hang_up).start()
    began = time.monotonic()
    with pytest.raises(OSError, match=r"no name server answers|was ended"):
        lookup("no-host.invalid", limit_s=0.01)

    assert time.monotonic() - began < 5
