"""Tokens for programs. Each has a name and a scope; the file keeps their SHA-256 alone.

A token is 256 random bits, so its plain hash cannot be guessed, and needs no scrypt.
"""

import hashlib
import hmac
import json
import logging
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from vitcam.errors import ConfigError, UsageError
from vitcam.storage.entries import Entries
from vitcam.storage.state_file import StateFile

log = logging.getLogger(__name__)

_FILE = "tokens.json"
_MOST = 64
_PREFIX = "vitcam_"
"""Lets a person and a secret scanner see what it is."""
_NAME = re.compile(r"[\w][\w. -]{0,63}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Scope(StrEnum):
    """What a client may do. Each allows what the one before allows, and more."""

    READ = "read"
    """Look: every GET but a few, such as those of settings, tokens, the guide and cameras that could be opened."""
    CONTROL = "control"
    """Everything."""


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token."""

    name: str
    scope: Scope
    created: str
    """RFC 3339, UTC."""
    sha256: str


def tokens_file(folder: Path) -> Path:
    """Where they are kept in the state folder."""
    return folder / _FILE


def load_tokens(folder: Path) -> tuple[Token, ...]:
    """All tokens, in the order in which they were made. One that cannot be read opens nothing, and the log says so.

    raises  ConfigError if the file cannot be read or holds something else
    """
    entries = _read(folder)
    for unread in entries.unread:
        log.warning("%s: the token %r cannot be read, so it opens nothing", tokens_file(folder), unread.key)
    return tuple(entries)


def _read(folder: Path) -> Entries[Token]:
    """As `load_tokens`."""
    path = tokens_file(folder)
    try:
        return StateFile(path, private=True).read(_parsed) or Entries()
    except OSError as error:
        raise ConfigError(
            f"the tokens cannot be read from {path}: {error.strerror}; run vitcam as the owner of the file"
        ) from error
    except ValueError as error:
        raise ConfigError(f"{path} holds no tokens that vitcam wrote; delete it and create them again") from error


def create_token(folder: Path, name: str, scope: Scope) -> str:
    """Keep a new token; returns the token itself, which nobody can read again.

    raises  UsageError for a name that is not possible or taken, or if there are too many; OSError
    """
    entries = _read(folder)
    tokens, taken = tuple(entries), {*entries.values, *(unread.key for unread in entries.unread)}
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a token; take 1 to 64 letters, digits, spaces, dots, _ or -")
    if name in taken:
        raise UsageError(f"there is a token {name!r} already; take another name, or revoke that one first")
    if len(tokens) >= _MOST:
        raise UsageError(f"there are {_MOST} tokens, and no more are allowed; revoke one first")
    text = _PREFIX + secrets.token_urlsafe(32)
    made = datetime.now(UTC).isoformat(timespec="seconds")
    _save(folder, entries, (*tokens, Token(name, scope, made, _digest(text))))
    return text


def revoke_token(folder: Path, name: str) -> None:
    """Forget a token. Raises UsageError if there is none of that name; OSError."""
    entries = _read(folder)
    tokens, others = tuple(entries), entries.without(name)
    kept = tuple(token for token in tokens if token.name != name)
    if len(kept) == len(tokens) and others == entries:
        names = ", ".join(repr(token.name) for token in tokens)
        raise UsageError(f"there is no token {name!r}; {f'there are {names}' if names else 'there are no tokens'}")
    _save(folder, others, kept)


def find_token(tokens: Sequence[Token], text: str) -> Token | None:
    """The token that a client has shown. Takes as long for a wrong one."""
    shown = _digest(text)
    found = None
    for token in tokens:
        if hmac.compare_digest(token.sha256, shown):
            found = token
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _save(folder: Path, before: Entries[Token], tokens: Iterable[Token]) -> None:
    records = before.list(map(asdict, tokens), "name")
    StateFile(tokens_file(folder), private=True).write(json.dumps(records, indent=1) + "\n")


def _parsed(text: str) -> Entries[Token]:
    """Raises ValueError or TypeError for a text that is damaged."""
    return Entries.of_list(json.loads(text), "name", _token, _MOST)


def _token(record: Any) -> Token:
    """Raises ValueError, TypeError or LookupError for what is no token."""
    name, created, sha256 = (record[key] for key in ("name", "created", "sha256"))
    if not (isinstance(name, str) and isinstance(created, str) and _DIGEST.fullmatch(sha256)):
        raise ValueError("no name, no time or no SHA-256")
    return Token(name, Scope(record["scope"]), created, sha256)
