"""One connection to a broker: paho-mqtt's client, driven by the thread that uses it. Nothing large comes in."""

import select
import socket
import ssl
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from vitcam.parts.mqtt.broker import BAD_PAYLOAD, NOT_AUTHORIZED, TOO_LARGE, Broker, TooLarge
from vitcam.parts.mqtt.topics import OFFLINE

LARGEST_BYTES = 65536
"""Of a packet that comes in: commands are short."""
WINDOW = 16
"""Messages that a broker has not confirmed yet. Mosquitto takes 20 at once."""
_ANY_BYTES = 268_435_455
_HEADER_BYTES = 16  # what a packet takes beside topic and payload, at most
_CONNECT_S, _KEEPALIVE_S = 5.0, 20
_UNSPECIFIED = 128
_REASONS_OF_PUBACK = (0, 16, _UNSPECIFIED, 131, NOT_AUTHORIZED, 144, 145, 151, BAD_PAYLOAD)
_FAULTS: dict[int, Exception] = {130: ValueError("it is not MQTT"), 141: TimeoutError()}
"""Why paho itself ended a connection, by the reason that it gives."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the broker takes, by its answer to CONNECT; MQTT 3.1.1 has no words for it."""

    packet_bytes: int = _ANY_BYTES
    qos: int = 1
    retains: bool = True
    window: int = WINDOW

    @classmethod
    def of(cls, said: Properties | None) -> "Limits":
        return cls(
            getattr(said, "MaximumPacketSize", _ANY_BYTES),
            min(1, getattr(said, "MaximumQoS", 1)),
            bool(getattr(said, "RetainAvailable", 1)),
            min(WINDOW, getattr(said, "ReceiveMaximum", WINDOW)),
        )

    @property
    def words(self) -> str:
        """For people, behind a sentence; empty: there are none."""
        if self.packet_bytes == _ANY_BYTES:
            return ""
        return f"; it takes at most {self.packet_bytes:,} bytes a message, so larger pictures are made smaller"


