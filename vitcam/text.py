r"""Makes untrusted text valid and safe for a terminal: names of files, labels and addresses.

One rule for people and machines: a byte of a file's name that is not UTF-8 is written `\xNN`. Only for people, control
characters (ESC and the like, line separators, marks that change the direction of writing) are written `\uNNNN`. In JSON
they are escaped by JSON's own rules.
"""

import hashlib
import os
import re
import unicodedata

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

_LONGEST = _LONGEST_SLUG = 40  # characters
_NOT_A_SLUG = re.compile(r"[^A-Za-z0-9-]+")


def readable(name: str) -> str:
    r"""A name as Python gives it for a file, as text that every encoding of Unicode can carry.

    In an ASCII locale Python splits a UTF-8 name into bytes; this puts it together again.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        return os.fsencode(name).decode("utf-8", "backslashreplace") if _came_as_bytes(name) else printable(name)
    return name


def printable(text: str) -> str:
    """One line without control characters."""
    if _came_as_bytes(text):
        text = readable(text)
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def printable_lines(text: str) -> str:
    """As `printable`, but line breaks and tabs stay."""
    return re.sub(r"[^\n\t]+", lambda line: printable(line[0]), text)


def shortened(text: str) -> str:
    """A text that was given, short enough for one sentence."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _came_as_bytes(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return not text.isascii() and any("\udc80" <= letter <= "\udcff" for letter in text)


def probability_in(text: str) -> float | None:
    """The number from 0 to 1 that a text from outside says; None: it says none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def slug_of(text: str) -> str:
    """Letters, digits, `-` and `_`. A text that has others, or is long, is told from all others by its hash."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    slug = _NOT_A_SLUG.sub("_", plain).strip("_")[:_LONGEST_SLUG]
    if slug == text.replace(" ", "_"):
        return slug
    return hashed(slug, text)


def hashed(slug: str, text: str) -> str:
    """A slug with the hash of the text that it stands for."""
    return f"{slug}_{hashlib.sha256(text.encode()).hexdigest()[:8]}".lstrip("_")
