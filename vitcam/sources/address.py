"""Network addresses of cameras: what of them may be shown, and what is a secret."""

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from vitcam.errors import UsageError

_USER_INFO = re.compile(r"(?<=://)[^/?#]*@")  # greedy: a password may hold an unescaped @
_SECRET_VALUE = re.compile(r"(?<=[?&])((?:user|login|usr|pass|pwd|pw|token|auth|key|secret)\w*)=[^&#]*", re.IGNORECASE)


def shown(uri: str) -> str:
    """A source's URI as logs, predictions and pages may show it: user, password and tokens become `***`."""
    return _SECRET_VALUE.sub(r"\1=***", _USER_INFO.sub("***@", uri))


@dataclass(frozen=True, slots=True)
class Address:
    """A URL taken apart."""

    url: str
    """Without user and password."""
    host: str
    port: int | None
    user: str
    password: str

    @classmethod
    def of(cls, uri: str) -> "Address":
        """Raises UsageError, without the secrets, for what is no address."""
        try:
            parts = urlsplit(uri)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise UsageError(f"{shown(uri)} is no address: {error}") from None
        if not host or any(character.isspace() or not character.isprintable() for character in uri):
            raise UsageError(f"{shown(uri)} is no address; write it like {parts.scheme}://camera.local/stream")
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        return cls(bare, host, port, unquote(parts.username or ""), unquote(parts.password or ""))
