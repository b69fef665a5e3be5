"""The photos that targets name: one task for each, not started yet, and the answers of all in order."""

import os
import sys
import time
import urllib.request
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from http.client import HTTPException
from itertools import chain, count, islice
from typing import TypeAlias
from urllib.parse import urlsplit

from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Frame, Prediction, Unreadable
from vitcam.model.classifier import Classifier
from vitcam.pictures.decode import (
    MAX_DECODING,
    Decode,
    Decoded,
    Limits,
    checked_header,
    decode_checked,
    decoding_bytes,
    reduction,
)
from vitcam.pictures.decoder.process import DecodeProcess
from vitcam.pictures.opencv import use_one_thread
from vitcam.pictures.resize import InputSpec, frame_of_picture
from vitcam.redaction import redacted
from vitcam.sources import open_source
from vitcam.sources.images import Images, bytes_of
from vitcam.sources.network.address import reason_of
from vitcam.sources.network.client import fetch
from vitcam.sources.network.coding import read_body
from vitcam.sources.source import SourceOptions, log_unreadable
from vitcam.threads.ordered_pool import Neighbour, Started, StartedTask, SteppedTask, Task, in_order

_FETCH_TIMEOUT_S = 20
_FETCH_LIMIT = 64 * 1024 * 1024
_OWN_FILE = Limits()


@dataclass(frozen=True, slots=True)
class ClassifiedPhoto:
    """A photo and the model's answer."""

    frame: Frame
    prediction: Prediction
    numbers: Iterator[int]
    """Counts the readable photos of one target."""


PhotoTask: TypeAlias = Task[Classifier, ClassifiedPhoto | Unreadable]
StartedPhoto: TypeAlias = Started[Classifier, ClassifiedPhoto | Unreadable]
PhotoSteps: TypeAlias = Generator[None, None, ClassifiedPhoto | Unreadable]


@dataclass(frozen=True, slots=True)
class PhotoTasks:
    """The tasks of one target after the other; iterate it once."""

    targets: list[str]
    input: InputSpec
    decode_untrusted: Decode
    on_total: Callable[[int], None]
    """Called with the number of further photos as it becomes known."""
    wants: Callable[[str], bool] | None
    """As in `classify_all`."""

    def __iter__(self) -> Iterator[PhotoTask]:
        """An error in a target becomes the last task, so that it is raised after the answers before it."""
        try:
            for target in self.targets:
                yield from self._tasks_of(target)
        except VitcamError as error:
            yield partial(_raise, error)

    def _tasks_of(self, target: str) -> Iterator[PhotoTask]:
        photo = _Photo(target, redacted(target), self.input, count())
        if target == "-":
            self.on_total(1)
            yield photo.from_stdin
        elif target.lower().startswith(("http://", "https://")):
            self.on_total(1)
            if self.wants is None or self.wants(photo.path):
                yield partial(photo.from_address, self.decode_untrusted)
        else:
            yield from self._in_files(target)

    def _in_files(self, target: str) -> Iterator[PhotoTask]:
        reports: list[Unreadable] = []
        options = SourceOptions(input=self.input, realtime=False, loop=False, on_unreadable=reports.append)
        numbers = count()
        source = open_source(target, options)
        if source.live:
            name = redacted(target)
            raise UsageError(f"{name} is a camera, not a photo; use `vitcam run --source {name}`")
        if isinstance(source, Images):
            self.on_total(source.count())
            for path in source.found():
                yield from _reported(reports)
                if self.wants is None or self.wants(path):
                    yield Neighbour(_Photo(target, path, self.input, numbers).from_file)
        elif self.wants is not None:
            raise UsageError(f"{redacted(target)} is a film, whose pictures have no names; take photos with --resume")
        else:
            with source as frames:
                yield from (partial(_from_video, frame, numbers) for frame in frames)
        yield from _reported(reports)


