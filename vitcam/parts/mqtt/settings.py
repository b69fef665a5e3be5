"""Settings of the connection to an MQTT broker."""

import re
from dataclasses import dataclass
from typing import Annotated, Literal

from vitcam.config.option import Rule, Why
from vitcam.config.validators import is_host_name, is_network

MqttVersion = Literal["auto", "5", "3.1.1"]

_PART = r"[^+#/\s\0$][^+#/\s\0]{0,63}"
_PREFIX = re.compile(rf"{_PART}(?:/{_PART}){{0,4}}")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _is_host(text: str) -> bool:
    return is_host_name(text) or ("/" not in text and is_network(text))


def _is_prefix(text: str) -> bool:
    return _PREFIX.fullmatch(text) is not None and text.isprintable()


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class MqttSettings:
    """The broker that gets state, events and pictures, and from which commands come. It needs the extra mqtt."""

    host: Annotated[
        str,
        Rule(
            "Host name or IP address of the MQTT broker. Empty: no MQTT",
            form=_is_host,
            form_words="a host name such as broker.local, or an IP address",
            example="192.168.1.2",
            page=Why.BROKER,
        ),
    ] = ""
    port: Annotated[
        int, Rule("TCP port of the broker. 0: 1883, with `tls` 8883", low=0, high=65535, page=Why.BROKER)
    ] = 0
    user: Annotated[str, Rule("User name at the broker. Empty: none is sent", page=Why.BROKER)] = ""
    password: Annotated[
        str,
        Rule(
            "Password at the broker. In the environment it stands in no file: VITCAM_MQTT_PASSWORD",
            secret=True,
            page=Why.SECRET,
        ),
    ] = ""
    tls: Annotated[bool, Rule("Encrypt the connection, and check the certificate of the broker", page=Why.BROKER)] = (
        False
    )
    authority: Annotated[
        str,
        Rule(
            "PEM file with the certificates that sign the broker's. Empty: the ones that this machine trusts",
            page=Why.PATH,
        ),
    ] = ""
    certificate: Annotated[
        str,
        Rule("PEM file with the certificate by which the broker knows this camera. Empty: none is sent", page=Why.PATH),
    ] = ""
    key: Annotated[
        str,
        Rule(
            "PEM file with the private key of the certificate. Empty: it is in the file of the certificate",
            page=Why.PATH,
        ),
    ] = ""
    version: Annotated[
        MqttVersion,
        Rule("Version of the protocol. auto: 5, and 3.1.1 where the broker does not know 5", page=Why.BROKER),
    ] = "auto"
    prefix: Annotated[
        str,
        Rule(
            "First part of all topics: PREFIX/NAME/status and so on",
            filled=True,
            form=_is_prefix,
            form_words="up to five words with / between them, without +, # and spaces",
            page=Why.BROKER,
        ),
    ] = "vitcam"
    name: Annotated[
        str,
        Rule(
            "Name of this camera in the topics. Each camera of a broker needs its own. Empty: the name of this machine",
            form=_is_name,
            form_words="up to 64 letters, digits, - and _",
            example="kitchen",
            page=Why.BROKER,
        ),
    ] = ""
    snapshots: Annotated[
        bool, Rule("Publish a picture when an event begins. Masks are black in it, as everywhere", page=Why.BROKER)
    ] = True
    commands: Annotated[
        bool,
        Rule(
            "Do what is asked on the topics PREFIX/NAME/set/…: pause, model, threshold, overlay, snapshot",
            page=Why.BROKER,
        ),
    ] = True
    discovery: Annotated[
        str,
        Rule(
            "First part of the topics by which Home Assistant finds this camera by itself. Empty: it is not told of it",
            form=_is_prefix,
            form_words="up to five words with / between them, without +, # and spaces",
            page=Why.BROKER,
        ),
    ] = "homeassistant"
    labels: Annotated[
        tuple[str, ...],
        Rule(
            "Labels and groups of which the state says whether they are there, beside those of zones and rules",
            labels=True,
            page=Why.BROKER,
        ),
    ] = ()
