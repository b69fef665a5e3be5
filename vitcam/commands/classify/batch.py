"""`vitcam classify`: one photo or a thousand, from files, folders, globs, addresses or stdin."""

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

from vitcam.commands.classify.in_order import in_order
from vitcam.commands.classify.tasks import Answered, Jobs
from vitcam.errors import VitcamError
from vitcam.frames import Frame, Prediction, Unreadable
from vitcam.model.classifier import Classifier
from vitcam.pictures.decoder.process import DecodeProcess
from vitcam.pictures.encode import encode_by_ending
from vitcam.pictures.opencv import use_one_thread
from vitcam.pictures.overlay import draw_overlay


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
    workers: int | None = None,
) -> Generator[Classified, None, None]:
    """Classify everything that the targets name, in order.

    One photo has the classifier and all its threads. Of several, each core reads, decodes and classifies its own with
    one thread: that gives the most photos/s.

    on_unreadable  called for each photo that cannot be read; the rest goes on
    on_total       called with the number of photos as it becomes known, from any thread
    workers        how many photos at once; None: one for each core that this process may use
    raises         SourceError if a target names nothing at all
    """
    with closing(DecodeProcess()) as decode_foreign:
        jobs = iter(Jobs(targets, classifier.input, decode_foreign, on_total))
        first = list(islice(jobs, 2))
        tools = [classifier] if len(first) < 2 else _side_by_side(classifier, workers)
        with closing(in_order(chain(first, jobs), tools)) as answers:
            yield from _numbered(answers, on_unreadable)


def write_overlay(path: Path, done: Classified, kind: str) -> None:
    """Save the photo with an overlay of that kind. Raises VitcamError if it cannot be written."""
    picture = draw_overlay(done.frame.preview, done.frame.crop, done.prediction, kind)
    data = encode_by_ending(picture, str(path))
    try:
        path.write_bytes(data)
    except OSError as error:
        raise VitcamError(f"{path} cannot be written; is the folder there, and is there room?") from error


def _side_by_side(classifier: Classifier, workers: int | None) -> list[Classifier]:
    use_one_thread()
    return [classifier.clone(threads=1) for _ in range(workers or len(os.sched_getaffinity(0)))]


def _numbered(
    answers: Iterable[Answered | Unreadable], on_unreadable: Callable[[Unreadable], None]
) -> Iterator[Classified]:
    """Only here, in order, it is known how many photos of a target could be read before."""
    for answer in answers:
        if isinstance(answer, Unreadable):
            on_unreadable(answer)
        else:
            seq = next(answer.numbers)
            yield Classified(replace(answer.frame, seq=seq), replace(answer.prediction, seq=seq))
