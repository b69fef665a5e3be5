"""The pictures of the history: files below `frames/`, one folder a day, each written once and as a whole."""

import contextlib
import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from vitcam.history.stored import CLIPS, FRAMES, is_below
from vitcam.storage.files import write_new


class PictureFiles:
    """Names are relative to the state folder, such as `frames/2026-01-02/01J….jpg`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, event_id: str, start_ms: int, jpeg: bytes) -> str:
        """Write a picture under a new name, which it returns. Raises OSError; nothing is left then."""
        day = datetime.fromtimestamp(start_ms / 1000, UTC).date().isoformat()
        name = f"{FRAMES}/{day}/{event_id}-{secrets.token_hex(2)}.jpg"
        write_new(self._folder / name, jpeg)
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
            if path.name.startswith(".") or frame_of(path.name.rpartition("-")[0]) != name:
                left[name] = path
        named = shown() if left else set()
        for name, path in left.items():
            if name not in named:
                with contextlib.suppress(OSError):
                    path.unlink()

    def remove(self, names: Iterable[str | None]) -> None:
        """Delete files, and the folders of days that are empty then. Files that are gone already are fine.

        Names that lead elsewhere are left alone.
        """
        paths = [self._folder / name for name in names if name is not None and is_below(name, (FRAMES, CLIPS))]
        for path in paths:
            with contextlib.suppress(OSError):
                path.unlink()
        for day in {path.parent for path in paths if path.parent.parent.name == FRAMES}:
            with contextlib.suppress(OSError):
                day.rmdir()  # fails while it holds a file
