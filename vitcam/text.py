r"""Text of others, such as names of files, labels and addresses: made valid, and made safe for a terminal.

One rule for people and machines: a byte of a file's name that is no UTF-8 is written `\xNN`. For people alone, what
would steer their terminal (ESC and the other control characters, line separators, marks that turn the direction of
writing) is written `\uNNNN`; in JSON it is escaped by JSON's own rules.
"""

import os
import re

_STEERS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def readable(name: str) -> str:
    r"""A name as Python gives it for a file, as text that every encoding of Unicode can carry.

    Under a locale of ASCII alone a name that is UTF-8 comes in pieces, too; it is whole again.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        return os.fsencode(name).decode("utf-8", "backslashreplace") if _came_as_bytes(name) else printable(name)
    return name


def printable(text: str) -> str:
    """One line that a terminal shows and does not obey."""
    if _came_as_bytes(text):
        text = readable(text)
    return _STEERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def printable_lines(text: str) -> str:
    """As `printable`, with the line breaks and tabs that our own texts have."""
    return re.sub(r"[^\n\t]+", lambda line: printable(line[0]), text)


def _came_as_bytes(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return not text.isascii() and any("\udc80" <= letter <= "\udcff" for letter in text)
