"""What the text of a setting may be: names of machines, networks, paths, web addresses, durations, times of the day."""

import ipaddress
import re
from urllib.parse import urlsplit

_HOST_NAME = re.compile(r"(?=.{1,253}\.?$)[\w-]{1,63}(\.[\w-]{1,63})*\.?")
PATH_PART = r"/(?!\.{1,2}(?:/|$))[A-Za-z0-9._~-]+"
LONGEST_PATH = 200
_SITE = re.compile(r"https?://[a-z0-9.:\[\]-]+/?")
DURATION_WORDS = "a time from 50ms to 24h, such as 3s, 0.5s, 500ms or 2m"
SPAN_WORDS = "two times of the day such as 22:00-06:00"
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s|m|h)?")
_SPAN = re.compile(r"\s*([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)\s*")
_TOPIC = re.compile(r"[^:/]/[\w-]{1,64}$", re.ASCII)
_TOKEN = re.compile(r"[!-~]+")
_SECONDS = {"ms": 0.001, "s": 1.0, None: 1.0, "m": 60.0, "h": 3600.0}
_LEAST_S, _MOST_S = 0.05, 24 * 3600.0


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


def is_site(text: str) -> bool:
    """Whether a text is scheme, host and perhaps port of a site, as browsers compare them."""
    try:
        text = text.lower()
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    return _SITE.fullmatch(text) is not None and port != 0 and (is_host_name(host) or is_network(host))


def is_web_address(text: str) -> bool:
    """Whether a text is an address of http or https with a host, and without a password in it."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    plain = text.isascii() and text.isprintable() and " " not in text
    return (
        plain and parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc and port != 0
    )


def is_topic(text: str) -> bool:
    """Whether a text is the address of a topic of an ntfy server."""
    return is_web_address(text) and not {"?", "#"} & set(text) and _TOPIC.search(text) is not None


def is_token(text: str) -> bool:
    """Whether a text may stand in a header as it is: ASCII without spaces."""
    return _TOKEN.fullmatch(text) is not None


def is_notify_address(text: str) -> bool:
    """Whether a text looks like an address of Apprise: a scheme and something behind it."""
    scheme, _, rest = text.partition("://")
    return scheme.isascii() and scheme.isalnum() and bool(rest.strip())


def is_rule_name(text: str) -> bool:
    """Whether a rule may be called so."""
    return re.fullmatch(r"[\w-]{1,32}", text) is not None


def seconds_of(text: str) -> float:
    """A duration in s; a number without a unit is seconds. Raises ValueError for any other text."""
    found = _DURATION.fullmatch(text.strip())
    seconds = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not _LEAST_S <= seconds <= _MOST_S:
        raise ValueError(f"{text!r} is not {DURATION_WORDS}")
    return seconds


def is_duration(text: str) -> bool:
    """Whether `seconds_of` takes it."""
    try:
        seconds_of(text)
    except ValueError:
        return False
    return True


def minutes_of(text: str) -> tuple[int, int]:
    """A span of the day: minutes since midnight of its begin and of its end, which may lie on the next day.

    raises  ValueError for any other text, and for an empty span
    """
    found = _SPAN.fullmatch(text)
    if not found or (begin := 60 * int(found[1]) + int(found[2])) == (end := 60 * int(found[3]) + int(found[4])):
        raise ValueError(f"{text!r} is not {SPAN_WORDS}")
    return begin, end


def is_span_of_day(text: str) -> bool:
    """Whether `minutes_of` takes it."""
    try:
        minutes_of(text)
    except ValueError:
        return False
    return True
