"""Data sets of your own: `datasets/NAME/LABEL/PICTURE.jpg` below the state folder, as `vitcam teach` reads them.

A user who can change the folders may put anything there. A name from outside becomes a path once it was checked.
"""

import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import UsageError, VitcamError
from vitcam.parts.teach.datasets.recordings import free_name
from vitcam.parts.teach.datasets.teachable import MOST_LABELS, MOST_PHOTOS, checked_label
from vitcam.sentence import Sentence
from vitcam.storage.file_names import LONGEST, can_name_file
from vitcam.storage.files import remove_abandoned, rename_new, write_new
from vitcam.storage.reading import read_file
from vitcam.text import shortened

FOLDER = "datasets"
MINE = "mine"
"""The data set of those who name none."""
WHOLE = ".whole"
"""Within a data set: the whole frames of its pictures, which are not taught."""
MOST_PICTURES = 5000  # of one label
LARGEST = 32 * 2**20
"""Bytes of a picture; the owner of the folder may have put any file there."""
_NAME = re.compile(r"\w[\w-]{0,63}")
PICTURE = re.compile(r"\w[\w.-]{0,99}\.jpg")
_MB = 2**20


@dataclass(frozen=True, slots=True)
class DataSet:
    """What a data set holds."""

    name: str
    labels: dict[str, int]
    """Label -> number of its pictures."""
    bytes: int
    """Of all pictures, and of whole frames."""


class DataSets:
    """All data sets of a state folder. Any thread may call it.

    folder  the state folder
    max_mb  more than this, of 2^20 bytes, is not collected
    """

    def __init__(self, folder: Path, max_mb: float) -> None:
        self.folder = folder / FOLDER
        self.max_mb = max_mb
        self._changing = threading.Lock()
        self._tidied = False
        self._bytes: int | None = None
        """Of all data sets; None: not counted yet."""

    def all(self) -> list[DataSet]:
        """All of them, by name. Raises VitcamError if the folder cannot be read."""
        try:
            found = [_data_set(path) for path in _folders(self.folder) if _NAME.fullmatch(path.name)]
        except OSError as error:
            raise VitcamError(f"{self.folder} cannot be read: {error.strerror}") from error
        with self._changing:
            self._bytes = sum(each.bytes for each in found)
        return found

    def path(self, name: str) -> Path:
        """The folder of a data set, to teach it. Raises UsageError if there is none of that name."""
        path = self._data_set(name)
        if not path.is_dir() or path.is_symlink():
            missing = f"there is no data set {name}; GET /api/datasets lists those that there are"
            raise UsageError(Sentence(missing, "teach.no_photos"))
        return path

    def pictures(self, name: str, label: str) -> list[str]:
        """The pictures of a label, the oldest first. Raises UsageError if there is no such label."""
        folder = self._label(name, label)
        if not folder.is_dir():
            raise UsageError(f"the data set {name} has no label {label!r}")
        return sorted(path.name for path in folder.glob("*.jpg") if PICTURE.fullmatch(path.name))

    def picture(self, name: str, label: str, picture: str) -> Path:
        """The file of a picture. Raises UsageError if there is none of that name."""
        path = self._label(name, label) / _checked(picture, PICTURE, "picture")
        if not path.is_file() or path.is_symlink():
            raise UsageError(f"the data set {name} has no picture {picture} of {label!r}")
        return path

    def check_room(self, name: str, label: str) -> None:
        """Raises UsageError where no further picture of this label may be kept, VitcamError if none can be counted."""
        counts = self._counts_for(name, label)
        if sum(counts.values()) >= MOST_PHOTOS:
            full = f"the data set {name} has {MOST_PHOTOS:,} pictures, and no more can be taught; delete some first"
            raise UsageError(Sentence(full, "teach.too_many", most=MOST_PHOTOS))
        self.check_space(name)

    def check_space(self, name: str) -> None:
        """Raises UsageError where the data sets take all of their space, or none can have this name; VitcamError."""
        self._data_set(name)
        if not self._tidied:
            self._tidy()
        if self._bytes is None:
            self.all()
        if (self._bytes or 0) >= self.max_mb * _MB:
            raise UsageError(
                Sentence(
                    f"the data sets take {(self._bytes or 0) / _MB:.0f} MB of the {self.max_mb:g} MB that "
                    "collect.max_mb allows; delete one, or allow more",
                    "teach.no_room",
                    most=self.max_mb,
                )
            )

    def add(self, name: str, label: str, picture: str, jpeg: bytes, whole: bytes | None = None) -> None:
        """Keep a picture. Nothing happens where the same one has this name already.

        whole   the frame that it was cut from; None: it is not kept
        raises  UsageError where there is no room, or another picture has this name; VitcamError where the disk has none
        """
        self.check_room(name, label)
        path = self._label(name, label) / _checked(picture, PICTURE, "picture")
        try:
            self._write(path, jpeg, whole)
        except FileExistsError:
            if path.is_file() and path.stat().st_size == len(jpeg) and read_file(path, LARGEST) == jpeg:
                return
            raise UsageError(
                f"the data set {name} has another picture {picture} of {label!r}; move or delete that one first"
            ) from None
        except OSError as error:
            raise VitcamError(f"{path.parent} cannot be written: {error.strerror}") from error
        with self._changing:
            self._bytes = (self._bytes or 0) + len(jpeg) + len(whole or b"")

    def _write(self, path: Path, jpeg: bytes, whole: bytes | None) -> None:
        write_new(path, jpeg)
        try:
            if whole is not None:
                write_new(self._whole(path), whole, over=True)
        except OSError:
            with suppress(OSError):
                path.unlink()
            raise

    def same_as(self, name: str, jpeg: bytes) -> tuple[str, str] | None:
        """Label and name of a picture with exactly these bytes; None if there is none. Raises VitcamError."""
        path = self._data_set(name)
        try:
            for label in _folders(path):
                for each in label.glob("*.jpg"):
                    if each.is_file() and each.stat().st_size == len(jpeg) and read_file(each, LARGEST) == jpeg:
                        return label.name, each.name
        except OSError as error:
            raise VitcamError(f"{path} cannot be read: {error.strerror}") from error
        return None

    def rename(self, name: str, label: str, picture: str, other: str) -> None:
        """Give a picture another label. Where one of that label has its name, it gets another number.

        raises  UsageError, VitcamError
        """
        path, folder = self.picture(name, label, picture), self._label(name, other)
        if folder == path.parent:
            return
        self._counts_for(name, other)
        try:
            folder.mkdir(0o750, parents=True, exist_ok=True)
            target, whole = _moved(path, folder), self._whole(path)
            if whole.exists():
                self._whole(target).parent.mkdir(0o750, parents=True, exist_ok=True)
                whole.replace(self._whole(target))  # what has that name is of a picture that is gone
        except OSError as error:
            raise VitcamError(f"{folder} cannot be written: {error.strerror}") from error
        _remove_empty(path.parent)

    def delete(self, name: str, label: str = "", picture: str = "") -> None:
        """Delete a picture for good; without one a whole label; without that the whole data set.

        raises  UsageError if there is nothing of that name; VitcamError if it cannot be deleted
        """
        path = self._data_set(name)
        if label:
            path = self.picture(name, label, picture) if picture else self._label(name, label)
        if not path.exists():
            raise UsageError(f"the data set {name} has no label {label!r}" if label else f"there is no data set {name}")
        try:
            for each in (path, self._whole(path)) if label else (path,):
                if each.is_dir() and not each.is_symlink():
                    shutil.rmtree(each)
                else:
                    each.unlink(missing_ok=True)
        except OSError as error:
            raise VitcamError(f"{path} cannot be deleted: {error.strerror}") from error
        if picture:
            _remove_empty(path.parent)
        self.all()

    def forget(self, picture: str) -> None:
        """Delete a picture in whatever data set and label it lies. Raises UsageError, VitcamError."""
        for name, label in sorted(places_of(self.folder.parent, picture)):
            self.delete(name, label, picture)

    def _tidy(self) -> None:
        """Remove what a killed process left."""
        self._tidied = True
        for folder in (self.folder, *self.folder.glob("*/*"), *self.folder.glob(f"*/{WHOLE}/*")):
            remove_abandoned(folder, own=True)

    def _data_set(self, name: str) -> Path:
        return self.folder / _checked(name, _NAME, "data set")

    def _label(self, name: str, label: str) -> Path:
        return self._data_set(name) / checked_label(label)

    def _counts_for(self, name: str, label: str) -> dict[str, int]:
        """How many pictures each label has. Raises UsageError unless this label may have one more, VitcamError."""
        folder = self._label(name, label)
        try:
            counts = {each.name: _pictures(each) for each in _folders(folder.parent)}
        except OSError as error:
            raise VitcamError(f"{folder.parent} cannot be read: {error.strerror}") from error
        alike = [other for other in counts if other != folder.name and other.casefold() == folder.name.casefold()]
        if alike:
            known = f"the data set {name} has the label {alike[0]!r} already; write {folder.name!r} like that"
            raise UsageError(Sentence(known, "teach.label_alike", label=alike[0]))
        if folder.name not in counts and len(counts) >= MOST_LABELS:
            full = f"the data set {name} has {MOST_LABELS} labels, and no more are allowed; delete one first"
            raise UsageError(Sentence(full, "teach.many_labels", most=MOST_LABELS))
        if counts.get(folder.name, 0) >= MOST_PICTURES:
            full = f"{label!r} has {MOST_PICTURES:,} pictures, and no more are allowed; delete some of them first"
            raise UsageError(Sentence(full, "teach.full_label", label=label, most=MOST_PICTURES))
        return counts

    def _whole(self, path: Path) -> Path:
        inner = path.relative_to(self.folder)
        return self.folder / inner.parts[0] / WHOLE / Path(*inner.parts[1:])


