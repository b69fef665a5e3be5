"""`vitcam classify`: one photo or a thousand, from files, folders, globs, addresses or stdin."""

import sys
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

import cv2

from vitcam.attention import overlay, usual_mode
from vitcam.decode import Decoded, decode
from vitcam.decode_process import DecodeProcess
from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Frame, Prediction, Unreadable
from vitcam.model.classifier import Classifier, frame_of
from vitcam.shown import shown
from vitcam.sources import open_source
from vitcam.sources.network_error import reason_of
from vitcam.sources.source import SourceOptions

_FETCH_TIMEOUT_S = 20
_FETCH_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Classified:
    """One photo and what the model says of it."""

    frame: Frame
    prediction: Prediction


def classify_all(
    classifier: Classifier,
    targets: list[str],
    on_unreadable: Callable[[Unreadable], None],
    on_total: Callable[[int], None],
) -> Iterator[Classified]:
    """Classify everything that the targets name, in order.

    on_unreadable  called for each photo that cannot be read; the rest goes on
    on_total       called with the number of photos as it becomes known
    raises         SourceError if a target names nothing at all
    """
    options = SourceOptions(input=classifier.input, realtime=False, loop=False, on_unreadable=on_unreadable)
    with closing(DecodeProcess()) as decode_foreign:

        def fetch(url: str) -> Decoded:
            return decode_foreign(_fetch(url))

        for target in targets:
            frames: Iterable[Frame]
            if target == "-" or target.startswith(("http://", "https://")):
                on_total(1)
                frames = _single(target, _read_stdin if target == "-" else fetch, classifier, options)
            else:
                frames = _from_files(target, options, on_total)
            for frame in frames:
                yield Classified(frame, classifier(frame))


def write_overlay(path: Path, done: Classified) -> None:
    """Save the photo with the model's attention over it. Raises VitcamError if it cannot be written."""
    prediction = done.prediction
    weights = prediction.attention if prediction.evidence is None else prediction.evidence[None]
    picture = overlay(done.frame.preview, done.frame.crop, weights, usual_mode(prediction.evidence is not None))
    try:
        written = cv2.imwrite(str(path), cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    except cv2.error as error:
        raise UsageError(f"{path} has no ending that says an image format; try .png or .jpg") from error
    if not written:
        raise VitcamError(f"{path} cannot be written; is the folder there, and is there room?")


def _from_files(target: str, options: SourceOptions, on_total: Callable[[int], None]) -> Iterator[Frame]:
    with open_source(target, options) as source:
        if source.live:
            name = shown(target)
            raise UsageError(f"{name} is a camera, not a photo; use `vitcam run --source {name}`")
        if isinstance(source, Sized):
            on_total(len(source))
        yield from source


def _single(target: str, read: Callable[[str], Decoded], classifier: Classifier, options: SourceOptions) -> list[Frame]:
    """One frame, or none once it was reported why."""
    name = shown(target)
    try:
        return [frame_of(read(target).image, classifier.input, name, name)]
    except VitcamError as error:
        options.on_unreadable(Unreadable(name, str(error)))
        return []


def _read_stdin(_: str) -> Decoded:
    return decode(sys.stdin.buffer.read(_FETCH_LIMIT))


def _fetch(url: str) -> bytes:
    request = urllib.request.Request(url, headers={"User-Agent": "vitcam"})  # noqa: S310 - http(s) only, see caller
    try:
        with urllib.request.urlopen(request, timeout=_FETCH_TIMEOUT_S) as answer:  # noqa: S310
            data: bytes = answer.read(_FETCH_LIMIT)
            return data
    except (OSError, HTTPException, ValueError) as error:
        raise VitcamError(f"cannot be fetched: {reason_of(error)}") from None
