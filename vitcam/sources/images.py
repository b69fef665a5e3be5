"""One image, a folder of them (with its folders, sorted), or a glob: every one is delivered, a broken one reported.

They come as fast as they are taken, or as a slideshow, which viewers may pause and step through.
"""

import glob
import math
import os
import time
from collections.abc import Callable, Iterator
from heapq import merge
from itertools import chain, islice
from pathlib import Path
from stat import S_ISREG
from types import TracebackType
from typing import Self

from vitcam.errors import SourceError, UsageError
from vitcam.frames import Frame, Image, Unreadable
from vitcam.pictures.decode import FOREIGN_SUFFIXES, IMAGE_SUFFIXES, MAX_BYTES, READABLE, decode_image
from vitcam.sources.playback import Pace, repeat_frame
from vitcam.sources.source import SourceOptions, log_unreadable

_RUN = 50_000  # names that are sorted at once


class Images:
    """A sized source of pictures from files; `Frame.path` is each file as it was given.

    A slideshow if `realtime` is true. It is not `live` either: each photo waits to be shown with its own prediction.
    """

    live = False

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        self._uri = uri
        self._place = place
        self._options = options
        self._paths: list[str] = []
        self._reported: set[str] = set()
        self._pace = Pace()

    def __len__(self) -> int:
        return len(self._paths)

    def found(self) -> Iterator[str]:
        """The files as `find_images` gives them, for callers that read them by themselves. It need not be entered."""
        return find_images(self._place, self._options.on_unreadable)

    def count(self) -> int:
        """How many these are. Looks through all folders."""
        return sum(1 for _ in find_images(self._place, lambda _: None))

    def __enter__(self) -> Self:
        self._pace = Pace()
        self._paths = list(self.found())
        if self._options.realtime:
            self._options.playback.offer(len(self._paths), can_step_back=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._options.playback.withdraw()

    def stop(self) -> None:
        self._pace.stop()

    def __iter__(self) -> Iterator[Frame]:
        return self._slideshow() if self._options.realtime else self._all()

    def _all(self) -> Iterator[Frame]:
        seq = first = 0
        while True:
            for path in self._paths:
                if self._pace.stopped:
                    return
                frame = self._read(path, seq)
                if frame is not None:
                    yield frame
                    seq += 1
            if not self._options.loop or seq == first:  # a round without a picture would repeat without end
                return
            first = seq

    def _slideshow(self) -> Iterator[Frame]:
        """Each photo for its time, forward and back as viewers step; at the end as `loop` says."""
        seq = index = missed = 0
        step = 1
        while not self._pace.stopped and missed < len(self._paths):
            frame = self._read(self._paths[index], seq)
            missed = 0 if frame is not None else missed + 1
            if frame is not None:
                self._options.playback.arrive(index, self._paths[index])
                yield frame
                step = yield from repeat_frame(frame, self._show_s(index), self._options.playback, self._pace)
                seq += 1
            if index + step == len(self._paths) and self._options.loop is False:
                return
            index = (index + step) % len(self._paths)

    def _show_s(self, index: int) -> float:
        """How long a photo is shown, in s; the last one stays, unless `loop` says what comes after it."""
        is_last = index == len(self._paths) - 1
        return math.inf if is_last and self._options.loop is None else self._options.every_s

    def _read(self, path: str, seq: int) -> Frame | None:
        """None for a file that is not a readable picture; it is reported once."""
        started_ns = time.monotonic_ns()
        try:
            return self._frame(decode_image(bytes_of(path)), path, seq, started_ns)
        except UsageError as error:
            self._report(Unreadable(path, str(error)))
            return None

    def _report(self, bad: Unreadable) -> None:
        if bad.path not in self._reported:
            self._reported.add(bad.path)
            self._options.on_unreadable(bad)

    def _frame(self, picture: Image, path: str, seq: int, started_ns: int) -> Frame:
        capture_ns = time.monotonic_ns() - started_ns
        picture.setflags(write=False)  # it may be delivered again, without the masks of now
        return self._options.frame(picture, self._uri, seq, started_ns, capture_ns, path)


def find_images(place: str, on_unreadable: Callable[[Unreadable], None] = log_unreadable) -> Iterator[str]:
    """The files that an image, a folder or a glob names, sorted; by their suffix unless a file itself is named.

    Of a folder they are found while they are taken, so that a million of them need next to no memory.

    on_unreadable  called for each folder that may not be looked into
    raises         SourceError when there is none
    """
    if not place:
        raise SourceError("images: needs the path of an image or a folder after the colon")
    path = Path(place)
    if path.is_dir():
        found = _below(place.rstrip("/") or "/", on_unreadable)
        first = next(found, None)
        if first is None:
            raise SourceError(
                f"the folder {place} holds no image; vitcam looks for {READABLE} files, also in its folders"
            )
        return chain((first,), found)
    if path.exists():
        return iter((place,))
    matches = glob.iglob(place, recursive=True)  # noqa: PTH207 - pathlib's refuses absolute patterns
    named = sorted(name for name in matches if _is_named_like_image(name) and Path(name).is_file())
    if not named:
        raise SourceError(f"no image matches {place}; vitcam looks for {READABLE} files")
    return iter(named)


def _below(folder: str, on_unreadable: Callable[[Unreadable], None]) -> Iterator[str]:
    """Image files below a folder, sorted as whole paths are. Links are followed, but no folder is entered twice; hidden
    names are left out."""
    entered: set[tuple[int, int]] = set()

    def names_in(here: str) -> Iterator[str]:
        try:
            status = Path(here).stat()
            if (status.st_dev, status.st_ino) in entered:
                return iter(())
            entered.add((status.st_dev, status.st_ino))
            with os.scandir(here) as entries:
                names = _sorted(name for entry in entries if (name := _name_of(entry)))
        except OSError as error:
            on_unreadable(Unreadable(here, f"cannot be read: {error.strerror}", lasting=False))
            return iter(())
        return (f"{here}/{name}" for name in names)

    folders = [names_in(folder)]
    while folders:
        if (path := next(folders[-1], None)) is None:
            folders.pop()
        elif path.endswith("/"):
            folders.append(names_in(path[:-1]))
        else:
            yield path


def _name_of(entry: "os.DirEntry[str]") -> str:
    """The name of an image; that of a folder with a slash, by which it sorts as the paths below it do; else nothing."""
    if entry.name.startswith("."):
        return ""
    try:
        if entry.is_dir():
            return f"{entry.name}/"
    except OSError:  # a link in a circle: it is reported as a file that cannot be read
        pass
    return entry.name if _is_named_like_image(entry.name) else ""


def _sorted(names: Iterator[str]) -> Iterator[str]:
    """As `sorted`, but a million names take the memory of their letters, a fifth of that of as many strings."""
    runs = []
    while run := sorted(islice(names, _RUN)):
        runs.append("".join(f"{name}\0" for name in run))
    return merge(*map(_split, runs))


def _split(run: str) -> Iterator[str]:
    start = 0
    while (end := run.find("\0", start)) >= 0:
        yield run[start:end]
        start = end + 1


def _is_named_like_image(name: str) -> bool:
    """Also like one that cannot be read: it is reported then, and not left out in silence."""
    return Path(name).suffix.lower() in IMAGE_SUFFIXES | FOREIGN_SUFFIXES


def bytes_of(name: str) -> bytes:
    """A picture file's content. Raises UsageError for a path that is not a readable file, or is too large."""
    path = Path(name)
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):  # a pipe would wait for a writer without end
            raise UsageError("not a file")
        if status.st_size > MAX_BYTES:
            raise UsageError(f"the file has {status.st_size:,} bytes; at most {MAX_BYTES:,} are allowed")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}") from error
