"""Classifies one photo or a thousand, from files, folders, globs, addresses or stdin."""

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice

from vitcam.batch.ordered_pool import in_order
from vitcam.batch.photos import ClassifiedPhoto, PhotoTasks
from vitcam.frames import Unreadable
from vitcam.model.classifier import Classifier
from vitcam.pictures.decoder.process import DecodeProcess
from vitcam.pictures.opencv import use_one_thread


def classify_all(
    classifier: Classifier,
    targets: list[str],
    on_unreadable: Callable[[Unreadable], None],
    on_total: Callable[[int], None],
    workers: int | None = None,
) -> Generator[ClassifiedPhoto, None, None]:
    """Classify everything that the targets name, in order.

    One photo has the classifier and all its threads. Of several, each core reads, decodes and classifies its own with
    one thread, since that gives the most photos/s.

    on_unreadable  called for each photo that cannot be read; the others are classified
    on_total       called with the number of further photos as it becomes known, from any thread
    workers        how many photos at once; None: one for each core that this process may use
    raises         SourceError if a target names nothing
    """
    with closing(DecodeProcess()) as decode_untrusted:
        tasks = iter(PhotoTasks(targets, classifier.input, decode_untrusted, on_total))
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
