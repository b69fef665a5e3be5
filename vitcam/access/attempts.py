"""Slows down clients that guess passwords. Each address is counted by itself, so that one cannot lock out another."""

import ipaddress
import time
from collections.abc import Callable
from dataclasses import dataclass

_WAITS_FROM = 5
"""From this wrong password on, an address has to wait."""
_FIRST_WAIT_S, _LONGEST_WAIT_S = 2.0, 60.0
_FORGOTTEN_S = 900.0
_MOST_ADDRESSES = 4096
_IPV6_HOME = 64  # bits: a home is given that many, and may take any address in them


@dataclass(slots=True)
class _Guesses:
    wrong: int = 0
    last_s: float = 0.0
    until_s: float = 0.0
    """No password is checked before that."""


class Attempts:
    """Wrong passwords by address. Every check counts as wrong until it is known to be right.

    From its fifth one on, an address waits after each: 2 s, 4 s, 8 s and so on, a minute at most.

    clock  seconds that only grow
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._guesses: dict[str, _Guesses] = {}  # the one that guessed last at the end

    def wait_s(self, address: str) -> float:
        """How long until a password from this address is checked; 0: now."""
        found = self._guesses.get(home_of(address))
        return max(0.0, found.until_s - self._clock()) if found else 0.0

    def begin(self, address: str) -> int:
        """Count a check that begins; returns how many were wrong in a row, with this one."""
        now = self._clock()
        home = home_of(address)
        found = self._guesses.pop(home, None)
        if found is None or now - found.last_s > _FORGOTTEN_S:
            found = _Guesses()
        found.wrong += 1
        found.last_s = now
        if found.wrong >= _WAITS_FROM:
            doublings = min(found.wrong - _WAITS_FROM, 10)
            found.until_s = now + min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**doublings)
        self._guesses[home] = found
        if len(self._guesses) > _MOST_ADDRESSES:
            del self._guesses[next(iter(self._guesses))]
        return found.wrong

    def right(self, address: str) -> None:
        """The check that began was of the right password."""
        self._guesses.pop(home_of(address), None)


def home_of(address: str) -> str:
    """The address, or of IPv6 the network that one home has: what is counted as one."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, _IPV6_HOME), strict=False))
    return str(found)
