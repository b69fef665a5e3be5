"""What is kept of other cameras: a token, the certificate that is trusted, and the address of one that was added on the
page. By name of the peer.

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
from vitcam.parts.peers.peer import MOST_PEERS, NAME_WORDS, PEER_NAME, Peer
from vitcam.parts.peers.settings import is_peer_address
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
    address: str = ""
    """Of its page, where it was added on the page. Empty: the configuration names it."""


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


def all_peers(own: tuple[Peer, ...], kept: Mapping[str, PeerAccess]) -> tuple[Peer, ...]:
    """Those of the configuration, then those that were added on the page."""
    names = {peer.name for peer in own}
    added = (Peer(name, its.address) for name, its in kept.items() if its.address and name not in names)
    return (*own, *added)[:MOST_PEERS]


def keep_peer_access(folder: Path, name: str, token: str, fingerprint: str = "", address: str = "") -> None:
    """Keep what a peer asks for, in place of what was kept for it.

    fingerprint  as `openssl x509 -fingerprint -sha256` prints it
    address      of one that is added; empty: the one that was kept stays
    raises       UsageError for what cannot be a name, a token or a fingerprint, and where there are too many; OSError
    """
    if not PEER_NAME.fullmatch(name):
        raise UsageError(f"{shortened(name)!r} cannot be the name of a camera; use {NAME_WORDS}")
    if token and not _TOKEN.fullmatch(token):
        raise UsageError("this is no token; give what `vitcam token create` printed at the other camera, one line")
    entries = _read(folder)
    address = address or entries.values.get(name, NO_ACCESS).address
    kept = datetime.now(UTC).isoformat(timespec="seconds")
    access = PeerAccess(token, read_fingerprint(fingerprint), kept, address)
    found = {**entries.values, name: access}
    if len(found) > _MOST:
        raise UsageError(f"tokens of {_MOST} cameras are kept, and no more are allowed; forget one first")
    _save(folder, entries, found)


def rename_peer(folder: Path, name: str, new: str) -> None:
    """Give a camera that was added another name. Raises UsageError where there is none, or for a name; OSError."""
    entries = _read(folder)
    if not PEER_NAME.fullmatch(new):
        raise UsageError(f"{shortened(new)!r} cannot be the name of a camera; use {NAME_WORDS}")
    if new in entries.values:
        raise UsageError(f"there is a camera {new!r} already; use another name")
    if name not in entries.values:
        raise UsageError(f"no camera {shortened(name)!r} was added")
    _save(folder, entries.without(name), {new if key == name else key: each for key, each in entries.values.items()})


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
    address = record.get("address", "")  # earlier versions kept none
    if not all(isinstance(text, str) for text in (token, fingerprint, kept, address)):
        raise ValueError("it holds what is no text")
    if address and not is_peer_address(address):
        raise ValueError("it holds what is no address")
    is_token, is_certificate = not token or _TOKEN.fullmatch(token), not fingerprint or is_fingerprint(fingerprint)
    if not (PEER_NAME.fullmatch(name) and is_token and is_certificate):
        raise ValueError("it holds what is no token")
    return PeerAccess(token, read_fingerprint(fingerprint), kept, address)


def kept_tokens(folder: Path) -> list[tuple[dict[str, str], str]]:
    """Each as a record, and as a sentence. Raises ConfigError for a file that cannot be read."""
    return [
        ({"peer": name, "kept": access.kept}, f"{name}: of another camera, kept since {access.kept}")
        for name, access in load_peer_access(folder).items()
    ]
