"""What settings may hold where they name a machine, a network, a site or a place on a site."""

import ipaddress
import re
from urllib.parse import urlsplit

_HOST_NAME = re.compile(r"(?=.{1,253}\.?$)[\w-]{1,63}(\.[\w-]{1,63})*\.?")
OWN_PATHS: tuple[str, ...] = (
    "api",
    "page",
    "login",
    "logout",
    "stream",
    "snapshot",
    "snapshot.jpg",
    "openapi.json",
    "healthz",
    "readyz",
    "metrics",
    "favicon.ico",
)
"""First parts of the paths that vitcam answers at. Below one of them, two paths could be meant."""
_PART = r"/(?!\.{1,2}(?:/|$))[A-Za-z0-9._~-]+"
_BASE_PATH = re.compile(rf"(?!/(?:{'|'.join(map(re.escape, OWN_PATHS))})(?:/|$))(?:{_PART})*/?")
_LONGEST_PATH = 200
_SITE = re.compile(r"https?://[a-z0-9.:\[\]-]+/?")


def is_host_name(text: str) -> bool:
    """Whether a text is one name of a machine, without a port, as in DNS."""
    return _HOST_NAME.fullmatch(text) is not None


def is_network(text: str) -> bool:
    """Whether a text is an IP address, or a network such as 10.0.0.0/8."""
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def is_base_path(text: str) -> bool:
    """Whether a text is a path such as /cameras/vitcam, without anything that browsers or cookies read as more."""
    return len(text) <= _LONGEST_PATH and _BASE_PATH.fullmatch(text) is not None


def is_site(text: str) -> bool:
    """Whether a text is scheme, host and perhaps port of a site, as browsers compare them."""
    try:
        text = text.lower()
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    return _SITE.fullmatch(text) is not None and port != 0 and (is_host_name(host) or is_network(host))
