"""Asks a network camera for its pictures: follows it to another address, and logs in."""

import string
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from vitcam._version import __version__
from vitcam.errors import SourceError
from vitcam.redaction import redacted
from vitcam.sentence import Sentence
from vitcam.sources.network.address import Address, status_words
from vitcam.sources.network.coding import read_body
from vitcam.sources.network.connection import DeadlineConnection
from vitcam.sources.network.login import Login, challenges_of, unknown_methods

_MOST_REDIRECTS = 10
_MOST_LOGINS = 3  # the first, and two with a nonce that was too old
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PORTS = {"http": 80, "https": 443}


class RequestRefused(SourceError):
    """There is no picture now, and there may be one soon. `status` is that of the answer; 0: there was none."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


class CameraClient:
    """GET, again and again, on one connection where the camera keeps it.

    User and password go to the scheme, host and port of the address, and nowhere else.

    name       the address without secrets
    connected  through this every connection is made, with its deadlines
    timeout_s  of each step
    """

    def __init__(self, address: Address, name: str, connected: DeadlineConnection, timeout_s: float) -> None:
        self._address, self._name = address, name
        self._connected, self._timeout_s = connected, timeout_s
        self._login = Login(address.user, address.password) if address.user or address.password else None
        self._line: HTTPConnection | None = None
        self._response: HTTPResponse | None = None
        self._line_to: tuple[str, str, int] | None = None

    def get(self, headers: Mapping[str, str] | None = None) -> HTTPResponse:
        """The response to a GET; read it to its end before the next one.

        returns  a status below 300, or 304
        raises   RequestRefused, SourceError for any other; OSError, HTTPException, ValueError where no answer comes
        """
        url, logins = self._address.url, 0
        for _ in range(_MOST_REDIRECTS + _MOST_LOGINS):
            response = self._ask(url, headers or {})
            if response.status < HTTPStatus.MULTIPLE_CHOICES or response.status == HTTPStatus.NOT_MODIFIED:
                return response
            self.close()  # whatever its body is, it is not read
            if response.status in _REDIRECTS and "Location" in response.headers:
                url = self._redirected(url, response.headers["Location"])
            elif response.status == HTTPStatus.UNAUTHORIZED and self._login and self._is_home(url):
                logins += 1
                self._choose(self._login, response, logins)
            else:
                raise self._refusal(url, response.status)
        raise SourceError(f"{self._name} leads to another address again and again; give the address of the pictures")

    def close(self) -> None:
        """Close the connection, if there is one."""
        for part in (self._response, self._line):  # a response that nobody has read holds the connection, too
            if part is not None:
                part.close()
        self._response = self._line = None

    def _ask(self, url: str, headers: Mapping[str, str]) -> HTTPResponse:
        """One request; once more where the connection was kept, and the camera has closed it meanwhile."""
        if self._line is not None:
            with suppress(OSError, HTTPException):
                return self._send(url, headers)
            self.close()
        return self._send(url, headers)

    def _send(self, url: str, headers: Mapping[str, str]) -> HTTPResponse:
        parts = urlsplit(url)
        if self._line is None or self._line_to != _origin(parts):
            self.close()
            self._line = self._connected.to(parts, self._timeout_s)
            self._line_to = _origin(parts)
        target = quote(parts._replace(scheme="", netloc="", fragment="").geturl() or "/", safe=string.punctuation)
        target = target if target.startswith("/") else f"/{target}"
        sent = {"User-Agent": f"vitcam/{__version__}", **headers}
        if self._login is not None and self._is_home(url) and (answer := self._login.answer("GET", target)):
            sent["Authorization"] = answer
        self._line.request("GET", target, headers=sent)
        self._response = self._line.getresponse()
        return self._response

    def _is_home(self, url: str) -> bool:
        return _origin(urlsplit(url)) == _origin(urlsplit(self._address.url))

    def _redirected(self, url: str, location: str) -> str:
        """Where the camera leads to. Raises SourceError for an address that is not one of HTTP."""
        try:
            target = urlsplit(urljoin(url, location.encode("latin-1").decode(errors="replace").strip()))
            _origin(target)
            if target.scheme in _PORTS and target.hostname:
                return target._replace(netloc=target.netloc.rpartition("@")[2]).geturl()
        except ValueError:
            pass
        raise SourceError(f"{self._name} leads to an address that is not one of HTTP; give the address of the pictures")

    def _choose(self, login: Login, response: HTTPResponse, logins: int) -> None:
        """Take the best challenge of a 401. Raises SourceError if there is none, or its answer was refused."""
        challenges = challenges_of(response.headers.get_all("WWW-Authenticate", []))
        best = login.choose(challenges)
        if best is None:
            raise SourceError(f"{self._name} {unknown_methods(challenges)}")
        if logins > 1 and (not best.is_stale or logins > _MOST_LOGINS):
            refused = f"{self._name} {self._address.not_accepted(best.name)}"
            raise SourceError(Sentence(refused, "camera.password", camera=self._name))

    def _refusal(self, url: str, status: int) -> SourceError:
        if self._is_home(url):
            refused = f"{self._name} {self._address.refused(status)}"
            if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
                return SourceError(Sentence(refused, "camera.password", camera=self._name))
            return RequestRefused(refused, status)
        where = f"{self._name} leads to {redacted(url)}, which answers {status_words(status)}"
        if status != HTTPStatus.UNAUTHORIZED or self._login is None:
            return SourceError(where)
        return SourceError(f"{where}; user and password are not sent to another place: give that address")


def fetch(uri: str, most_bytes: int, within_s: float) -> bytes:
    """What one address gives, with the user and password in it: its first bytes, if it has more.

    raises  UsageError, SourceError; OSError, HTTPException, ValueError where no answer comes
    """
    with DeadlineConnection() as connected, connected.deadline(within_s):
        client = CameraClient(Address.of(uri), redacted(uri), connected, within_s)
        try:
            data = read_body(client.get(), most_bytes)
        finally:
            client.close()
        if connected.timed_out:
            raise TimeoutError
        return data


def _origin(parts: SplitResult) -> tuple[str, str, int]:
    """Scheme, host and port. Raises ValueError for an invalid port."""
    return parts.scheme, (parts.hostname or "").rstrip("."), parts.port or _PORTS.get(parts.scheme, 0)
