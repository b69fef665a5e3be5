"""Which version of a document a client knows: an ETag for each value, and who changed it when.

The ETag is a keyed digest of the value: it is another one exactly where the value is, also after a restart, and tells
nothing of the secrets in it. The key and the last changes are kept in a file of the state folder.
"""

import hashlib
import hmac
import json
import logging
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vitcam.storage.state_file import StateFile

log = logging.getLogger(__name__)

_MOST = 128  # documents: each alert is one
_KEY_BYTES = 16
_LETTERS = 24  # of the digest, in hexadecimal: 96 bits


@dataclass(frozen=True, slots=True)
class Document:
    """Something that several clients may change, as it is now."""

    name: str
    """Such as `zones`, or `alerts/395616db`."""
    value: Any
    """All of it that may change, as JSON, with its secrets."""
    record: Mapping[str, Any]
    """What a client gets of it."""


@dataclass(frozen=True, slots=True)
class Revision:
    """The last change of a document."""

    etag: str
    """Of the document after it, without quotes."""
    time: str
    """RFC 3339, UTC."""
    token: str
    """Name of the token that a program showed; empty: it was a browser."""


class Revisions:
    """Of all documents of a run. Any thread may call it; changes come one after the other.

    folder  the state folder; None: nothing is kept
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / "revisions.json", private=True) if folder else None
        found = self._file.read_if_good(_parsed) if self._file else None
        self._key, self._last = found or (secrets.token_bytes(_KEY_BYTES), {})
        if found is None:
            self._write()

    def etag_of(self, document: Document) -> str:
        """Of a document as it is now, without quotes."""
        text = json.dumps([document.name, document.value], sort_keys=True)
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()[:_LETTERS]

    def last_change(self, document: Document) -> Revision | None:
        """Which made the document as it is now; None if the configuration or another program did."""
        last = self._last.get(document.name)
        return last if last is not None and last.etag == self.etag_of(document) else None

    def note(self, changed: Iterable[tuple[Document, Document]], token: str) -> None:
        """A client has changed documents: each before and after it. One that is as before was not changed."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        etags = {after.name: self.etag_of(after) for before, after in changed if before.value != after.value}
        if etags:
            others = [(name, each) for name, each in self._last.items() if name not in etags]
            self._last = dict([*others, *((name, Revision(etag, now, token)) for name, etag in etags.items())][-_MOST:])
            self._write()

    def _write(self) -> None:
        """A disk that does not take it costs the names of those who made changes, after a restart."""
        if self._file is None:
            return
        changes = {name: asdict(each) for name, each in self._last.items()}
        try:
            self._file.write(json.dumps({"key": self._key.hex(), "changes": changes}, indent=1))
        except OSError as error:
            log.info("%s cannot be written: %s", self._file.path, error.strerror)


def _parsed(text: str) -> tuple[bytes, dict[str, Revision]]:
    """Raises ValueError, TypeError or LookupError if it is damaged."""
    found = json.loads(text)
    key = bytes.fromhex(found["key"])
    if len(key) != _KEY_BYTES or not isinstance(found["changes"], dict):
        raise ValueError("it holds no key and no changes")
    return key, {str(name): _revision(each) for name, each in found["changes"].items()}


def _revision(record: Any) -> Revision:
    revision = Revision(record["etag"], record["time"], record["token"])
    if not all(isinstance(each, str) for each in asdict(revision).values()):
        raise TypeError("a change is not made of texts")
    return revision