def places_of(folder: Path, picture: str) -> set[tuple[str, str]]:
    """Data set and label of each picture of that name below a state folder."""
    found = (folder / FOLDER).glob(f"*/*/{_checked(picture, PICTURE, 'picture')}")
    return {(path.parts[-3], path.parts[-2]) for path in found if path.parts[-2] != WHOLE}


def _checked(text: str, form: re.Pattern[str], noun: str) -> str:
    if not form.fullmatch(text):
        raise UsageError(f"{shortened(repr(text))} cannot be the name of a {noun}; use letters, digits, - and _")
    if not can_name_file(text):
        raise UsageError(
            f"{shortened(text)!r} is too long for the name of a {noun}; a disk takes {LONGEST} bytes, and letters of "
            "some scripts have four"
        )
    return text


def _data_set(path: Path) -> DataSet:
    labels = {label.name: _pictures(label) for label in _folders(path)}
    size = sum(each.stat().st_size for each in path.rglob("*.jpg") if each.is_file())
    return DataSet(path.name, {label: count for label, count in labels.items() if count}, size)


def _pictures(folder: Path) -> int:
    return sum(1 for _ in folder.glob("*.jpg"))


def _folders(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))


def _moved(path: Path, folder: Path) -> Path:
    """Move a picture into a folder, and give it a free name there, which is returned. Raises OSError."""
    target = folder / path.name
    while True:
        try:
            rename_new(path, target)
        except FileExistsError:
            target = folder / free_name([each.name for each in folder.iterdir()], path.name)
        else:
            return target


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):  # it holds something
        folder.rmdir()
