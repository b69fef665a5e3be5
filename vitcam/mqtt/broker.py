"""How a broker is reached, and why it is not, as a sentence."""

import logging
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from vitcam.config.mqtt import MqttSettings
from vitcam.errors import VitcamError
from vitcam.mqtt.topics import OFFLINE, Topics

if TYPE_CHECKING:
    from aiomqtt import Client

MISSING = "MQTT needs aiomqtt; install it with: pip install 'vitcam[mqtt]'"
ANSWER_S = 10.0
WINDOW = 16
"""Messages that a broker has not confirmed yet. Mosquitto takes 20 at once, and nobody takes fewer."""
_CONNECT_S = 5.0
_KEEPALIVE_S = 20
_MOST_INCOMING = 16
_LARGEST_BYTES = 65536
_quiet = logging.getLogger("vitcam.mqtt.library")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False  # it would log each message of a flood, and what went wrong a second time


class BrokerTrouble(VitcamError):
    """Why there is no connection, or why it was given up."""


class OtherVersion(BrokerTrouble):
    """The broker may know another version of the protocol."""


class Refusal(BrokerTrouble):
    """The broker took the connection, and does not take what is published."""


class Broker:
    """Makes connections to the broker of the settings.

    probe  only to see whether it answers: under another name, and without a last will
    """

    def __init__(self, settings: MqttSettings, topics: Topics, probe: bool = False) -> None:
        self._settings = settings
        self._probe = probe
        self._topics = topics
        port = settings.port or (8883 if settings.tls else 1883)
        self._port = port
        self.address = f"[{settings.host}]:{port}" if ":" in settings.host else f"{settings.host}:{port}"
        """For people."""

    @asynccontextmanager
    async def connected(self, version: str) -> AsyncIterator["Client"]:
        """A connection, from its begin to its end.

        version  `5` or `3.1.1`
        raises   BrokerTrouble where there is none, or where it ends
        """
        client, entered, said = self._client(version), False, LastWords()
        notice_early_end(client, said)
        try:
            async with client:
                entered = True
                yield client
        except (OSError, ValueError) as error:
            raise self.sentence(error, said) from error
        except Exception as error:
            from aiomqtt import MqttError

            if not isinstance(error, MqttError):
                raise
            trouble = self.sentence(error, said)
            raise BrokerTrouble(str(trouble)) if entered else trouble from error
        finally:
            release(client)

    def _client(self, version: str) -> "Client":
        if not find_spec("aiomqtt"):
            raise BrokerTrouble(MISSING)
        from aiomqtt import Client, ProtocolVersion, Will
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        settings, is_5 = self._settings, version == "5"
        properties = None
        if is_5:
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            properties.MaximumPacketSize = _LARGEST_BYTES  # commands are short
        client = Client(
            settings.host,
            self._port,
            username=settings.user or None,
            password=settings.password or None,
            logger=_quiet,
            # always the same: the broker then ends the session of a connection that broke without its knowledge
            identifier=self._topics.base.replace("/", "-") + ("-doctor" if self._probe else ""),
            protocol=ProtocolVersion.V5 if is_5 else ProtocolVersion.V311,
            will=None if self._probe else Will(self._topics.status, OFFLINE, 1, True),
            clean_session=None if is_5 else True,
            timeout=ANSWER_S,
            keepalive=_KEEPALIVE_S,
            max_queued_incoming_messages=_MOST_INCOMING,
            max_inflight_messages=WINDOW,
            properties=properties,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
            tls_context=self._tls() if settings.tls else None,
        )
        client.pending_calls_threshold = 2 * WINDOW
        client._client.connect_timeout = _CONNECT_S  # aiomqtt has no argument for it
        return client

    def sentence(self, error: BaseException, said: "LastWords") -> BrokerTrouble:
        """Why connecting failed, or a connection ended. What the library raises has no types for it."""
        from aiomqtt import MqttCodeError

        at, text = f"the MQTT broker {self.address}", str(error)
        context = error if isinstance(error, OSError) else error.__context__
        if isinstance(context, ssl.SSLCertVerificationError):
            why = f"the certificate of {self.address} cannot be trusted: {context.verify_message}"
            return BrokerTrouble(f"{why}; mqtt.authority names the certificate that signed it")
        if isinstance(context, ssl.SSLError):
            return BrokerTrouble(f"{at} refuses the encrypted connection: {context.reason or context}")
        if "SSL" in said.text:
            why = said.text.partition("SSL: ")[2].partition("]")[0].replace("_", " ").lower()
            return BrokerTrouble(f"{at} refuses the encrypted connection: {why}; check mqtt.certificate and mqtt.key")
        if isinstance(context, TimeoutError) or "timed out" in text:
            return OtherVersion(f"{at} did not answer in time")
        if isinstance(context, OSError):
            return BrokerTrouble(f"{at} cannot be reached: {context.strerror or context}")
        if isinstance(error, MqttCodeError) and "protocol version" in text.lower():
            return OtherVersion(f"{at} does not know this version of MQTT; set mqtt.version")
        if isinstance(error, MqttCodeError) and any(word in text for word in ("uthori", "password", "user name")):
            return BrokerTrouble(f"{at} refuses this user: {_words(text)}; check mqtt.user and mqtt.password")
        if "taken over" in text:
            why = f"another client has connected to {self.address} as {self._topics.base}"
            return BrokerTrouble(f"{why}; give each camera its own mqtt.name")
        return OtherVersion(f"{at} closed the connection: {_words(text)}")

    def _tls(self) -> ssl.SSLContext:
        settings = self._settings
        try:
            context = ssl.create_default_context(cafile=settings.authority or None)
        except (OSError, ValueError) as error:
            raise BrokerTrouble(f"mqtt.authority {settings.authority} cannot be used: {_reason(error)}") from error
        if settings.certificate:
            try:
                # a key with a passphrase would ask on the terminal
                context.load_cert_chain(settings.certificate, settings.key or None, password=lambda: b"")
            except (OSError, ValueError) as error:
                files = " with ".join(filter(None, (settings.certificate, settings.key)))
                raise BrokerTrouble(f"mqtt.certificate {files} cannot be used: {_reason(error)}") from error
        return context


