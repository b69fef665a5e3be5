"""Pictures that wait for a name: `inbox/ID.jpg` below the state folder, within a budget, the most informative first.

What was answered is remembered by its embedding, so that the same picture is not asked about again.
"""

import logging
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError, VitcamError
from vitcam.model.bundle import DAMAGES
from vitcam.parts.teach.inbox.entry import (
    FOLDER,
    HEAD,
    InboxEntry,
    checked_id,
    pack_entry,
    picture_in,
    read_entry,
    with_unit_embedding,
)
from vitcam.storage.files import atomic_write, remove_abandoned, write_new

_ANSWERED = ".answered.npz"
_MOST_ANSWERED = 300
_LARGEST_ANSWERED = 2**24  # bytes
_MOST_FILES = 5000
"""So many files of the folder are looked at: this program does not write more."""
_LARGEST = 4 * 2**20
"""Bytes of a picture."""
_FAR = 0.4
"""From this cosine distance on, pictures have nothing to do with each other."""
_NEAR = 0.1
"""So much of its worth has a picture that looks like one that comes before it."""
_MB = 2**20

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InboxLimits:
    """How much is kept."""

    pictures: int
    max_mb: float
    """Of 2^20 bytes."""


class Inbox:
    """Of a state folder. Any thread may call it; another process may delete pictures meanwhile.

    folder  the state folder
    limits  may be replaced
    """

    def __init__(self, folder: Path, limits: InboxLimits) -> None:
        self.folder = folder / FOLDER
        self.limits = limits
        self.trouble = ""
        """Why no picture is put into it now, as one sentence; empty if pictures are."""
        self._lock = threading.RLock()
        self._read: dict[str, tuple[tuple[int, int], InboxEntry | None]] = {}
        """What each file says, and when it was written, with how many bytes; None: nothing that is believed."""
        self._near: dict[str, NDArray[np.float32]] = {}
        """Embeddings of what waits and of what was answered, by space. It is replaced as a whole."""

    def entries(self) -> list[InboxEntry]:
        """What waits, the most informative first. Raises VitcamError if the folder cannot be read."""
        with self._lock:
            return in_order(self._all())

    def entry(self, entry_id: str) -> InboxEntry:
        """One of them. Raises UsageError if there is none of that id."""
        checked_id(entry_id)
        with self._lock:
            found = next((each for each in self._all() if each.id == entry_id), None)
        if found is None:
            raise UsageError(f"the inbox has no picture {entry_id} any more; GET /api/inbox lists those that there are")
        return found

    def picture(self, entry_id: str) -> bytes:
        """The JPEG of one of them. Raises UsageError if there is none, VitcamError if it cannot be read."""
        path = self._path(self.entry(entry_id).id)
        try:
            return picture_in(path.read_bytes())
        except (OSError, ValueError) as error:
            raise VitcamError(f"{path} cannot be read: {error}") from error

    def add(self, entry: InboxEntry, jpeg: bytes, wanted: bool = False) -> bool:
        """Keep a picture, in place of one of the same id, and of the least informative ones where there is no room.

        wanted   a person wants it to wait: it takes the place of one that is more informative
        returns  False: it was not kept, since those that wait are all more informative, or none may wait
        raises   UsageError for what is no picture, VitcamError if the disk has no room or cannot be written
        """
        entry = with_unit_embedding(entry)
        data = pack_entry(entry, jpeg)
        try:
            entry = read_entry(checked_id(entry.id), data[:HEAD], len(data))
        except (ValueError, TypeError) as error:  # an event's time or label may be absurd
            raise UsageError(f"this picture cannot be kept in the inbox: {error}") from error
        with self._lock:
            others = [each for each in self._all() if each.id != entry.id]
            kept = self._within([entry, *in_order(others)] if wanted else in_order([*others, entry]))
            beyond = [each.id for each in others if each not in kept]
            if entry not in kept:
                self.remove(beyond)
                return False
            path = self._path(entry.id)
            try:
                remove_abandoned(self.folder, own=True)
                write_new(path, data, over=True)
            except OSError as error:
                raise VitcamError(f"{self.folder} cannot be written: {error.strerror}") from error
            self.remove(beyond)
            return True

    def keep_within_limits(self) -> None:
        """Delete the least informative pictures where more wait than the limits allow. Raises VitcamError."""
        with self._lock:
            waiting = self._all()
            kept = self._within(in_order(waiting))
            self.remove([each.id for each in waiting if each not in kept])

    def replace(self, entry: InboxEntry, jpeg: bytes) -> None:
        """Say something else of a picture, if it still waits; it goes where there is no room. Raises as `add`."""
        with self._lock:
            if any(each.id == entry.id for each in self._all()) and not self.add(entry, jpeg):
                self.remove([entry.id])

    def remove(self, ids: Sequence[str]) -> None:
        """Delete pictures for good. Those that are gone are fine. Raises VitcamError."""
        with self._lock:
            for each in ids:
                path = self._path(each)
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    raise VitcamError(f"{path} cannot be deleted: {error.strerror}") from error
            self.refresh()

    def clear(self) -> int:
        """Delete all pictures, and what is remembered of those that were answered; returns how many waited."""
        with self._lock:
            count = len(self._all())
            try:
                for path in self.folder.glob("inbox-*.jpg"):
                    path.unlink(missing_ok=True)
                remove_abandoned(self.folder, own=True)
                (self.folder / _ANSWERED).unlink(missing_ok=True)
            except OSError as error:
                raise VitcamError(f"{self.folder} cannot be emptied: {error.strerror}") from error
            self.refresh()
            return count

    def remember(self, entry: InboxEntry) -> None:
        """It was answered, so what looks like it is not asked about again. A disk that is full costs only that."""
        if entry.embedding is None:
            return
        with self._lock:
            space, rows = self._answered()
            before = rows if space == entry.space and rows.shape[1:] == entry.embedding.shape else rows[:0]
            self._save_answered(entry.space, [*before[1 - _MOST_ANSWERED :], entry.embedding])

    def forget(self, entry: InboxEntry) -> None:
        """Its answer was taken back."""
        if entry.embedding is None:
            return
        with self._lock:
            space, rows = self._answered()
            if space == entry.space and rows.shape[1:] == entry.embedding.shape:
                self._save_answered(space, [row for row in rows if float(row @ entry.embedding) < 1 - 1e-3])

    def nearest(self, embedding: NDArray[np.float32], space: str) -> float:
        """The cosine of an embedding, (D,), and the one that is most like it among what waits and was answered; -1 if
        nothing can be compared with it. Waits for nobody; `refresh` takes notice of what other processes changed.
        """
        rows = self._near.get(space)
        if rows is None or rows.shape[1:] != embedding.shape:
            return -1.0
        return float((rows @ embedding).max()) / (float(np.linalg.norm(embedding)) or 1.0)

    def refresh(self) -> None:
        """Read what is new. Raises VitcamError if the folder cannot be read."""
        with self._lock:
            self._near = self._embeddings()

    def _embeddings(self) -> dict[str, NDArray[np.float32]]:
        found: dict[str, list[NDArray[np.float32]]] = {"": []}
        space, rows = self._answered()
        found.setdefault(space, []).extend(rows)
        for each in self._all():
            if each.embedding is not None:
                found.setdefault(each.space, []).append(each.embedding)
        return {
            name: np.stack(some) for name, some in found.items() if some and len({each.shape for each in some}) == 1
        }

    def _within(self, ordered: list[InboxEntry]) -> list[InboxEntry]:
        """As many of the first ones as the limits allow."""
        kept, room = [], self.limits.max_mb * _MB
        for each in ordered[: self.limits.pictures]:
            room -= each.size
            if room < 0:
                break
            kept.append(each)
        return kept

    def _all(self) -> list[InboxEntry]:
        """In no order. Reads what is new."""
        try:
            with os.scandir(self.folder) as files:
                found = dict(_pictures(files))
        except FileNotFoundError:
            found = {}
        except OSError as error:
            raise VitcamError(f"{self.folder} cannot be read: {error.strerror}") from error
        self._read = {
            name: self._read[name]
            if name in self._read and self._read[name][0] == stamp
            else (stamp, self._entry(name))
            for name, stamp in found.items()
        }
        return [entry for _, entry in self._read.values() if entry is not None]

    def _entry(self, entry_id: str) -> InboxEntry | None:
        try:
            with self._path(entry_id).open("rb") as file:
                return read_entry(entry_id, file.read(HEAD), os.fstat(file.fileno()).st_size)
        except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
            log.warning("%s is left out of the inbox: %s", self._path(entry_id), error)
            return None

    def _answered(self) -> tuple[str, NDArray[np.float32]]:
        """The space, and (n, D) unit vectors."""
        path = self.folder / _ANSWERED
        nothing = np.zeros((0, 1), np.float32)
        try:
            if not 0 < path.stat().st_size <= _LARGEST_ANSWERED:
                return "", nothing
            with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                space, rows = str(file["space"]), file["rows"]
        except DAMAGES:
            return "", nothing
        if rows.dtype != np.float16 or rows.ndim != 2 or len(rows) > _MOST_ANSWERED or not np.isfinite(rows).all():
            return "", nothing
        return space, rows.astype(np.float32)

    def _save_answered(self, space: str, rows: list[NDArray[np.float32]]) -> None:
        path = self.folder / _ANSWERED
        try:
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            with atomic_write(path, private=True) as partial, partial.open("wb") as file:
                np.savez(
                    file, space=np.array(space), rows=np.array(rows, np.float16).reshape(len(rows), -1 if rows else 1)
                )
        except OSError as error:
            log.warning("%s cannot be written: %s; such pictures may be asked about again", path, error.strerror)
        self.refresh()

    def _path(self, entry_id: str) -> Path:
        return self.folder / f"{checked_id(entry_id)}.jpg"


