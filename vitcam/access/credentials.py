"""What a request shows to prove who sends it: a password, a token, or the cookie of a session."""

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass

COOKIE = "vitcam_session"
_IDENTIFIER = re.compile(r"[\w-]{43}", re.ASCII)  # 256 bits as secrets.token_urlsafe writes them
_BETWEEN = "."
_MOST = 8


@dataclass(frozen=True, slots=True)
class Credentials:
    """Each is None if it was not shown."""

    user: str | None = None
    password: str | None = None
    """Of HTTP's Basic authentication, as is `user`."""
    token: str | None = None
    sessions: tuple[str, ...] = ()
    """Of this vitcam, and of others on the same machine: browsers do not tell ports apart."""


def read_credentials(authorizations: Sequence[str], cookie: str | None) -> Credentials:
    """What these headers say.

    authorizations  every Authorization header; none of several is believed
    cookie          the value of the cookie `COOKIE`
    source          RFC 7617 (Basic), RFC 6750 (Bearer)
    """
    sessions = read_sessions(cookie)
    if len(authorizations) != 1:
        return Credentials(sessions=sessions)
    scheme, _, rest = authorizations[0].strip().partition(" ")
    if scheme.lower() == "bearer":
        return Credentials(token=rest.strip(), sessions=sessions)
    if scheme.lower() == "basic":
        user, password = _basic(rest.strip())
        return Credentials(user, password, sessions=sessions)
    return Credentials(sessions=sessions)


def read_sessions(cookie: str | None) -> tuple[str, ...]:
    """The identifiers in the value of the cookie `COOKIE`, the newest last; what cannot be one is left out."""
    found = [part for part in (cookie or "").split(_BETWEEN) if _IDENTIFIER.fullmatch(part)]
    return tuple(found[-_MOST:])


def session_cookie(headers: Sequence[str]) -> str:
    """The value of the cookie `COOKIE` in all Cookie headers of a request.

    A browser sends several if they are for different paths of the host: then it is the sessions of all of them.
    """
    pairs = [pair.strip().partition("=") for header in headers for pair in header.split(";")]
    return _BETWEEN.join(value.strip('"') for name, _, value in reversed(pairs) if name == COOKIE)


def cookie_value(sessions: Sequence[str]) -> str:
    """The value of the cookie `COOKIE` that shows these sessions, or the newest of them if there are many."""
    return _BETWEEN.join(sessions[-_MOST:])


def _basic(text: str) -> tuple[str | None, str | None]:
    """User name and password; two None if it is something else."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None, None
    try:
        user, colon, password = data.decode("utf-8").partition(":")
    except UnicodeDecodeError:  # some programs still send Latin-1
        user, colon, password = data.decode("latin-1").partition(":")
    return (user, password) if colon else (None, None)