class LastWords:
    """The last error that the library has logged on one connection: some exceptions do not have it."""

    text = ""


def notice_early_end(client: "Client", said: LastWords) -> None:
    """Let a connection that ends before the broker has answered fail at once: aiomqtt waits for the time limit."""
    from aiomqtt import MqttError
    from paho.mqtt.enums import LogLevel

    ended = client._client.on_disconnect

    def on_disconnect(*of_paho: Any) -> None:
        if not client._connected.done():
            client._connected.set_exception(MqttError("it ended before an answer"))
        if ended is not None:
            ended(*of_paho)

    def on_log(*of_paho: Any) -> None:
        if of_paho[2] == LogLevel.MQTT_LOG_ERR:
            said.text = str(of_paho[3])

    client._client.on_disconnect = on_disconnect
    client._client.on_log = on_log


def release(client: "Client") -> None:
    """Close what aiomqtt leaves open where a connection fails: the socket, a task, and an exception nobody asks for."""
    if client._misc_task is not None:
        client._misc_task.cancel()
    with suppress(Exception):  # paho's own clean-up, which its destructor calls too late
        client._client._reset_sockets()
    for future in (client._connected, client._disconnected):
        if future.done() and not future.cancelled():
            future.exception()


def notice_refusals(client: "Client", refused: Callable[[str], object]) -> None:
    """Call `refused` with the reason where the broker confirms a message and does not take it: aiomqtt does not look.

    Only MQTT 5 has reasons.
    """
    confirmed = client._client.on_publish

    def on_publish(*of_paho: Any) -> None:
        reason = of_paho[3]
        if getattr(reason, "is_failure", False):
            refused(str(reason))
        if confirmed is not None:
            confirmed(*of_paho)

    client._client.on_publish = on_publish


def _words(text: str) -> str:
    """Without the number in front."""
    return text.partition("] ")[2] or text or "no reason given"


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return "it is not a PEM file of that kind" if not error.reason else error.reason.replace("_", " ").lower()
    return (isinstance(error, OSError) and error.strerror) or str(error)