def in_order(entries: Sequence[InboxEntry]) -> list[InboxEntry]:
    """Those that a person has corrected first, the newest of them first; then always the one that says most beside
    those before it: the model was unsure of it, and it looks unlike them.

    source  margin: Scheffer et al. 2001; distance to what was chosen: Sener & Savarese 2018, k-center greedy
    """
    of_people = sorted((each for each in entries if each.why == "corrected"), key=lambda each: -each.taken_ms)
    rest = sorted((each for each in entries if each.why != "corrected"), key=lambda each: (-each.doubt, each.id))
    rows = [each.embedding for each in rest]
    distance = np.ones(len(rest))
    ordered, left = [], np.ones(len(rest), bool)
    doubt = np.array([each.doubt for each in rest])
    widths = np.array([0 if row is None else len(row) for row in rows])
    spaces = np.array([each.space for each in rest])
    for _ in rest:
        worth = np.where(left, doubt * (_NEAR + (1 - _NEAR) * np.minimum(distance / _FAR, 1.0)), -1.0)
        place = int(worth.argmax())
        ordered.append(rest[place])
        left[place] = False
        row = rows[place]
        if row is not None:
            same = np.flatnonzero(left & (widths == len(row)) & (spaces == spaces[place]))
            if len(same):
                alike = np.stack([each for i in same if (each := rows[i]) is not None]) @ row
                distance[same] = np.minimum(distance[same], 1.0 - alike)
    return [*of_people, *ordered]


def _pictures(files: "Iterator[os.DirEntry[str]]") -> Iterator[tuple[str, tuple[int, int]]]:
    """Id, and when it was written with how many bytes."""
    for number, file in enumerate(files):
        if number >= _MOST_FILES:
            return
        name = file.name.removesuffix(".jpg")
        with suppress(OSError, UsageError):
            if name != file.name and checked_id(name) and file.is_file(follow_symlinks=False):
                found = file.stat(follow_symlinks=False)
                if found.st_size <= _LARGEST:
                    yield name, (found.st_mtime_ns, found.st_size)
