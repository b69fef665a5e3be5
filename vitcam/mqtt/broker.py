"""How a broker is reached, and why it is not, as a sentence."""

import logging
import ssl
from collections.abc import Callable
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


class Broker:
    """Makes connections to the broker of the settings."""

    def __init__(self, settings: MqttSettings, topics: Topics) -> None:
        self._settings = settings
        self._topics = topics
        port = settings.port or (8883 if settings.tls else 1883)
        self._port = port
        self.address = f"[{settings.host}]:{port}" if ":" in settings.host else f"{settings.host}:{port}"
        """For people."""

    def client(self, version: str) -> "Client":
        """A connection that is not open yet; entering it opens it. Called in an event loop.

        version  `5` or `3.1.1`
        raises   BrokerTrouble where a library or a file is missing
        """
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
            identifier=f"{self._topics.prefix}-{self._topics.name}".replace("/", "-"),
            protocol=ProtocolVersion.V5 if is_5 else ProtocolVersion.V311,
            will=Will(self._topics.status, OFFLINE, 1, True),
            clean_session=None if is_5 else True,
            timeout=ANSWER_S,
            keepalive=_KEEPALIVE_S,
            max_queued_incoming_messages=_MOST_INCOMING,
            max_inflight_messages=WINDOW,
            properties=properties,
            tls_context=self._tls() if settings.tls else None,
        )
        client.pending_calls_threshold = 2 * WINDOW
        client._client.connect_timeout = _CONNECT_S  # aiomqtt has no argument for it
        return client

    def sentence(self, error: BaseException) -> BrokerTrouble:
        """Why connecting failed, or a connection ended. What the library raises has no types for it."""
        from aiomqtt import MqttCodeError

        at, text = f"the MQTT broker {self.address}", str(error)
        context = error if isinstance(error, OSError) else error.__context__
        if isinstance(context, ssl.SSLCertVerificationError):
            why = f"the certificate of {self.address} cannot be trusted: {context.verify_message}"
            return BrokerTrouble(f"{why}; mqtt.authority names the certificate that signed it")
        if isinstance(context, ssl.SSLError):
            return BrokerTrouble(f"{at} refuses the encrypted connection: {context.reason or context}")
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
        return "it is no PEM file of that kind" if not error.reason else error.reason.replace("_", " ").lower()
    return (isinstance(error, OSError) and error.strerror) or str(error)