@dataclass(frozen=True, slots=True)
class _Photo:
    """A photo that a target names."""

    source: str
    path: str
    input: InputSpec
    numbers: Iterator[int]

    def from_file(self) -> StartedPhoto:
        return self._begin(lambda: bytes_of(self.path))

    def from_stdin(self) -> StartedPhoto:
        return self._begin(_read_stdin)

    def from_address(self, decode_untrusted: Decode) -> StartedPhoto:
        """It is fetched in the second step, in parallel, since its size is not known before."""

        def fetch_and_classify(classifier: Classifier) -> PhotoSteps:
            started = time.monotonic_ns()
            try:
                data = _fetch(self.source)
            except VitcamError as error:
                return Unreadable(self.path, str(error), lasting=False)
            return (yield from self._classify(partial(decode_untrusted, data), started, classifier))

        return SteppedTask(_FETCH_LIMIT + MAX_DECODING, fetch_and_classify)

    def _begin(self, read: Callable[[], bytes]) -> StartedPhoto:
        """Read it. Its header says how much memory decoding takes."""
        started = time.monotonic_ns()
        try:
            data = read()
            header = checked_header(data, _OWN_FILE)
        except UsageError as error:
            return _skip(Unreadable(self.path, str(error), lasting=not isinstance(error.__cause__, OSError)))
        size = len(data) + decoding_bytes(header, reduction(header, None))
        return SteppedTask(size, partial(self._classify, partial(decode_checked, data, header), started))

    def _classify(self, decode: Callable[[], Decoded], started_ns: int, classifier: Classifier) -> PhotoSteps:
        try:
            image = decode().image
        except VitcamError as error:
            return Unreadable(self.path, str(error))
        took_ms = (time.monotonic_ns() - started_ns) / 1e6
        frame = replace(
            frame_of_picture(image, self.input, self.source, self.path), captured_ns=started_ns, capture_ms=took_ms
        )
        return (yield from _in_steps(frame, self.numbers, classifier))


def _from_video(frame: Frame, numbers: Iterator[int]) -> StartedPhoto:
    return SteppedTask(frame.preview.nbytes, partial(_in_steps, frame, numbers))


def _in_steps(frame: Frame, numbers: Iterator[int], classifier: Classifier) -> PhotoSteps:
    return ClassifiedPhoto(frame, (yield from classifier.in_steps(frame)), numbers)


def _reported(reports: list[Unreadable]) -> Iterator[PhotoTask]:
    """What a source has reported as unreadable, in its turn."""
    for photo in reports:
        yield partial(_skip, photo)
    reports.clear()


def _skip(photo: Unreadable) -> StartedPhoto:
    return StartedTask(0, lambda _: photo)


def _raise(error: VitcamError) -> StartedPhoto:
    raise error


def _read_stdin() -> bytes:
    """Without Python's buffer: a thread that waits for input holds its lock, and the process could not end."""
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
    """Raises VitcamError. A proxy that the environment names is asked, but not for what needs a login."""
    request = urllib.request.Request(url, headers={"User-Agent": "vitcam"})  # noqa: S310 - http(s) only, see caller
    try:
        if "@" in urlsplit(url).netloc:
            return fetch(url, _FETCH_LIMIT, _FETCH_TIMEOUT_S)
        with urllib.request.urlopen(request, timeout=_FETCH_TIMEOUT_S) as answer:  # noqa: S310
            return read_body(answer, _FETCH_LIMIT)
    except (OSError, HTTPException, ValueError) as error:
        raise VitcamError(f"cannot be fetched: {reason_of(error)}") from None


def classify_all(
    classifier: Classifier,
    targets: list[str],
    on_unreadable: Callable[[Unreadable], None] = log_unreadable,
    on_total: Callable[[int], None] = lambda _: None,
    workers: int | None = None,
    wants: Callable[[str], bool] | None = None,
) -> Generator[ClassifiedPhoto, None, None]:
    """Classify everything that the targets name, in order.

    One photo has the classifier and all its threads. Of several, each core reads, decodes and classifies its own with
    one thread, since that gives the most photos/s.

    on_unreadable  called for each photo that cannot be read; the others are classified
    on_total       called with the number of further photos as it becomes known, from any thread
    workers        how many photos at once; None: one for each core that this process may use
    wants          called with each path and address before it is read; False leaves that photo out; None: all are
                   classified, and films, too
    raises         SourceError if a target names nothing
    """
    with closing(DecodeProcess()) as decode_untrusted:
        tasks = iter(PhotoTasks(targets, classifier.input, decode_untrusted, on_total, wants))
        first = list(islice(tasks, 2))
        classifiers = [classifier] if len(first) < 2 else _one_per_core(classifier, workers)
        with closing(in_order(chain(first, tasks), classifiers)) as results:
            yield from _numbered(results, on_unreadable)


def _one_per_core(classifier: Classifier, workers: int | None) -> list[Classifier]:
    use_one_thread()
    return [classifier.clone(threads=1) for _ in range(workers or len(os.sched_getaffinity(0)))]


def _numbered(
    results: Iterable[ClassifiedPhoto | Unreadable], on_unreadable: Callable[[Unreadable], None]
) -> Iterator[ClassifiedPhoto]:
    """The photos with their numbers, known only here: unreadable ones before them do not count."""
    for result in results:
        if isinstance(result, Unreadable):
            on_unreadable(result)
        else:
            seq = next(result.numbers)
            frame, prediction = replace(result.frame, seq=seq), replace(result.prediction, seq=seq)
            yield replace(result, frame=frame, prediction=prediction)
