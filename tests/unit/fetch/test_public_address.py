"""Which addresses are public, in every way in which an address can be written and hidden in another one."""

from pathlib import Path

import pytest

from vitcam.fetch.public_address import is_public, own_networks

PUBLIC = ("1.1.1.1", "93.184.215.14", "2606:4700::6810:84e5", "2a00:1450:4001:830::200e")
NOT_PUBLIC = {
    "this machine": ("127.0.0.1", "127.8.9.1", "::1", "0.0.0.0", "0.1.2.3", "::"),
    "private": ("10.0.0.1", "172.16.5.4", "172.31.255.255", "192.168.1.1", "fd12::1", "fc00::1"),
    "link-local, with a cloud's metadata": ("169.254.169.254", "fe80::1", "fe80::1%eth0", "fec0::1"),
    "behind a provider": ("100.64.0.1", "100.127.255.254"),
    "multicast and broadcast": ("224.0.0.1", "239.255.255.250", "255.255.255.255", "ff02::1", "ff0e::1"),
    "reserved, for tests and documentation": (
        "240.0.0.1", "192.0.0.8", "192.0.2.1", "198.51.100.7", "203.0.113.9", "198.18.0.1", "192.88.99.1",
        "2001:db8::1", "3fff::1", "5f00::1", "100::1",
    ),
    "IPv4 inside of IPv6": (
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:1.1.1.1", "::ffff:0:127.0.0.1", "::127.0.0.1", "::1.1.1.1",
    ),
    "NAT64": ("64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::a00:1"),
    "6to4 and Teredo": ("2002:7f00:1::1", "2002:a00:1::", "2001:0:4136:e378:8000:63bf:3fff:fdd2"),
    "no address": ("", "localhost", "2130706433", "0x7f.1", "1.1.1", "1.1.1.1 ", "١.١.١.١"),
}  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address", [pytest.param(each, id=f"{why}: {each}") for why, those in NOT_PUBLIC.items() for each in those]
)
def test_any_other_address_is_not(address: str) -> None:
    assert not is_public(address)


def test_a_neighbour_with_a_public_address_is_not_public(tmp_path: Path) -> None:
    (tmp_path / "if_inet6").write_text(
        "2a0200deadbeef100000000000000001 02 40 00 80     eth0\n"
        "00000000000000000000000000000001 01 80 10 80       lo\n"
        "fe80000000000000021122fffe334455 02 40 20 80     eth0\n"
    )
    (tmp_path / "route").write_text(
        "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
        "eth0\t00000000\t015DB85D\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
        "eth0\t005DB85D\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n"
    )

    own = own_networks(tmp_path)

    assert not is_public("93.184.93.7", own)
    assert not is_public("2a02:de:adbe:ef10::5", own)
    assert not is_public("2a02:de:adbe:ef77::5", own), "another network of the same home"
    assert is_public("93.184.94.7", own)
    assert is_public("2a02:de:adbe:f010::5", own)
    assert is_public("1.1.1.1", own), "what the way to the internet leads to is no neighbour"


def test_a_kernel_without_these_lists_gives_no_networks(tmp_path: Path) -> None:
    assert own_networks(tmp_path) == ()
    for network in own_networks():
        assert network.prefixlen
