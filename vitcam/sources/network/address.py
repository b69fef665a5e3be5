"""A network camera's address, and why there is no answer from it: in words that hold nothing of its secrets."""

from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException
from urllib.error import HTTPError, URLError
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


def reason_of(error: Exception) -> str:
    """One clause without a full stop.

    The library's own text may quote the address with its password. So only the system's text for an error number and
    HTTP's text for a status are passed on.
    """
    if isinstance(error, HTTPError):
        return f"it answers {status_words(error.code)}"
    if isinstance(error, URLError):
        return reason_of(error.reason) if isinstance(error.reason, Exception) else "the address cannot be used"
    if isinstance(error, TimeoutError):
        return "timed out"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, HTTPException):
        return f"it does not answer as HTTP does ({type(error).__name__})"
    return f"the address cannot be used ({type(error).__name__})"


def status_words(code: int) -> str:
    """Such as `404 Not Found`, never the server's own phrase, which is untrusted."""
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)
