"""What a request shows to prove who sends it: a password, a token, or the cookie of a session."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass

COOKIE = "vitcam_session"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Each is None if it was not shown."""

    user: str | None = None
    password: str | None = None
    """Of HTTP's Basic authentication, as is `user`."""
    token: str | None = None
    session: str | None = None


def read_credentials(authorizations: Sequence[str], cookie: str | None) -> Credentials:
    """What these headers say.

    authorizations  every Authorization header; none of several is believed
    cookie          the value of the cookie `COOKIE`
    source          RFC 7617 (Basic), RFC 6750 (Bearer)
    """
    if len(authorizations) != 1:
        return Credentials(session=cookie)
    scheme, _, rest = authorizations[0].strip().partition(" ")
    if scheme.lower() == "bearer":
        return Credentials(token=rest.strip(), session=cookie)
    if scheme.lower() == "basic":
        user, password = _basic(rest.strip())
        return Credentials(user, password, session=cookie)
    return Credentials(session=cookie)


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
