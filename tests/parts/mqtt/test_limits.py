"""What a broker says of itself in CONNACK."""

from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from vitcam.parts.mqtt.connection import WINDOW, Limits


def said(**values: int) -> Properties:
    found = Properties(PacketTypes.CONNACK)  # type: ignore[no-untyped-call]
    for name, value in values.items():
        setattr(found, name, value)
    return found


def test_limits_of_connack_are_kept_and_silence_is_no_limit() -> None:
    assert Limits.of(None) == Limits.of(said()) == Limits()
    strict = Limits.of(said(MaximumPacketSize=20_000, MaximumQoS=0, RetainAvailable=0, ReceiveMaximum=3))
    assert strict == Limits(20_000, 0, False, 3)
    assert "20,000 bytes" in strict.words
    assert Limits.of(said(MaximumQoS=1, ReceiveMaximum=65535)) == Limits(window=WINDOW)
