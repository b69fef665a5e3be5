"""Why a network library failed, in words that contain nothing of the address."""

from http import HTTPStatus
from http.client import HTTPException
from urllib.error import HTTPError, URLError


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
