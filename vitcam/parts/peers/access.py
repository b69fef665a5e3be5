"""What the wall shows at other cameras to be let in: a token, and the certificate that is trusted. By name of the peer.

They are kept as they are, since they have to be sent: a file that only its owner may read.
"""

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vitcam.certificates import is_fingerprint, read_fingerprint
from vitcam.errors import ConfigError, UsageError
from vitcam.parts.peers.peer import NAME_WORDS, PEER_NAME
from vitcam.storage.entries import Entries
from vitcam.storage.state_file import StateFile
from vitcam.text import shortened

log = logging.getLogger(__name__)

_FILE = "peer_tokens"
_MOST = 64
_TOKEN = re.compile(r"[!-~]{1,512}")
"""It becomes a part of a header."""


@dataclass(frozen=True, slots=True)
class PeerAccess:
    """What is kept for one peer."""

    token: str = ""
    """Empty: it asks for none."""
    fingerprint: str = ""
    """SHA-256 of its certificate, in hexadecimal digits. Empty: the authorities of this machine decide."""
    kept: str = ""
    """When it was kept: RFC 3339, UTC."""


NO_ACCESS = PeerAccess()


def peer_tokens_file(folder: Path) -> Path:
    """Where they are kept in the state folder."""
    return folder / _FILE


def load_peer_access(folder: Path) -> Mapping[str, PeerAccess]:
    """All that are kept, by the name of the peer. What cannot be read of one is not shown to it, and the log says so.

    raises  ConfigError if the file cannot be read or holds something else
    """
    entries = _read(folder)
    for unread in entries.unread:
        log.warning("%s: what is kept for %r cannot be read", peer_tokens_file(folder), unread.key)
    return entries.values


def _read(folder: Path) -> Entries[PeerAccess]:
    """As `load_peer_access`."""
    path = peer_tokens_file(folder)
    try:
        return StateFile(path, private=True).read(_parsed) or Entries()
    except OSError as error:
        raise ConfigError(
            f"the tokens of other cameras cannot be read from {path}: {error.strerror}; run vitcam as its owner"
        ) from error
    except ValueError as error:
        raise ConfigError(f"{path} holds no tokens that vitcam wrote; delete it and keep them again") from error


def keep_peer_access(folder: Path, name: str, token: str, fingerprint: str = "") -> None:
    """Keep what a peer asks for, in place of what was kept for it.

    fingerprint  as `openssl x509 -fingerprint -sha256` prints it
    raises       UsageError for what cannot be a name, a token or a fingerprint, and where there are too many; OSError
    """
    if not PEER_NAME.fullmatch(name):
        raise UsageError(f"{shortened(name)!r} cannot be the name of a camera; use {NAME_WORDS}")
    if token and not _TOKEN.fullmatch(token):
        raise UsageError("this is no token; give what `vitcam token create` printed at the other camera, one line")
    access = PeerAccess(token, read_fingerprint(fingerprint), datetime.now(UTC).isoformat(timespec="seconds"))
    entries = _read(folder)
    found = {**entries.values, name: access}
    if len(found) > _MOST:
        raise UsageError(f"tokens of {_MOST} cameras are kept, and no more are allowed; forget one first")
    _save(folder, entries, found)


def forget_peer_access(folder: Path, name: str) -> None:
    """Forget what is kept for a peer. Raises UsageError where nothing is; OSError."""
    entries = _read(folder)
    found, others = dict(entries.values), entries.without(name)
    if found.pop(name, None) is None and others == entries:
        names = ", ".join(map(repr, found))
        raise UsageError(
            f"no token is kept for {shortened(name)!r}; {f'there are {names}' if names else 'none is kept'}"
        )
    _save(folder, others, found)


def _save(folder: Path, before: Entries[PeerAccess], found: Mapping[str, PeerAccess]) -> None:
    records = before.table({name: asdict(access) for name, access in found.items()})
    StateFile(peer_tokens_file(folder), private=True).write(json.dumps(records, indent=1) + "\n")


def _parsed(text: str) -> Entries[PeerAccess]:
    """Raises ValueError or TypeError for a damaged text."""
    return Entries.of_table(json.loads(text), _access, _MOST)


def _access(name: str, record: Any) -> PeerAccess:
    """Raises ValueError, TypeError or LookupError for what cannot be shown to a peer."""
    token, fingerprint, kept = (record[key] for key in ("token", "fingerprint", "kept"))
    if not all(isinstance(text, str) for text in (token, fingerprint, kept)):
        raise ValueError("it holds what is no text")
    is_token, is_certificate = not token or _TOKEN.fullmatch(token), not fingerprint or is_fingerprint(fingerprint)
    if not (PEER_NAME.fullmatch(name) and is_token and is_certificate):
        raise ValueError("it holds what is no token")
    return PeerAccess(token, read_fingerprint(fingerprint), kept)


def kept_tokens(folder: Path) -> list[tuple[dict[str, str], str]]:
    """Each as a record, and as a sentence. Raises ConfigError for a file that cannot be read."""
    return [
        ({"peer": name, "kept": access.kept}, f"{name}: of another camera, kept since {access.kept}")
        for name, access in load_peer_access(folder).items()
    ]