class Connection(Client):
    """`open`, `turn` and `answer_to` raise BrokerTrouble where there is no connection any more."""

    def __init__(self, broker: Broker, version: str) -> None:
        protocol = MQTTProtocolVersion.MQTTv5 if version == "5" else MQTTProtocolVersion.MQTTv311
        super().__init__(CallbackAPIVersion.VERSION2, broker.client_id, protocol=protocol, reconnect_on_failure=False)
        self.version = version
        self.limits = Limits()
        self.heard: deque[MQTTMessage] = deque()
        """Messages that came."""
        self.answers: deque[tuple[int, list[ReasonCode]]] = deque()
        """What the broker answered to PUBLISH (one reason) and SUBSCRIBE (one for each topic), by packet."""
        self._broker = broker
        self._taken = False  # by the broker
        self._fault: Exception | None = None
        self._said: ReasonCode | None = None
        self.connect_timeout = _CONNECT_S
        self.on_connect = self._note_connected
        self.on_disconnect = self._note_disconnected
        self.on_message = lambda _client, _data, message: self.heard.append(message)
        self.on_publish = lambda _client, _data, number, reason, _more: self.answers.append((number, [reason]))
        self.on_subscribe = lambda _client, _data, number, reasons, _more: self.answers.append((number, reasons))

    def open(self, within_s: float) -> None:
        """Connect, and wait for the broker's answer."""
        settings, properties = self._broker.settings, None
        if settings.user:
            self.username_pw_set(settings.user, settings.password or None)
        if settings.tls:
            self.tls_set_context(self._broker.tls())
        if self._broker.has_will:
            plain = self._broker.plain_will
            self.will_set(self._broker.topics.status, OFFLINE, 0 if plain else 1, not plain)
        if self.version == "5":
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            properties.MaximumPacketSize = LARGEST_BYTES
        try:
            self.connect(settings.host, self._broker.port, _KEEPALIVE_S, properties=properties)
            if isinstance(opened := self.socket(), socket.socket):
                opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, ValueError) as error:
            raise self._broker.trouble(error, None, taken=False) from error
        until_s = time.monotonic() + within_s
        while not self._taken:
            if time.monotonic() > until_s:
                raise self._broker.trouble(TimeoutError(), None, taken=False)
            self.turn(0.1)

    def turn(self, within_s: float) -> None:
        """Read and write what can be; wait for that for at most `within_s`."""
        sock = self.socket()
        if sock is None:
            raise self._broker.trouble(self._fault, self._said, self._taken)
        poll, waits = select.poll(), isinstance(sock, ssl.SSLSocket) and sock.pending()
        poll.register(sock.fileno(), select.POLLIN | (select.POLLOUT if self.want_write() else 0))
        try:
            if poll.poll(0 if waits else 1000 * within_s) or waits:
                self.loop_read()
                self.loop_write()
            self.loop_misc()
        except Exception as error:  # of paho, at bytes that are not MQTT: it has no type for that
            raise self._broker.trouble(error, None, self._taken) from error

    def send(self, topic: str, payload: bytes, retain: bool) -> int:
        """Publish it as the broker takes it; returns the number by which its answer comes."""
        return self.publish(topic, payload, self.limits.qos, retain and self.limits.retains).mid

    def ask_for(self, topics: tuple[str, ...]) -> int:
        """Subscribe; returns the number by which the answer comes."""
        return self.subscribe([(topic, 1) for topic in topics])[1] or 0

    def room(self, topic: str) -> int:
        """How many bytes the broker takes as payload of a message to a topic."""
        return self.limits.packet_bytes - len(topic.encode()) - _HEADER_BYTES

    def answer_to(self, number: int, within_s: float) -> list[ReasonCode]:
        """Wait for the answer to one thing that was asked."""
        until_s = time.monotonic() + within_s
        while not (found := [reasons for mid, reasons in self.answers if mid == number]):
            if time.monotonic() > until_s:
                raise self._broker.trouble(TimeoutError(), None, self._taken)
            self.turn(0.1)
        return found[0]

    def close(self, leave: bool) -> None:
        """End it. Where it does not take leave, the broker says the last will."""
        with suppress(Exception):  # whatever paho makes of a connection that is half gone
            if leave:
                self.disconnect()
        if (sock := self.socket()) is not None:
            sock.close()
        # a circle of references would keep paho's buffers until the next collection
        self.on_connect = self.on_disconnect = self.on_message = self.on_publish = self.on_subscribe = None

    def _sock_recv(self, bufsize: int) -> bytes:
        """The one place where paho reads: a byte, or what is missing of a packet. What this raises ends the connection.

        A message at QoS 2, which was not asked for, would be kept in memory until the broker has said more.
        """
        try:
            if bufsize > LARGEST_BYTES:
                raise TooLarge(f"a message of {bufsize:,} bytes; at most {LARGEST_BYTES:,} are read")
            if self._in_packet["command"] & 0xF6 == 0x34:
                raise TooLarge("a message at QoS 2, which was not asked for")
            return super()._sock_recv(bufsize)
        except OSError as error:
            if not isinstance(error, BlockingIOError):
                self._fault = error  # paho keeps only that it failed
            raise

    def _handle_pubackcomp(self, cmd: Any) -> Any:
        """paho would end the connection at a reason that the standard does not give PUBACK, such as mosquitto's 149."""
        body = self._in_packet["packet"]
        if cmd == "PUBACK" and len(body) > 2 and body[2] not in _REASONS_OF_PUBACK:
            body[2] = BAD_PAYLOAD if body[2] == TOO_LARGE else _UNSPECIFIED
        return super()._handle_pubackcomp(cmd)

    def _note_connected(self, _client: object, _data: object, _flags: object, reason: ReasonCode, more: Any) -> None:
        self._taken, self._said = not reason.is_failure, reason if reason.is_failure else None
        plain = self._broker.plain_will and self.version != "5"
        self.limits = Limits(retains=False) if plain else Limits.of(more)

    def _note_disconnected(self, _client: object, _data: object, flags: Any, reason: ReasonCode, _: object) -> None:
        if flags.is_disconnect_packet_from_server:
            self._said = reason
        elif self._fault is None:
            self._fault = _FAULTS.get(reason.value)
