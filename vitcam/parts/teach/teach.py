"""Teaches a base the labels of a folder of photos: from the photos to a model file that was checked, and a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vitcam.errors import UsageError
from vitcam.frames import Unreadable
from vitcam.model import bundle
from vitcam.model.bundle import Bundle
from vitcam.model.classifier import Classifier
from vitcam.model.files import DEFAULT, find_model
from vitcam.model.taught import DIGEST, NONE
from vitcam.parts.teach.blas import one_thread
from vitcam.parts.teach.cache import Seen
from vitcam.parts.teach.comparison import compared
from vitcam.parts.teach.dataset import Folder, Photo, list_photos
from vitcam.parts.teach.examples import HISTORY, RIGHT, Examples, Others, examples_of, labels_of, others_of
from vitcam.parts.teach.folds import one_recording
from vitcam.parts.teach.head import Head, head_alone, head_beside
from vitcam.parts.teach.history import seen_before, unlike
from vitcam.parts.teach.learn import Learned, Teacher
from vitcam.parts.teach.painted import to_paint
from vitcam.parts.teach.photos import Looker
from vitcam.parts.teach.progress import OnProgress, Progress, silent
from vitcam.parts.teach.report import (
    Comparison,
    Report,
    Share,
    accuracy_of,
    advice_for,
    confused_in,
    explained_by_background,
    suspects_of,
    taken,
)
from vitcam.parts.teach.write import place_of, write_taught
from vitcam.sentence import Sentence
from vitcam.text import readable

HALF = 0.5
_LEAST_OF_TAUGHT = 0.8
"""Pictures of so large a share of the least contrast among those that are taught are not blank."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be taught.

    dataset  a folder of LABEL/photo.jpg
    name     of the new model
    base     name or file of the model that is taught; its graph is used as it is
    add_to   True: the labels stand beside those of the base; False: the new model knows these labels alone
    versus   a model to compare with, by name or file, on pictures that neither has learned from; empty: none
    history  a state folder: labels beside those of the base must not take what its camera saw before; None: nothing
    """

    dataset: Path
    name: str
    base: str = DEFAULT
    add_to: bool = False
    versus: str = ""
    history: Path | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """The photos of a data set that can be read, each once, and what the base makes of them."""

    photos: tuple[Photo, ...]
    seen: tuple[Seen, ...]
    unreadable: tuple[Unreadable, ...]

    @property
    def read(self) -> Any:
        """(n, E + 2 D) float32."""
        return np.stack([each.read for each in self.seen])


def teach(task: Task, on_progress: OnProgress = silent) -> Report:
    """Teach, check and write the model; the same photos give the same file.

    raises  UsageError for a data set, a name or a base that cannot be used, ModelError for a damaged base, VitcamError
            if the file cannot be written; nothing is written then. What `on_progress` raises
    """
    with one_thread():
        return _teach(task, on_progress)


def _teach(task: Task, on_progress: OnProgress) -> Report:
    out, folder = place_of(task.name), list_photos(task.dataset, 1 if task.add_to else 2)
    if task.versus:
        find_model(task.versus)
    base = _base(task, len({photo.label for photo in folder.taught}))
    looker = Looker(Classifier(base.path, threads=1))
    read = _read(folder, looker, on_progress)
    read = replace(read, unreadable=(*read.unreadable, *folder.left_out))
    taught = _part(read, folder.taught)
    labels, joined = _labels(folder, taught, base if task.add_to else None)
    embedding = base.card.embedding_width or base.card.width
    examples, together = examples_of(folder.root, taught.photos, taught.seen, labels, joined, embedding)
    history = seen_before(task.history, labels, looker) if task.history and task.add_to else []
    bank = bundle.read_bank(base.path, base.card)
    others = others_of(bank, base.labels, labels, base.card.row_width, unlike(history, taught.seen), taught.seen)
    teacher = Teacher(examples, others, embedding, alone=not task.add_to)
    learned = teacher.learn(lambda done, total: on_progress(Progress("learning", done, total)))
    head = head_beside(examples, others, learned) if task.add_to else head_alone(examples, learned)
    head = replace(head, taught=replace(head.taught, pictures=frozenset(each.digest[:DIGEST] for each in taught.seen)))
    on_progress(Progress("checking", 0, 2))
    held_out = _held_out(_part(read, folder.held), labels, head)
    versus = compared(task.versus, taught.photos, taught.seen, examples, together, head.held) if task.versus else None
    report = _report(task, read, taught, examples, others, head, teacher, learned, held_out, versus)
    on_progress(Progress("checking", 1, 2))
    on_progress(Progress("writing", 0, 1))
    about = _about(folder, base, report, learned, head)
    contrast = _LEAST_OF_TAUGHT * min(each.contrast for each in taught.seen)
    write_taught(base, head, about, contrast, out)
    on_progress(Progress("writing", 1, 1))
    return report


def _base(task: Task, labels: int) -> Bundle:
    """The model to teach. Raises UsageError if it has no room for so many labels."""
    path = find_model(task.base)
    base = bundle.read(path)
    if base is not None and base.card.taught:
        raise UsageError(f"{path} was taught itself; give its own base, such as {DEFAULT}, with --base")
    if base is None or not base.card.row_capacity:
        fixed = f"{path} has no room for labels of your own; give another base, such as {DEFAULT}, with --base"
        raise UsageError(Sentence(fixed, "teach.no_own", model=path.stem, other=DEFAULT))
    room = base.card.row_capacity - (not task.add_to)
    if labels > room:
        many = f"there are {labels} labels, and {base.card.name} has room for {room}; remove some"
        raise UsageError(Sentence(many, "teach.many_labels", most=room))
    return base


def _read(folder: Folder, looker: Looker, on_progress: OnProgress) -> _Read:
    """Ask about every photo. The same picture counts once.

    raises  UsageError if the same picture has two labels
    """
    root, photos = folder.root, (*folder.taught, *folder.held)
    looked = looker.look(root, photos, on_progress, to_paint(folder.taught))
    first: dict[bytes, Photo] = {}
    kept, seen = [], []
    for photo, found in zip(photos, looked.seen, strict=True):
        if found is None:
            continue
        there = first.setdefault(found.digest, photo)
        if there.label != photo.label:
            one, other = (readable(str(each.path.relative_to(root))) for each in (there, photo))
            same = f"{one} and {other} are the same picture with two labels; remove one of them"
            raise UsageError(Sentence(same, "teach.same_picture", one=there.label, other=photo.label))
        if there is photo:
            kept.append(photo)
            seen.append(found)
    return _Read(tuple(kept), tuple(seen), looked.unreadable)


def _part(read: _Read, photos: Sequence[Photo]) -> _Read:
    wanted = set(photos)
    places = [i for i, photo in enumerate(read.photos) if photo in wanted]
    return _Read(tuple(read.photos[i] for i in places), tuple(read.seen[i] for i in places), read.unreadable)


def _labels(folder: Folder, taught: _Read, base: Bundle | None) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Those of the photos that can be read; last those that the base knows, and which of its labels these are.

    base    None: they stand alone
    raises  UsageError if a label has no photo that can be read
    """
    found = {photo.label for photo in taught.photos}
    if lost := sorted({photo.label for photo in folder.taught} - found):
        reason = taught.unreadable[0]
        raise UsageError(
            f"no photo of {lost[0]!r} can be read, such as {reason.path}: {reason.error}; replace the photos, or "
            "remove the label"
        )
    return labels_of(found, base.labels if base else ())


