"""The parts of a network camera's address."""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from vitcam.errors import UsageError
from vitcam.redaction import redacted


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of a URL."""

    url: str
    """Without user and password."""
    host: str
    port: int | None
    user: str
    password: str

    @classmethod
    def of(cls, uri: str) -> "Address":
        """Raises UsageError, without the secrets, for an invalid address."""
        try:
            parts = urlsplit(uri)
            host, port = parts.hostname, parts.port
        except ValueError:  # its text quotes parts of the address
            raise UsageError(
                f"{redacted(uri)} is not a valid address; in user and password, write %2F for /, %3F for ?, %23 for # "
                "and %40 for @"
            ) from None
        if not host or any(character.isspace() or not character.isprintable() for character in uri):
            raise UsageError(
                f"{redacted(uri)} is not a valid address; write it like {parts.scheme}://camera.local/stream"
            )
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        return cls(bare, host, port, unquote(parts.username or ""), unquote(parts.password or ""))
