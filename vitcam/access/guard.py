"""Decides what a client may do. In: what it shows. Out: a grant, or none.

The files of password and tokens may change while the daemon runs; `refresh` reads them again.
"""

import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from vitcam.access.credentials import Credentials
from vitcam.access.password import USER, PasswordHash, load_password, password_file
from vitcam.access.sessions import Sessions
from vitcam.access.tokens import (
    Scope,
    Token,
    create_token,
    find_token,
    load_tokens,
    revoke_token,
    tokens_file,
)
from vitcam.errors import ConfigError, UsageError, VitcamError
from vitcam.storage.files import Stamp, stamp_of

log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Grant:
    """What a client may do, and why."""

    scope: Scope
    shown: str
    """`password`, `session` or the name of a token."""
    is_token: bool = False


@dataclass(frozen=True, slots=True)
class _Secrets:
    """What is kept of password and tokens."""

    passwords: Mapping[Scope, PasswordHash]
    """What each allows. `CONTROL` is always there."""
    tokens: tuple[Token, ...]
    proofs: Mapping[Scope, bytes] = field(default_factory=dict)
    """Keyed digests of the passwords that were right last, so that the next request with one takes no 0.2 s."""


class Guard:
    """Checks credentials. `granted` and `proved` take microseconds, `scope_of` some tenths of a second.

    password  what is kept of the password that allows everything
    folder    the state folder, for tokens, sessions, passwords that change, and the one that only allows to watch;
              None: there is none
    is_fixed  the password was given for this run, so the one in the folder does not count
    """

    def __init__(self, password: PasswordHash, folder: Path | None, is_fixed: bool = False) -> None:
        self._folder = folder
        self._is_fixed = is_fixed
        self._key = secrets.token_bytes(32)
        self._secrets = _Secrets(_passwords(password, folder), load_tokens(folder) if folder else ())
        self._seen = self._files()
        self._unread = ""
        """Why the files could not be read at the last attempt."""
        self._sessions = Sessions(folder)

    def granted(self, credentials: Credentials) -> Grant | None:
        """What a client may do whose session or token this is. These cannot be guessed, so nothing limits them."""
        known = self._secrets
        for scope, kept in known.passwords.items():
            if any(self._sessions.is_open(str(kept), identifier) for identifier in credentials.sessions):
                return Grant(scope, "session")
        if credentials.token and (token := find_token(known.tokens, credentials.token)):
            return Grant(token.scope, token.name, is_token=True)
        return None

    def proved(self, credentials: Credentials) -> Grant | None:
        """What a client may do whose password was right a moment ago. To be limited by `Attempts`, too."""
        known = self._secrets
        if not credentials.password or not known.proofs or not is_user(credentials.user):
            return None
        proof = self._proof(credentials.password)
        right = [scope for scope, each in known.proofs.items() if hmac.compare_digest(each, proof)]
        return Grant(right[0], "password") if right else None

    def scope_of(self, password: str) -> Scope | None:
        """What this password allows; None: it is a wrong one.

        Slow, and to be limited by `Attempts`: it is what a client could guess.
        """
        known = self._secrets
        scope = next((scope for scope, kept in known.passwords.items() if kept.fits(password)), None)
        if scope is not None and known is self._secrets:  # not replaced meanwhile
            self._secrets = replace(known, proofs={**known.proofs, scope: self._proof(password)})
        return scope

    def is_session(self, identifier: str) -> bool:
        """Whether this session is one of this vitcam, and open."""
        return any(self._sessions.is_open(str(kept), identifier) for kept in self._secrets.passwords.values())

    def open_session(self, scope: Scope) -> str:
        """The identifier of a new session that allows this. Writes to the disk."""
        return self._sessions.open(str(self._secrets.passwords.get(scope)))  # it may have gone: then this opens nothing

    def close_session(self, identifier: str) -> None:
        """Log out. Writes to the disk."""
        for kept in self._secrets.passwords.values():
            self._sessions.close(str(kept), identifier)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Those that open something."""
        return self._secrets.tokens

    def create_token(self, name: str, scope: Scope) -> str:
        """Keep a new token, which opens something from now on; returns the token itself.

        raises  UsageError for a name that is not possible or taken, or if there are too many; VitcamError
        """
        return self._change_tokens(lambda folder: create_token(folder, name, scope))

    def revoke_token(self, name: str) -> None:
        """Forget a token, which opens nothing from now on. Raises UsageError if there is none, VitcamError."""
        self._change_tokens(lambda folder: revoke_token(folder, name))

    def _change_tokens(self, change: Callable[[Path], T]) -> T:
        if self._folder is None:
            raise UsageError("there is no folder to keep tokens in; set STATE_DIRECTORY or HOME")
        try:
            changed = change(self._folder)
        except OSError as error:
            raise VitcamError(f"{tokens_file(self._folder)} cannot be written: {error.strerror}") from error
        self.refresh()
        return changed

    def refresh(self) -> bool:
        """Read password and tokens again if their files changed; returns whether they did. Reads from the disk.

        What cannot be read is logged, and what was known before stays in force.
        """
        seen = self._files()
        if seen == self._seen or self._folder is None:
            self._unread = ""
            return False
        before = self._secrets
        try:
            password = None if self._is_fixed else load_password(self._folder)
            kept = _passwords(password or before.passwords[Scope.CONTROL], self._folder)
            tokens = load_tokens(self._folder)
        except ConfigError as error:  # it is read again, since a change of its owner changes no time of the file
            if str(error) != self._unread:
                log.warning("%s; password and tokens stay as they were", error)
            self._unread = str(error)
            return False
        self._seen, self._unread = seen, ""
        if password is None and not self._is_fixed:
            log.warning("%s is not there any more; the password stays as it was", password_file(self._folder))
        same = {scope: each for scope, each in before.proofs.items() if kept.get(scope) == before.passwords.get(scope)}
        self._secrets = _Secrets(kept, tokens, same)
        return True

    def _files(self) -> Stamp:
        """Changes whenever one of the files does."""
        folder = self._folder
        return stamp_of((*(password_file(folder, scope) for scope in Scope), tokens_file(folder)) if folder else ())

    def _proof(self, password: str) -> bytes:
        return hmac.new(self._key, password.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()


def _passwords(control: PasswordHash, folder: Path | None) -> dict[Scope, PasswordHash]:
    """With the one that allows to watch alone, if there is one. Raises ConfigError if that cannot be read."""
    watch = load_password(folder, Scope.READ) if folder else None
    return {Scope.CONTROL: control} if watch is None else {Scope.CONTROL: control, Scope.READ: watch}


def is_user(name: str | None) -> bool:
    """Whether this is the user name; there is no other."""
    return hmac.compare_digest((name or "").encode("utf-8", "surrogatepass"), USER.encode())