def _held_out(held: _Read, labels: tuple[str, ...], head: Head) -> Share | None:
    """How often the finished head is right about photos that were not taught; None without such photos."""
    if not held.photos:
        return None
    rows = head.taught.rows
    logits = held.read.astype(float) @ rows.rows.T.astype(float) + rows.offsets
    if not head.taught.alone:
        logits = np.append(logits, [[each.log_sum + each.best] for each in held.seen], axis=1)
        for column, label in enumerate(head.taught.joined, len(labels) - len(head.taught.joined)):
            same = [place for place, each in enumerate(held.seen) if each.best_label == label]
            logits[same, column] = np.logaddexp(logits[same, column], logits[same, -1])
            logits[same, -1] = -np.inf
    named = (*labels, "")
    right = [named[answer] == photo.label for answer, photo in zip(logits.argmax(1), held.photos, strict=True)]
    return Share(sum(right), len(right))


def _report(
    task: Task, read: _Read, taught: _Read, examples: Examples, others: Others, head: Head, teacher: Teacher,
    learned: Learned, held_out: Share | None, versus: Comparison | None,
) -> Report:  # fmt: skip
    accuracy = accuracy_of(examples, head.held)
    half = None if accuracy is None else _half(examples, head, teacher, learned)
    counts = Counter(photo.label for photo in taught.photos)
    return Report(
        name=task.name,
        labels=tuple((label, counts[label]) for label in examples.labels),
        accuracy=accuracy,
        held_out=held_out,
        confused=confused_in(examples, head, NONE if head.taught.alone else "a label of the base"),
        suspects=suspects_of(examples, head.held),
        half=half,
        advice=advice_for(examples, accuracy, half, head.held, one_recording(taught.photos)),
        unreadable=read.unreadable,
        compared=versus,
        lost=taken(others, head, RIGHT) if task.add_to else None,
        stolen=taken(others, head, HISTORY),
        background=explained_by_background(examples, others, head),
    )


def _half(examples: Examples, head: Head, teacher: Teacher, learned: Learned) -> Share | None:
    """The accuracy with half of the photos, on the same terms as with all of them."""
    held = teacher.held_with(HALF, learned)
    count = len(examples.labels)
    of_all = accuracy_of(examples, learned.held[:, :count])
    of_half = accuracy_of(examples, held[:, :count])
    whole = accuracy_of(examples, head.held)
    if of_all is None or of_half is None or whole is None:
        return None
    return Share(max(0, whole.count - max(0, of_all.count - of_half.count)), whole.n)


def _about(folder: Folder, base: Bundle, report: Report, learned: Learned, head: Head) -> dict[str, Any]:
    """What the card says of it."""
    known = ", ".join(label for label, _ in report.labels)
    shown = known if len(known) <= 120 else f"{len(report.labels)} labels"
    accuracy: dict[str, Any] = {}
    if report.accuracy:
        low, high = report.accuracy.interval
        accuracy = {
            "data": folder.name, "split": "cross-validated", "n": report.accuracy.n, "top1": report.accuracy.value,
            "top1_low": low, "top1_high": high, "labels": len(report.labels),
        }  # fmt: skip
    if accuracy and not head.taught.alone:  # of the taught labels alone, so no figure of the whole model
        accuracy = {"taught": accuracy}
    return {
        "description": f"taught on a device: {shown}",
        "accuracy": accuracy,
        "provenance": {
            "taught_from": base.card.name,
            "dataset": folder.name,
            "photos": dict(report.labels),
            "strength": learned.strength,
            "reads": "embedding and mean of the patches" if learned.reading.patches else "embedding",
            "offset": head.offset,
            "lost_of_the_base": report.lost.value if report.lost else 0.0,
        },
    }
