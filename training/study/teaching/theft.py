"""What labels that are taught beside those of the base take from it: `python -m vitcam_training.study.teaching.theft`.

The folders of each source fall into two halves: on the first, the copies, their weight and `LOST` were chosen; the
figures are of the second.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from vitcam.interval import wilson
from vitcam.model.bank import Bank
from vitcam.model.classifier import Classifier
from vitcam.model.spare_rows import AddedRows
from vitcam.parts.teach.blas import one_thread
from vitcam.parts.teach.cache import Seen
from vitcam.parts.teach.dataset import Photo
from vitcam.parts.teach.examples import examples_of, labels_of, others_of
from vitcam.parts.teach.head import head_beside
from vitcam.parts.teach.learn import Teacher
from vitcam.parts.teach.photos import Looker
from vitcam.parts.teach.report import explained_by_background
from vitcam_training.data.dataset import BrokenPhotoError, data_root, read_photo
from vitcam_training.progress import with_progress
from vitcam_training.study.marked import fill, made_by, table
from vitcam_training.study.program import as_given, program, start
from vitcam_training.study.teaching.figures import OUTLINE, base_label

PACKAGE = "vitcam_training.study.teaching.theft"
TAUGHT, APART = ("household", "caltech101"), "ordinary"
"""The sources of what is taught, and one of which nothing is."""
LABELS, MOST_OF_FOLDER = 2, 45
FEWEST = 4
"""Photos of a taught label that are asked about."""
TEACHINGS = range(10, 20)
"""Draws; others of the same folders were looked at while the ways were chosen."""
WAYS = ("without copies", "as shipped")


@dataclass(frozen=True, eq=False)
class Asked:
    """A photo, and what the base makes of it."""

    folder: str
    path: Path
    seen: Seen
    is_right: bool
    """Whether the base is right about it."""


@dataclass(frozen=True)
class Share:
    """So many of n photos."""

    count: int = 0
    n: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.count + other.count, self.n + other.n)

    def __str__(self) -> str:
        low, high = wilson(self.count, self.n)
        return f"{self.count / self.n:.1%} ({low:.1%} to {high:.1%}) of {self.n:,}" if self.n else "–"


@dataclass(frozen=True)
class Theft:
    """All teachings of one source in one way."""

    source: str
    photos: int
    way: str
    right: Share
    """Of photos of the taught labels that were not taught."""
    stolen: Share
    lost: Share
    """Of the photos of other folders about which the base is right."""
    stolen_apart: Share
    """The same of photos of other sources."""
    lost_apart: Share
    warned: int
    """Labels of which the report says that the background explains them."""


class Study:
    """The base, and what it makes of photos.

    half  0: the folders on which the ways were chosen; 1: the others
    """

    def __init__(self, base: Classifier, bank: Bank | None, half: int) -> None:
        self.labels, self._bank, self._half = base.labels, bank, half
        self._width, self._row_width = base.card.embedding_width or base.card.width, base.card.row_width
        self._looker = Looker(base)
        self._photos = {source: list(self._ask(source)) for source in (*TAUGHT, APART)}

    def _ask(self, source: str) -> Iterator[Asked]:
        folders = sorted(
            path for path in (data_root() / source).iterdir() if path.is_dir() and path.name not in OUTLINE
        )
        paths = [path for folder in folders for path in sorted(folder.glob("*.jpg"))[:MOST_OF_FOLDER]]
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for path, seen in zip(paths, with_progress(pool.map(self._see, paths), source, len(paths)), strict=True):
                if seen is not None:
                    is_right = self.labels[seen.best_label] == base_label(path.parent.name)
                    yield Asked(path.parent.name, path, seen, is_right)

    def _see(self, path: Path) -> Seen | None:
        try:
            return self._looker.see(read_photo(path), is_copied=True)
        except BrokenPhotoError:
            return None

    def thefts(self, source: str, photos: int) -> Iterator[Theft]:
        """Each way, with so many photos of a label."""
        found = self._photos[source]
        folders = sorted({each.folder for each in found})
        half = folders[self._half :: 2]
        counts = Counter(each.folder for each in found)
        enough = [name for name in half if counts[name] >= photos + FEWEST]
        for way in WAYS:
            total: Theft | None = None
            for draw in TEACHINGS:
                rng = np.random.default_rng(draw)
                labels = tuple(sorted(rng.choice(enough, LABELS, replace=False).tolist()))
                one = self._theft(source, photos, way, labels, half, rng)
                total = one if total is None else _sum(total, one)
            if total is not None:
                yield total

    def _theft(
        self, source: str, photos: int, way: str, folders: tuple[str, ...], half: Sequence[str],
        rng: np.random.Generator,
    ) -> Theft:  # fmt: skip
        found = self._photos[source]
        own = [rng.permutation([i for i, each in enumerate(found) if each.folder == name]).tolist() for name in folders]
        taught, asked = (
            [found[i] for part in own for i in part[some]] for some in (slice(photos), slice(photos, None))
        )
        strange = [each for each in found if each.folder in half and each.folder not in folders]
        apart = [each for name, some in self._photos.items() if name != source for each in some]
        rows, warned = self._taught(folders, taught, way != WAYS[0])
        answers, _ = self._answers(rows, asked)
        right = sum(answer == _name(each.folder).casefold() for answer, each in zip(answers, asked, strict=True))
        return Theft(
            source, photos, way, Share(right, len(asked)), *self._taken(rows, strange), *self._taken(rows, apart),
            warned,
        )  # fmt: skip

    def _taught(self, folders: Sequence[str], photos: Sequence[Asked], copies: bool) -> tuple[AddedRows, int]:
        """The rows, and of how many labels the background explains them."""
        labels, joined = labels_of([_name(name) for name in folders], self.labels)
        listed = [Photo(_name(each.folder), each.path) for each in photos]
        seen = [each.seen if copies else replace(each.seen, copy=None) for each in photos]
        examples, _ = examples_of(data_root(), listed, seen, labels, joined, self._width)
        others = others_of(self._bank, self.labels, labels, self._row_width, photos=seen)
        with one_thread():
            learned = Teacher(examples, others, self._width, alone=False).learn(lambda _done, _total: None)
        head = head_beside(examples, others, learned)
        return head.taught.rows, len(explained_by_background(examples, others, head))

    def _answers(self, rows: AddedRows, asked: Sequence[Asked]) -> tuple[list[str], list[str]]:
        """What the model says with the rows, and what it says without them, in small letters.

        A row of a label that the base knows counts with what the base says of it.
        """
        names = [label.casefold() for label in rows.labels]
        before = [self.labels[each.seen.best_label].casefold() for each in asked]
        own = np.array([each.seen.log_sum + each.seen.best for each in asked])
        logits = np.stack([each.seen.read for each in asked]).astype(float) @ rows.rows.T + rows.offsets
        for place, says in enumerate(before):
            if says in names:
                logits[place, names.index(says)] = np.logaddexp(logits[place, names.index(says)], own[place])
                own[place] = -np.inf
        is_taught, best = logits.max(1) > own, logits.argmax(1)
        return [names[best[i]] if is_taught[i] else says for i, says in enumerate(before)], before

    def _taken(self, rows: AddedRows, asked: Sequence[Asked]) -> tuple[Share, Share]:
        """Of all of them, and of those about which the base is right."""
        taken = np.array([after != before for after, before in zip(*self._answers(rows, asked), strict=True)])
        right = np.array([each.is_right for each in asked])
        return Share(int(taken.sum()), len(asked)), Share(int(taken[right].sum()), int(right.sum()))


def _sum(one: Theft, other: Theft) -> Theft:
    shares = {
        name: getattr(one, name) + getattr(other, name)
        for name in ("right", "stolen", "lost", "stolen_apart", "lost_apart")
    }
    return replace(one, **shares, warned=one.warned + other.warned)


def _name(folder: str) -> str:
    return folder.replace("_", " ")


def write_table(page: Path, found: Sequence[Theft]) -> None:
    """Fill the table of the page."""
    lines = [
        f"`{each.source}` | {each.photos} | {each.way} | {each.right} | {each.stolen} | {each.lost} | "
        f"{each.stolen_apart} | {each.lost_apart}"
        for each in found
    ]
    head = "source | photos of each | way | right | stolen | right ones lost | of other sources: stolen | lost"
    fill(page, {"thefts": f"{table(head, *lines)}\n\n{made_by(as_given(PACKAGE))}"})


def measure(
    base: Annotated[str, typer.Option("--base", help="Teach this model.")] = "everyday",
    half: Annotated[int, typer.Option("--half", min=0, max=1, help="Take the folders of this half.")] = 1,
    photos: Annotated[int, typer.Option("--photos", help="Teach so many photos of each label.")] = 10,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the table into this page, such as teaching.md.")
    ] = None,
) -> None:
    """Teach two labels at a time beside those of the base, and ask about photos of other things."""
    classifier = Classifier(base, threads=1)
    study, found = Study(classifier, classifier.bank(), half), list[Theft]()
    for source in TAUGHT:
        for theft in study.thefts(source, photos):
            found.append(theft)
            typer.echo(json.dumps(asdict(theft)))
    if page:
        write_table(page, found)


app = program(measure)
if __name__ == "__main__":
    start(app, "theft")
