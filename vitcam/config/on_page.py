"""Which settings the page may set, and why it may not set the others. What neither table names is not the page's."""

import re
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from types import MappingProxyType

from vitcam.config.open_sections import OPEN_SECTIONS
from vitcam.config.option import Option
from vitcam.config.settings import options

ON_PAGE = frozenset(
    f"{section}.{key}"
    for section, keys in {
        "camera": "source fingerprint width height fps rotate flip every ask_every",
        "model": "fps top_k likely",
        "look": "follow",
        "motion": "enabled threshold hold_s rest_fps",
        "events": "half_life_s enter leave dwell_s gap_s",
        "store": "enabled keep_days max_mb forget written_mb",
        "collect": "max_mb",
        "inbox": "enabled pictures max_mb",
        "clips": "enabled before_s after_s longest_s labels zones fps width",
        "problems": "enabled frozen_s",
        "overlay": "mode opacity",
    }.items()
    for key in keys.split()
)
"""Names of the settings that `PATCH /api/settings` changes."""
PROTECTING = ("store.keep_days", "store.max_mb")
"""What events are kept by. Where one was set and cannot be read, none is deleted because of its age."""


class Why(StrEnum):
    """Why the page may not set a setting, as the end of a sentence."""

    COMMAND = "it runs a program"
    PATH = "it names a file of this machine"
    PIN = "it moves a pin of this machine"
    ADDRESS = "it says where the page is served"
    ACCESS = "it says who may reach the page"
    CERTIFICATE = "it says by which certificate the page is known"
    BROKER = "it says to whom vitcam sends what it sees, and who may command it"
    FETCH = "it lets vitcam ask other machines"
    PROXY = "it says which proxies are believed"
    SECRET = "it is a key"  # noqa: S105 - a sentence
    MACHINE = "it belongs to who runs this machine"
    ELSEWHERE = "the page has a place of its own for it"


_OF_BROKER = "host port user tls version prefix name snapshots commands discovery labels"
_OF_ZONES = ("rect", "labels", "enter", "leave", "dwell_s", "follow")
_RULE_KEYS = "name label zone above for_s between cooldown_s kind phase webhook notify mqtt push sound"
_OF_RULES = _RULE_KEYS.split()
NOT_ON_PAGE: Mapping[str, Why] = MappingProxyType(
    {
        "camera.crop": Why.ELSEWHERE,
        "camera.masks": Why.ELSEWHERE,
        "camera.authority": Why.PATH,
        "model.name": Why.ELSEWHERE,
        "model.labels": Why.PATH,
        "model.threads": Why.MACHINE,
        "heat.enabled": Why.MACHINE,
        "heat.limit": Why.MACHINE,
        "actions.secret": Why.SECRET,
        **{f"mqtt.{key}": Why.BROKER for key in _OF_BROKER.split()},
        "mqtt.password": Why.SECRET,
        **{f"mqtt.{key}": Why.PATH for key in ("authority", "certificate", "key")},
        "web.enabled": Why.ADDRESS,
        "web.host": Why.ADDRESS,
        "web.port": Why.ADDRESS,
        "web.names": Why.ACCESS,
        "web.open": Why.ACCESS,
        "web.fetch": Why.FETCH,
        "web.announce": Why.ADDRESS,
        "web.certificate": Why.CERTIFICATE,
        "web.key": Why.CERTIFICATE,
        "web.proxies": Why.PROXY,
        "web.base": Why.PROXY,
        "web.frames": Why.ACCESS,
        "names.language": Why.ELSEWHERE,
        'names."LABEL"': Why.ELSEWHERE,
        "peers.NAME": Why.FETCH,
        "log.format": Why.MACHINE,
        "log.emit": Why.MACHINE,
        **{f"zones.{key}": Why.ELSEWHERE for key in _OF_ZONES},
        **{f"on.{key}": Why.ELSEWHERE for key in _OF_RULES},
        "on.command": Why.COMMAND,
        "on.timeout_s": Why.COMMAND,
        "on.gpio": Why.PIN,
        "on.gpio_s": Why.PIN,
        "on.file": Why.PATH,
        "on.file_mb": Why.PATH,
        "on.file_keep": Why.PATH,
    }
)
"""All others: `section.key`, or the key of a table without its name."""

_MOST_TEXT = 2000
_CAMERA = re.compile(
    r"picamera(:\d{1,3})?|(v4l2:)?/dev/(video\d{1,3}|v4l/by-(id|path)/[\w:+-][\w:.+-]*)|demo|(?i:rtsps?|https?)://[^\s\0]+",
    re.ASCII,
)
_CAMERA_WORDS = "picamera, v4l2:/dev/video0, an address that begins with rtsp:// or http://, or demo"


def is_page_camera(text: str) -> bool:
    """Whether a text names a camera or the demo, and no other file of this machine."""
    return len(text) <= _MOST_TEXT and text.isprintable() and _CAMERA.fullmatch(text) is not None


def page_option(name: str) -> Option | None:
    """A setting with what the page may set it to; None where it may not."""
    if name not in ON_PAGE:
        return None
    option = options()[name]
    if name == "camera.source":
        return replace(option, rule=replace(option.rule, form=is_page_camera, form_words=_CAMERA_WORDS))
    return option


def why_not(name: str) -> Why | None:
    """Why the page may not set a setting, a key of a table or a name of one's own; None: it may, or nobody knows it."""
    section, _, key = name.partition(".")
    if section in OPEN_SECTIONS and name not in NOT_ON_PAGE:
        name = OPEN_SECTIONS[section].name
    return NOT_ON_PAGE.get(name) or NOT_ON_PAGE.get(f"{section}.{key.rpartition('.')[2]}")
