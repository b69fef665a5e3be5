"""A network camera's address, and why there is no answer from it: in words that hold nothing of its secrets."""

import errno
import ssl
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit

from vitcam.errors import UsageError
from vitcam.redaction import redacted
from vitcam.sources.network.trust import OLD_TLS, CertificateRefused

_ESCAPES = "in user and password, write %40 for @, %23 for #, %2F for / and %3F for ?"
_NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST")
_PLAIN = "it does not speak TLS at this port"
_ADVICE = {
    errno.ECONNREFUSED: "nobody listens at this port: check host and port, and that the camera is on",
    errno.EHOSTUNREACH: "check the host, and that the camera is on",
    errno.ENETUNREACH: "check the host, and this machine's network",
    errno.ETIMEDOUT: "check host and port, and that the camera is on",
}


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of a URL."""

    url: str
    """Without user and password."""
    host: str
    port: int | None
    user: str
    password: str
    hint: str = ""
    """How to write user and password, where it has an @ more than an address needs."""

    @classmethod
    def of(cls, uri: str) -> "Address":
        """Raises UsageError, without the secrets, for an invalid address."""
        try:
            parts = urlsplit(uri)
            host, port = parts.hostname, parts.port
            if "@" in parts.fragment:  # what stands before the # is the begin of a password, and no host
                raise ValueError
        except ValueError:  # its text quotes parts of the address
            raise UsageError(f"{redacted(uri)} is not a valid address; {_ESCAPES}") from None
        if not host or any(character.isspace() or not character.isprintable() for character in uri):
            raise UsageError(
                f"{redacted(uri)} is not a valid address; write it like {parts.scheme}://camera.local/stream"
            )
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        hint = _ESCAPES if uri.count("@") > 1 or "@" in bare else ""
        return cls(bare, host, port, unquote(parts.username or ""), unquote(parts.password or ""), hint)

    @property
    def scheme(self) -> str:
        """In lower case."""
        return self.url.partition(":")[0]

    def without_answer(self, error: Exception) -> str:
        """Why there is no answer from it, and what to do: clauses of one sentence."""
        if isinstance(error, ssl.SSLError) and error.reason in _NO_TLS and self.scheme.endswith("s"):
            return self.without_tls
        if isinstance(error, CertificateRefused):
            return f"{reason_of(error)}; {error.advice}"
        unknown = isinstance(error, OSError) and (error.errno or 0) < 0  # EAI_… of getaddrinfo(3)
        advice = ("check the name of the host", self.hint) if unknown else (_advice_on(error),)
        return "; ".join(filter(None, (reason_of(error), *advice)))

    def refused(self, status: int) -> str:
        """What an answer with this status means: the end of a sentence."""
        answered = f"answers {status_words(status)}"
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) and not (self.user or self.password):
            return f"{answered}; give user and password as in {self.scheme}://USER:PASSWORD@HOST/PATH"
        return answered

    def not_accepted(self, method: str) -> str:
        """That user and password were given, and are not the right ones: the end of a sentence.

        method  of the login
        """
        refused = f"answers {status_words(401)}: it does not accept this user and password ({method})"
        return "; ".join(filter(None, (refused, self.hint)))

    def on(self, host: str, port: int) -> str:
        """The same at another place and without TLS, with user and password."""
        user = quote(self.user, safe="") + (f":{quote(self.password, safe='')}" if self.password else "")
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        netloc = f"{user}@{place}" if user or self.password else place
        return urlsplit(self.url)._replace(scheme=self.scheme.removesuffix("s"), netloc=netloc).geturl()

    @property
    def with_tls(self) -> str:
        """The same of an address whose scheme should be the one with TLS."""
        return f"it speaks TLS at this port; write {self.scheme}s:// in place of {self.scheme}://"

    @property
    def without_tls(self) -> str:
        """The same of an address whose scheme should be the one without TLS."""
        return f"{_PLAIN}; write {self.scheme.removesuffix('s')}:// in place of {self.scheme}://"


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
    if isinstance(error, ssl.SSLError):
        return _reason_of_tls(error)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, HTTPException):
        return f"it does not answer as HTTP does ({type(error).__name__})"
    return f"the address cannot be used ({type(error).__name__})"


def _reason_of_tls(error: ssl.SSLError) -> str:
    if error.reason in _NO_TLS:
        return _PLAIN
    if error.reason in OLD_TLS:
        return "it speaks only versions of TLS that are no longer safe"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted here ({error.verify_message})"
    words = (error.reason or type(error).__name__).replace("_", " ").lower()
    return f"no TLS connection with it is possible ({words})"


def _advice_on(error: Exception) -> str:
    if isinstance(error, TimeoutError):  # of a socket's own limit it has no number
        return _ADVICE[errno.ETIMEDOUT]
    return _ADVICE.get(error.errno or 0, "") if isinstance(error, OSError) else ""


def status_words(code: int) -> str:
    """Such as `404 Not Found`, never the server's own phrase, which is untrusted."""
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)
