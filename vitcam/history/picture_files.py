"""The pictures of the history: files below `frames/`, one folder a day, each written once and as a whole."""

import contextlib
import errno
import re
import secrets
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path

from vitcam.history.stored import CLIPS, FRAMES, is_below, is_file_name
from vitcam.storage.files import write_new

_DETAIL = ".box.jpg"
_NOT_IN_NAMES = re.compile(r"[/\0-\x1f\x7f]")
_LONGEST = 200  # bytes; a name of a file may have 255


class PictureFiles:
    """Names are relative to the state folder, such as `frames/2026-01-02/01J….jpg`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, event_id: str, start_ms: int, jpeg: bytes, detail: bytes | None = None) -> str:
        """Write a picture under a new name, which it returns. Raises OSError; nothing is left then.

        detail  of its box in more px, which goes into a file beside it
        """
        day = datetime.fromtimestamp(start_ms / 1000, UTC).date().isoformat()
        name = f"{FRAMES}/{day}/{event_id}-{secrets.token_hex(2)}.jpg"
        write_new(self._folder / name, jpeg)
        if detail is not None:
            try:
                write_new(self._folder / detail_of(name), detail)
            except OSError:
                self.remove([name])
                raise
        return name

    def path(self, name: str) -> Path:
        """Raises FileNotFoundError for a name that no event has."""
        if not is_below(name, (FRAMES, CLIPS)):
            raise FileNotFoundError(name)
        return self._folder / name

    def remove_left_behind(
        self, frame_of: Callable[[str], str | None], shown: Callable[[], set[str]], newest: str | None
    ) -> None:
        """Delete files of the last two days that no event names: a killed process wrote them, and not the event.

        frame_of  the own picture of an event, given its id; None: there is no such event, or it has none
        shown     the pictures of the newest events; asked only if some files are not the picture of their own event
        newest    the picture that was written last; a clock that was ahead has made folders of later days
        """
        days = sorted(path for path in (self._folder / FRAMES).glob("*-*-*") if path.is_dir())
        last = days[-2:] + [day for day in days[:-2] if newest and day == (self._folder / newest).parent]
        left = {}
        for path in (path for day in last for path in day.iterdir()):
            name = str(path.relative_to(self._folder))
            whole = name.removesuffix(_DETAIL) + ".jpg" if name.endswith(_DETAIL) else name
            if path.name.startswith(".") or frame_of(path.name.rpartition("-")[0]) != whole:
                left[path] = whole
        named = shown() if left else set()
        for path, whole in left.items():
            if whole not in named:
                with contextlib.suppress(OSError):
                    path.unlink()

    def set_aside(self, named: Collection[str], folder: str) -> None:
        """Move every picture into another folder, beside that of the pictures, but those that are named.

        Those beside a named one stay, too. Raises OSError.
        """
        for day in sorted((self._folder / FRAMES).glob("*")):
            for path in sorted(day.glob("*")):
                name = str(path.relative_to(self._folder))
                if (name.removesuffix(_DETAIL) + ".jpg" if name.endswith(_DETAIL) else name) in named:
                    continue
                place = self._folder / folder / day.name
                place.mkdir(0o750, parents=True, exist_ok=True)
                path.rename(place / path.name)
            with contextlib.suppress(OSError):
                day.rmdir()  # fails while it holds a file

    def remove(self, names: Iterable[str | None]) -> None:
        """Delete files, those beside them, and the folders of days that are empty then. Files that are gone are fine.

        Names that lead elsewhere are left alone.
        """
        paths = [self._folder / name for name in names if name is not None and is_below(name, (FRAMES, CLIPS))]
        for path in [*paths, *(path.with_name(detail_of(path.name)) for path in paths if path.suffix == ".jpg")]:
            with contextlib.suppress(OSError):
                path.unlink()
        for day in {path.parent for path in paths if path.parent.parent.name == FRAMES}:
            with contextlib.suppress(OSError):
                day.rmdir()  # fails while it holds a file


def detail_of(name: str) -> str:
    """The file with the box of a picture, beside that of the picture."""
    return name.removesuffix(".jpg") + _DETAIL


class LabelFolders:
    """`folder/LABEL/ID.jpg`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, label: str, event_id: str, jpeg: bytes) -> None:
        """Write a picture, in place of one of the same event. Raises OSError, also for an id that cannot be a name."""
        write_new(self._path(label, event_id), jpeg, over=True)

    def remove(self, label: str, event_id: str) -> None:
        """Delete a picture, and the folder of its label if that is empty then. One that is gone is fine."""
        with contextlib.suppress(OSError):
            path = self._path(label, event_id)
            path.unlink()
            path.parent.rmdir()

    def _path(self, label: str, event_id: str) -> Path:
        if not is_file_name(event_id):
            raise OSError(errno.EINVAL, "an id of an event that is not a plain name")
        return self._folder / folder_name(label) / f"{event_id}.jpg"


def folder_name(label: str) -> str:
    """A label as the name of a folder: what a name may not hold becomes `_`."""
    name = _NOT_IN_NAMES.sub("_", label).encode()[:_LONGEST].decode(errors="ignore")
    return f"_{name[1:]}" if name.startswith(".") else name
