"""What `vitcam classify` has to do: one job for each photo that its targets name, none of them begun yet."""

import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass, replace
from functools import partial
from http.client import HTTPException
from itertools import count
from typing import TypeAlias

from vitcam.commands.classify.in_order import Job, Work
from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Frame, Prediction, Unreadable
from vitcam.model.classifier import Classifier, frame_of
from vitcam.pictures.decode import FOREIGN_PIXELS, Decode, Limits, checked_header, decode
from vitcam.pictures.resize import InputSpec
from vitcam.redaction import redacted
from vitcam.sources import open_source
from vitcam.sources.files.images import Images, bytes_of
from vitcam.sources.network.error import reason_of
from vitcam.sources.source import SourceOptions

_FETCH_TIMEOUT_S = 20
_FETCH_LIMIT = 64 * 1024 * 1024
_OWN_FILE = Limits()
_PX = 3  # bytes; while a picture is decoded, its colours are there in both orders


@dataclass(frozen=True, slots=True)
class Answered:
    """A photo and what the model says of it."""

    frame: Frame
    prediction: Prediction
    numbers: Iterator[int]
    """Counts the photos of one target that could be read."""


PhotoJob: TypeAlias = Job[Classifier, Answered | Unreadable]
PhotoWork: TypeAlias = Work[Classifier, Answered | Unreadable]


@dataclass(frozen=True, slots=True)
class Jobs:
    """Makes the jobs of one target after the other; iterate it once."""

    targets: list[str]
    input: InputSpec
    decode_foreign: Decode
    on_total: Callable[[int], None]
    """Called with the number of photos as it becomes known."""

    def __iter__(self) -> Iterator[PhotoJob]:
        """What refuses a target becomes the last job, so that it is raised after the answers before it."""
        try:
            for target in self.targets:
                yield from self._of(target)
        except VitcamError as error:
            yield partial(_refuse, error)

    def _of(self, target: str) -> Iterator[PhotoJob]:
        one = _Photo(target, redacted(target), self.input, count())
        if target == "-":
            self.on_total(1)
            yield one.from_stdin
        elif target.startswith(("http://", "https://")):
            self.on_total(1)
            yield partial(one.from_address, self.decode_foreign)
        else:
            yield from self._in_files(target)

    def _in_files(self, target: str) -> Iterator[PhotoJob]:
        reports: list[Unreadable] = []
        options = SourceOptions(input=self.input, realtime=False, loop=False, on_unreadable=reports.append)
        numbers = count()
        with open_source(target, options) as source:
            if source.live:
                name = redacted(target)
                raise UsageError(f"{name} is a camera, not a photo; use `vitcam run --source {name}`")
            if isinstance(source, Sized):
                self.on_total(len(source))
            yield from _reported(reports)
            if isinstance(source, Images):
                yield from (_Photo(target, path, self.input, numbers).from_file for path in source.paths)
            else:
                yield from (partial(_from_video, frame, numbers) for frame in source)
        yield from _reported(reports)


@dataclass(frozen=True, slots=True)
class _Photo:
    """A picture that somebody has named."""

    source: str
    path: str
    input: InputSpec
    numbers: Iterator[int]

    def from_file(self) -> PhotoWork:
        return self._begin(lambda: bytes_of(self.path))

    def from_stdin(self) -> PhotoWork:
        return self._begin(_read_stdin)

    def from_address(self, decode_foreign: Decode) -> PhotoWork:
        """Fetched while others are worked on: its size is not known before."""

        def fetch_and_answer(classifier: Classifier) -> Answered | Unreadable:
            started = time.monotonic_ns()
            try:
                data = _fetch(self.source)
            except VitcamError as error:
                return Unreadable(self.path, str(error))
            return self._answer(data, decode_foreign, started, classifier)

        return Work(_FETCH_LIMIT + _PX * FOREIGN_PIXELS, fetch_and_answer)

    def _begin(self, read: Callable[[], bytes]) -> PhotoWork:
        """Read it; its header says how much memory the rest will take."""
        started = time.monotonic_ns()
        try:
            data = read()
            header = checked_header(data, _OWN_FILE)
        except UsageError as error:
            return Work(0, partial(_say, Unreadable(self.path, str(error))))
        weight = len(data) + 2 * _PX * header.width * header.height
        return Work(weight, partial(self._answer, data, decode, started))

    def _answer(self, data: bytes, decode: Decode, started_ns: int, classifier: Classifier) -> Answered | Unreadable:
        try:
            image = decode(data).image
        except VitcamError as error:
            return Unreadable(self.path, str(error))
        took_ms = (time.monotonic_ns() - started_ns) / 1e6
        frame = replace(frame_of(image, self.input, self.source, self.path), captured_ns=started_ns, capture_ms=took_ms)
        return Answered(frame, classifier(frame), self.numbers)


def _from_video(frame: Frame, numbers: Iterator[int]) -> PhotoWork:
    return Work(frame.preview.nbytes, lambda classifier: Answered(frame, classifier(frame), numbers))


def _reported(reports: list[Unreadable]) -> Iterator[PhotoJob]:
    """What a source has reported meanwhile takes its turn, too."""
    for bad in reports:
        yield partial(_begun, Work(0, partial(_say, bad)))
    reports.clear()


def _begun(work: PhotoWork) -> PhotoWork:
    return work


def _say(bad: Unreadable, _: Classifier) -> Unreadable:
    return bad


def _refuse(error: VitcamError) -> PhotoWork:
    raise error


def _read_stdin() -> bytes:
    """Past Python's buffer: its lock, held by a thread that waits for ever, would not let the process end."""
    if sys.stdin is None:
        raise UsageError("stdin is closed; give it a picture, as in `vitcam classify - < photo.jpg`")
    try:
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as raw:
            data = bytearray()
            while len(data) < _FETCH_LIMIT and (more := raw.read(min(2**20, _FETCH_LIMIT - len(data)))):
                data += more
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}") from error
    return bytes(data)


def _fetch(url: str) -> bytes:
    request = urllib.request.Request(url, headers={"User-Agent": "vitcam"})  # noqa: S310 - http(s) only, see caller
    try:
        with urllib.request.urlopen(request, timeout=_FETCH_TIMEOUT_S) as answer:  # noqa: S310
            data: bytes = answer.read(_FETCH_LIMIT)
            return data
    except (OSError, HTTPException, ValueError) as error:
        raise VitcamError(f"cannot be fetched: {reason_of(error)}") from None
