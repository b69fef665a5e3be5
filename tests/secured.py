"""A password that is checked in no time, a state folder that has it, and servers that ask for it."""

import base64
import hashlib
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from tests.integration.web.camera import Camera
from vitcam.access.guard import Guard
from vitcam.access.password import PasswordHash, save_password
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

PASSWORD = "correct horse 7"
FORM = "application/x-www-form-urlencoded"


def quick_hash(password: str = PASSWORD, salt: bytes = b"0123456789abcdef") -> PasswordHash:
    """As `PasswordHash.of_password`, without the work that makes guessing slow."""
    return PasswordHash(salt, hashlib.scrypt(password.encode(), salt=salt, n=16, r=1, p=1, dklen=32), 16, 1, 1)


def basic(password: str = PASSWORD, user: str = "vitcam") -> dict[str, str]:
    """The header of HTTP's Basic authentication."""
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def bearer(token: str) -> dict[str, str]:
    """The header that shows a token."""
    return {"Authorization": f"Bearer {token}"}


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    body: bytes
    headers: list[tuple[str, str]] = field(default_factory=list)

    def header(self, name: str) -> str:
        """All values of a header, with commas between them; empty if there is none."""
        return ", ".join(value for found, value in self.headers if found.lower() == name.lower())

    @property
    def session(self) -> str:
        """The value of the session's cookie."""
        return self.header("Set-Cookie").partition("vitcam_session=")[2].partition(";")[0]


def ask(
    url: str,
    target: str,
    method: str = "GET",
    body: bytes | str | None = None,
    headers: Mapping[str, str] | None = None,
    address: str = "127.0.0.1",
) -> Answer:
    """One request on a connection of its own, which comes from `address`; redirects are not followed."""
    with sent(url, target, method, body, headers, address) as answer:
        return Answer(answer.status, answer.read(), answer.getheaders())


@contextmanager
def sent(
    url: str,
    target: str,
    method: str = "GET",
    body: bytes | str | None = None,
    headers: Mapping[str, str] | None = None,
    address: str = "127.0.0.1",
) -> Iterator[HTTPResponse]:
    """The answer, of which only the head has been read: it may be a stream."""
    place = urlsplit(url)
    assert place.hostname is not None
    if place.scheme == "https":
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        line: HTTPConnection = HTTPSConnection(
            place.hostname, place.port, timeout=30, source_address=(address, 0), context=context
        )
    else:
        line = HTTPConnection(place.hostname, place.port, timeout=30, source_address=(address, 0))
    try:
        line.request(method, target, body, dict(headers or {}))
        with line.getresponse() as answer:
            yield answer
    finally:
        line.close()


def log_in(url: str, password: str = PASSWORD, **headers: str) -> Answer:
    """What the login page sends."""
    return ask(url, "/login", "POST", urlencode({"password": password}), {"Content-Type": FORM, **headers})


def cookie(answer: Answer) -> dict[str, str]:
    """The header that shows the session which an answer opened."""
    return {"Cookie": f"vitcam_session={answer.session}"}


@contextmanager
def protected(camera: Camera, folder: Path, binding: Binding = Binding()) -> Iterator[WebServer]:  # noqa: B008 - frozen
    """A server that asks for `PASSWORD`, with its state in `folder`."""
    save_password(folder, quick_hash())
    guarded = replace(binding, guard=binding.guard or Guard(quick_hash(), folder))
    server = WebServer(camera.parts(), guarded)
    server.start()
    try:
        yield server
    finally:
        server.stop(2)
