"""The answers about many photos in one file, so that a run that was ended continues where it was.

The file has a JSON object a line: first the model, then an answer or an error for each photo. A line says as `file` how
large the photo was and when it was changed. A photo that has changed since is classified again; its last line counts.
"""

import fcntl
import hashlib
import json
import os
from array import array
from bisect import bisect_left
from pathlib import Path
from stat import S_ISREG
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np

from vitcam.errors import UsageError, VitcamError
from vitcam.frames import ModelIdentity, Prediction, Unreadable
from vitcam.text import printable, readable
from vitcam.wire import error_record, prediction_record

_LONGEST = 2**20  # bytes of a line; an answer has 600, and some more for each of its guesses
_SORT_EVERY = 2**16  # new members of a set before they are sorted in

FileStamp = tuple[int, int]
"""Bytes of a file, and when its content was changed, in ns since the epoch."""


class NumberSet:
    """A set of numbers of 64 bits that takes 8 bytes for each: Python's own takes ten times that."""

    def __init__(self) -> None:
        self._sorted = array("Q")
        self._new: set[int] = set()

    def __contains__(self, number: int) -> bool:
        if number in self._new:
            return True
        at = bisect_left(self._sorted, number)
        return at < len(self._sorted) and self._sorted[at] == number

    def __len__(self) -> int:
        return len(self._sorted) + len(self._new)

    def add(self, number: int) -> None:
        """Nothing if it is in the set."""
        if number in self:
            return
        self._new.add(number)
        if len(self._new) >= _SORT_EVERY:
            new = np.fromiter(self._new, np.uint64, len(self._new))
            merged = np.sort(np.concatenate([np.frombuffer(self._sorted, np.uint64), new]))
            self._sorted = array("Q", merged.tobytes())
            self._new = set()


class AnswerFile:
    """A context manager. Entering reads which photos were answered, and cuts off a last line that was torn.

    path    is made where it is missing
    model   what answers: a file with the answers of another one is refused
    raises  UsageError on entering, for a file that is not one of these or that another process writes
    """

    def __init__(self, path: Path, model: ModelIdentity) -> None:
        self._path = path
        self._model = model
        self._file: BinaryIO | None = None
        self._answered = NumberSet()
        self._stamps: dict[str, FileStamp | None] = {}
        """Of the photos that are being classified."""
        self.skipped = 0
        """Photos that were answered before."""

    def __enter__(self) -> Self:
        try:
            number = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
        except OSError as error:
            raise UsageError(f"{self._path} cannot be written: {error.strerror}; name another file") from error
        if not S_ISREG(os.fstat(number).st_mode):
            os.close(number)
            raise UsageError(f"{self._path} is not a file that can be read again; name another one")
        self._file = file = os.fdopen(number, "r+b")
        try:
            self._lock(number)
            end = self._read(file)
            file.truncate(end)
            file.seek(end)
            if end == 0:
                self._write({"type": "model", "name": self._model.name, "fingerprint": self._model.fingerprint})
        except BaseException:
            file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def wants(self, path: str) -> bool:
        """Whether a photo is to be classified: it was not answered, or has changed since. Called once for each photo,
        before it is read.

        path  of a file, or an address
        """
        stamp = _stamp_of(path)
        if _number_of(path, None) in self._answered or (stamp and _number_of(path, stamp) in self._answered):
            self.skipped += 1
            return False
        self._answered.add(_number_of(path, stamp))  # also for a photo that is named twice
        self._stamps[path] = stamp
        return True

    def prediction(self, prediction: Prediction) -> None:
        """Write an answer. Raises VitcamError if it cannot be written."""
        self._write(prediction_record(prediction) | self._stamp_record(prediction.path or prediction.source))

    def unreadable(self, photo: Unreadable) -> None:
        """Write why a photo has no answer; one that may be readable the next time is tried again then."""
        stamp = self._stamp_record(photo.path)
        self._write(error_record(photo) | (stamp if photo.lasting else {"file": None}))

    def _stamp_record(self, path: str) -> dict[str, Any]:
        stamp = self._stamps.pop(path, None)
        return {"file": None if stamp is None else {"bytes": stamp[0], "modified_ns": stamp[1]}}

    def _write(self, record: dict[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=False) + "\n"
        assert self._file is not None  # noqa: S101 - entered
        try:
            self._file.write(line.encode("utf-8", "backslashreplace"))
            self._file.flush()
        except OSError as error:
            raise VitcamError(
                f"{self._path} cannot be written: {error.strerror}; make room, and give the same command again"
            ) from error

    def _lock(self, number: int) -> None:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"another vitcam writes {self._path}; wait for its end, or name another file") from None
        except OSError:  # a file system without locks
            return

    def _read(self, file: BinaryIO) -> int:
        """Note which photos were answered; gives the length of the whole lines."""
        end = 0
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST), b""), 1):
            if not line.endswith(b"\n"):
                if len(line) == _LONGEST:
                    raise self._foreign(number)
                break
            try:
                self._note(json.loads(line), number)
            except (ValueError, RecursionError):
                if file.read(1):
                    raise self._foreign(number) from None
                break  # torn when the power went
            end += len(line)
        return end

    def _note(self, record: Any, number: int) -> None:
        """Raises UsageError for a line that no run has written."""
        match record:
            case {"type": "model", "name": name, "fingerprint": fingerprint}:
                if (name, fingerprint) != (self._model.name, self._model.fingerprint):
                    raise UsageError(
                        f"{self._path} has the answers of another model, {printable(str(name))}; name another file, or "
                        "take that model"
                    )
            case {"type": "prediction", "path": str(path), "file": {"bytes": int(size), "modified_ns": int(changed)}}:
                self._answered.add(_number_of(path, (size, changed)))
            case {"type": "error", "path": str(path), "file": {"bytes": int(size), "modified_ns": int(changed)}}:
                self._answered.add(_number_of(path, (size, changed)))
            case {"type": "prediction", "path": str(path)}:  # of an address, or written by `--json`
                self._answered.add(_number_of(path, None))
            case {"type": "prediction" | "error" | "summary"}:
                return
            case _:
                raise self._foreign(number)

    def _foreign(self, number: int) -> UsageError:
        return UsageError(
            f"line {number:,} of {self._path} was not written by `vitcam classify`; name another file, or delete it"
        )


def _number_of(path: str, stamp: FileStamp | None) -> int:
    """64 bits that stand for a photo as it is; None: however it is."""
    text = "\0".join((readable(path), *map(str, stamp or ())))
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=8).digest())


def _stamp_of(path: str) -> FileStamp | None:
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns
