"""Which IP addresses are public: nothing of this machine, of its network, or of a network behind it.

Somebody who may use the page could else reach through vitcam what only this machine reaches: a router's page, another
program on this machine, a cloud's metadata service.
"""

import ipaddress
import struct
from collections.abc import Sequence
from pathlib import Path

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_UNICAST = ipaddress.IPv6Network("2000::/3")
"""All of IPv6 that is assigned to the public internet. NAT64 (64:ff9b::/96), addresses that hold one of IPv4
(::ffff:0:0/96, ::/96), link-local, unique local and multicast ones lie outside."""
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8",  # this network
            "100.64.0.0/10",  # behind a provider's NAT
            "192.0.0.0/24",
            "192.88.99.0/24",  # relays of 6to4
            "198.18.0.0/15",  # measurements
            "240.0.0.0/4",
            "2001::/23",  # Teredo, which holds an address of IPv4, and others with a special purpose
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4 holds an address of IPv4
            "3fff::/20",  # documentation
        ),
    )
)
"""Beside what `ipaddress` knows: which of these it counts differs between versions of Python (RFC 6890 and its
successors)."""
_HOME_BITS = 56
"""What a provider usually gives to one home: its other networks begin with the same bits."""


def is_public(text: str, own: Sequence[Network] = ()) -> bool:
    """Whether an IP address is one of the public internet.

    own  networks that this machine is in: also a public address in one of these is a neighbour
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:  # also one with a zone, such as fe80::1%eth0
        return False
    if isinstance(address, ipaddress.IPv6Address) and address not in _UNICAST:
        return False
    if not address.is_global or address.is_multicast or address.is_reserved or address.is_unspecified:
        return False
    return not any(address in network for network in (*_NOT_PUBLIC, *own))


def own_networks(proc: Path = Path("/proc/net")) -> tuple[Network, ...]:
    """The networks that this machine is in, as the kernel lists them; none where it does not."""
    return (*_of_ipv6(_lines(proc / "if_inet6")), *_of_ipv4(_lines(proc / "route")[1:]))


def _of_ipv6(lines: Sequence[str]) -> list[Network]:
    """Lines such as `2a02…01 02 40 00 80 eth0`: the address, the interface's number, the bits of its network."""
    found: list[Network] = []
    for line in lines:
        digits, _, bits, *_ = line.split()
        address = ipaddress.IPv6Address(bytes.fromhex(digits))
        found.append(ipaddress.ip_network((address, min(int(bits, 16), _HOME_BITS)), strict=False))
    return found


def _of_ipv4(lines: Sequence[str]) -> list[Network]:
    """Lines such as `eth0 0001A8C0 00000000 0001 0 0 0 00FFFFFF …`: a network without a gateway is a neighbour's."""
    found: list[Network] = []
    for line in lines:
        _, network, gateway, *_, mask = line.split()[:8]
        if int(gateway, 16) == 0 and int(mask, 16) != 0:
            found.append(ipaddress.ip_network(f"{_ipv4(network)}/{_ipv4(mask)}", strict=False))
    return found


def _ipv4(digits: str) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(struct.pack("=I", int(digits, 16)))


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except OSError:  # IPv6 is off, or the file may not be read
        return []
