"""A broker: its address, how it is trusted, and why it cannot be reached, as a sentence."""

import ssl
from typing import TYPE_CHECKING

from vitcam.errors import VitcamError
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.topics import Topics
from vitcam.sentence import Sentence

if TYPE_CHECKING:
    from paho.mqtt.reasoncodes import ReasonCode

ANSWER_S = 10.0
LET_WRITE, LET_READ, RAISE = "let its user write to {}", "let its user read {}", "raise its limit"

# reasons of MQTT 5, https://docs.oasis-open.org/mqtt/mqtt/v5.0/os/mqtt-v5.0-os.html#_Toc3901031
OTHER_VERSION, BAD_CLIENT_ID, NOT_AUTHORIZED, SHUTTING_DOWN, TAKEN_OVER = 132, 133, 135, 139, 142
TOO_LARGE, BAD_PAYLOAD, NO_RETAIN, NO_QOS = 149, 153, 154, 155
_OF_THE_USER = (134, NOT_AUTHORIZED, 138, 140)


class BrokerTrouble(VitcamError):
    """Why there is no connection, or why it ended."""

    def __init__(self, sentence: str, reason: int = 0) -> None:
        super().__init__(sentence)
        self.reason = reason
        """By which the broker ended it; 0: it gave none."""


class OtherVersion(BrokerTrouble):
    """The broker may know another version of the protocol."""


class SentTooMuch(BrokerTrouble):
    """The broker sent a message that is not read."""


class TooLarge(OSError):
    """A packet of the broker that is not read."""


class Broker:
    """The broker of the settings.

    probe  only to see whether it answers: under another name, and without a last will
    """

    def __init__(self, settings: MqttSettings, topics: Topics, probe: bool = False) -> None:
        self.settings = settings
        self.topics = topics
        self.has_will = not probe
        self.client_id = topics.base.replace("/", "-") + ("-doctor" if probe else "")
        self.port = settings.port or (8883 if settings.tls else 1883)
        self.address = f"[{settings.host}]:{self.port}" if ":" in settings.host else f"{settings.host}:{self.port}"
        """For people."""
        self.plain_will = False
        """Whether it takes no last will at QoS 1 that it would have to retain."""

    @property
    def closed(self) -> str:
        """That it closed the connection without a word."""
        return Sentence(
            f"the MQTT broker {self.address} closed the connection and gave no reason",
            "mqtt.closed",
            broker=self.address,
        )

    @property
    def keeps_nothing(self) -> str:
        """What is said of a broker without retained messages."""
        late = "so Home Assistant sees this camera only from its next message on"
        return f"the MQTT broker {self.address} keeps no messages, {late}; let it retain messages"

    def refusal(self, topic: str, why: str, to: str) -> str:
        """That it does not take one topic, with what to do.

        to  what its owner should do; `{}` in it stands for the topics
        """
        base, off = self.topics.base, ""
        own = topic.startswith(f"{base}/")
        if topic == self.topics.snapshot:
            off = ", or set mqtt.snapshots = false"
        elif topic.startswith(f"{base}/set/"):
            off = ", or set mqtt.commands = false"
        elif not own:
            off = ', or set mqtt.discovery = ""'
        return f"the MQTT broker {self.address} {why}; {to.format(f'{base}/#' if own else topic)}{off}"

    def trouble(self, fault: Exception | None, reason: "ReasonCode | None", taken: bool) -> BrokerTrouble:
        """Why connecting failed, or a connection ended.

        fault   of the network, or of what the broker sent
        reason  what the broker said
        taken   whether it had taken the connection
        """
        at, kind = f"the MQTT broker {self.address}", BrokerTrouble if taken else OtherVersion
        if reason is not None:
            return self._said(at, reason, taken)
        if isinstance(fault, TooLarge):
            who = f"find out who sends to {self.topics.base}/set/#"
            return SentTooMuch(f"{at} sent {fault}, so the connection was closed; {who}")
        if isinstance(fault, ssl.SSLCertVerificationError):
            why = f"the certificate of {self.address} cannot be trusted: {fault.verify_message}"
            text = f"{why}; mqtt.authority names the certificate that signed it"
            return BrokerTrouble(Sentence(text, "mqtt.untrusted", broker=self.address))
        if isinstance(fault, ssl.SSLError):
            why = (fault.reason or str(fault)).replace("_", " ").lower()
            return BrokerTrouble(f"{at} refuses the encrypted connection: {why}; check mqtt.certificate and mqtt.key")
        if isinstance(fault, TimeoutError):
            return kind(Sentence(f"{at} did not answer in time", "mqtt.silent", broker=self.address))
        if isinstance(fault, OSError) and not taken:
            text = f"{at} cannot be reached: {fault.strerror or fault}"
            return BrokerTrouble(Sentence(text, "mqtt.unreachable", broker=self.address))
        if fault is not None and not isinstance(fault, OSError):
            return kind(Sentence(f"{at} sent what is not MQTT", "mqtt.strange", broker=self.address))
        return kind(self.closed)

    def _said(self, at: str, reason: "ReasonCode", taken: bool) -> BrokerTrouble:
        code, words = reason.value, reason.getName()
        if code == OTHER_VERSION:
            text = f"{at} does not know this version of MQTT; set mqtt.version"
            return OtherVersion(Sentence(text, "mqtt.version", broker=self.address), code)
        if code in _OF_THE_USER and not taken:
            text = f"{at} refuses this user: {words}; check mqtt.user and mqtt.password"
            return BrokerTrouble(Sentence(text, "mqtt.user", broker=self.address), code)
        if code == TAKEN_OVER:
            why = f"another client has connected to {self.address} as {self.client_id}"
            text = f"{why}; give each camera its own mqtt.name"
            return BrokerTrouble(Sentence(text, "mqtt.same_name", broker=self.address, name=self.client_id), code)
        if code == BAD_CLIENT_ID:
            text = f"{at} refuses the name {self.client_id}: {words}; set mqtt.name"
            return BrokerTrouble(Sentence(text, "mqtt.client_name", broker=self.address, name=self.client_id), code)
        text = f"{at} {'closed' if taken else 'refuses'} the connection: {words}"
        return BrokerTrouble(Sentence(text, "mqtt.refused", broker=self.address), code)

    def tls(self) -> ssl.SSLContext:
        """What the encrypted connection is checked by. Raises BrokerTrouble for files that cannot be used."""
        settings = self.settings
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


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return "it is not a PEM file of that kind" if not error.reason else error.reason.replace("_", " ").lower()
    return (isinstance(error, OSError) and error.strerror) or str(error)
