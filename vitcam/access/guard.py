"""Decides what a client may do. In: what it shows. Out: a grant, or none.

The files of password and tokens may change while the daemon runs; `refresh` reads them again.
"""

import hashlib
import hmac
import logging
import secrets
from dataclasses import dataclass
from pathlib import Path

from vitcam.access.credentials import Credentials
from vitcam.access.password import USER, PasswordHash, load_password, password_file
from vitcam.access.sessions import Sessions
from vitcam.access.tokens import Scope, Token, find_token, load_tokens, tokens_file
from vitcam.errors import ConfigError
from vitcam.storage.files import Stamp, stamp_of

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a client may do, and why."""

    scope: Scope
    shown: str
    """`password`, `session` or the name of a token."""


@dataclass(frozen=True, slots=True)
class _Secrets:
    """What is kept of password and tokens."""

    password: PasswordHash
    tokens: tuple[Token, ...]
    proof: bytes = b""
    """A keyed digest of the password that was right last, so that the next request with it takes no 0.2 s."""


class Guard:
    """Checks credentials. `granted` and `proved` take microseconds, `is_password` some tenths of a second.

    password  what is kept of the password
    folder    the state folder, for tokens, sessions and a password that changes; None: there is none
    is_fixed  the password was given for this run, so the one in the folder does not count
    """

    def __init__(self, password: PasswordHash, folder: Path | None, is_fixed: bool = False) -> None:
        self._folder = folder
        self._is_fixed = is_fixed
        self._key = secrets.token_bytes(32)
        self._secrets = _Secrets(password, load_tokens(folder) if folder else ())
        self._seen = self._files()
        self._sessions = Sessions(folder)

    def granted(self, credentials: Credentials) -> Grant | None:
        """What a client may do whose session or token this is. These cannot be guessed, so nothing limits them."""
        known = self._secrets
        if any(self.is_session(identifier) for identifier in credentials.sessions):
            return Grant(Scope.CONTROL, "session")
        if credentials.token and (token := find_token(known.tokens, credentials.token)):
            return Grant(token.scope, token.name)
        return None

    def proved(self, credentials: Credentials) -> Grant | None:
        """What a client may do whose password was right a moment ago. To be limited by `Attempts`, too."""
        known = self._secrets
        if not credentials.password or not known.proof or not is_user(credentials.user):
            return None
        right = hmac.compare_digest(known.proof, self._proof(credentials.password))
        return Grant(Scope.CONTROL, "password") if right else None

    def is_password(self, password: str) -> bool:
        """Whether this is the password. Slow, and to be limited by `Attempts`: it is what a client could guess."""
        known = self._secrets
        if not known.password.fits(password):
            return False
        if known is self._secrets:  # not replaced meanwhile
            self._secrets = _Secrets(known.password, known.tokens, self._proof(password))
        return True

    def is_session(self, identifier: str) -> bool:
        """Whether this session is one of this vitcam, and open."""
        return self._sessions.is_open(str(self._secrets.password), identifier)

    def open_session(self) -> str:
        """The identifier of a new session. Writes to the disk."""
        return self._sessions.open(str(self._secrets.password))

    def close_session(self, identifier: str) -> None:
        """Log out. Writes to the disk."""
        self._sessions.close(str(self._secrets.password), identifier)

    def refresh(self) -> bool:
        """Read password and tokens again if their files changed; returns whether they did. Reads from the disk.

        What cannot be read is logged, and what was known before stays in force.
        """
        seen = self._files()
        if seen == self._seen or self._folder is None:
            return False
        self._seen = seen
        before = self._secrets
        try:
            password = None if self._is_fixed else load_password(self._folder)
            tokens = load_tokens(self._folder)
        except ConfigError as error:
            log.warning("%s; password and tokens stay as they were", error)
            return False
        if password is None and not self._is_fixed:
            log.warning("%s is not there any more; the password stays as it was", password_file(self._folder))
        kept = password or before.password
        self._secrets = _Secrets(kept, tokens, before.proof if kept == before.password else b"")
        return True

    def _files(self) -> Stamp:
        """Changes whenever one of the files does."""
        return stamp_of((password_file(self._folder), tokens_file(self._folder)) if self._folder else ())

    def _proof(self, password: str) -> bytes:
        return hmac.new(self._key, password.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()


def is_user(name: str | None) -> bool:
    """Whether this is the user name; there is no other."""
    return hmac.compare_digest((name or "").encode("utf-8", "surrogatepass"), USER.encode())
