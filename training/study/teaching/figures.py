"""The figures of labels that stand alone: accuracy, none of these, exchanged labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.model.classifier import Classifier
from vitcam.parts.teach.report import suspicion
from vitcam_training.data.dataset import data_root
from vitcam_training.data.published.things import read_things
from vitcam_training.study.teaching.finetuned import finetuned
from vitcam_training.study.teaching.photos import Photos, drawn, look
from vitcam_training.study.teaching.ways import (
    Base,
    by_scikit_learn,
    nearest_mean,
    nearest_photos,
    taught_alone,
    timed,
)

DRAWS = (0, 1, 2)
MORE_DRAWS = tuple(range(10))
"""Of few photos, of which each draw gives another answer."""
FEW = 5
TAUGHT, STRANGE = 20, 20
FINETUNED = 30  # photos of a label
OUTLINE = ("Faces", "Faces_easy")
"""Of `caltech101` left out: the same faces twice."""
EXCHANGED = 0.1
FIRST = 0.15


@dataclass(frozen=True)
class Accuracy:
    """How many of the photos that were not taught are answered right."""

    data: str
    photos: int
    labels: int
    way: str
    right: float
    """The mean over the draws."""
    each: tuple[float, ...]
    n: int
    """Photos that are asked about in one draw."""
    seconds: float
    """Of processor time, without asking the base about the photos."""
    mb: float
    """Of memory at most, beside the numbers of the photos."""


@dataclass(frozen=True)
class Rejected:
    """Of photos of other things, how many are called none of the labels."""

    draw: int
    strange: float
    n_strange: int
    ordinary: float
    n_ordinary: int
    taught: float
    """Of other photos of what was taught, how many are called so, too."""
    n_taught: int
    at_five: float
    """`strange` where the threshold is moved until exactly 5 % of those are."""
    ordinary_at_five: float


@dataclass(frozen=True)
class Exchanged:
    """Photos that were given another label on purpose, and how many are among the first suspects."""

    data: str
    exchanged: int
    found: int


class Material:
    """The base and what it makes of the photos.

    kept  a folder where that is written
    """

    def __init__(self, base: Classifier, kept: Path) -> None:
        bank = base.bank()
        if bank is None:
            raise UsageError(f"{base.path} has no bank; give another base")
        self.base = Base(base.labels, bank, base.card.embedding_width or base.card.width)
        self._classifier, self.kept = base, kept

    def folder(self, name: str, pattern: str = "*/*.jpg") -> Photos:
        """The photos of a folder below the data root."""
        paths = sorted((data_root() / name).glob(pattern))
        return look(self._classifier, paths, self.kept / f"{name.replace('/', '-')}.npz")

    def listed(self, name: str, paths: Sequence[Path]) -> Photos:
        """These photos."""
        return look(self._classifier, paths, self.kept / f"{name}.npz")


def accuracies(material: Material) -> Iterator[Accuracy]:
    """Of each way, on each data set."""
    train, val = material.folder("flowers/train"), material.folder("flowers/val")
    flowers = tuple(sorted(set(train.names.tolist())))
    for photos in (30, 5, 1):
        draws = MORE_DRAWS if photos <= FEW else DRAWS
        chosen = [(train.of(drawn(train.names, photos, flowers, draw)[0]), val, flowers) for draw in draws]
        yield from _compared(material, "flowers", photos, chosen)
    for name, count, numbers in (("caltech101", TAUGHT, (10, 5, 1)), ("household", None, (10, 5, 1))):
        every = material.folder(name)
        for photos in numbers:
            chosen = []
            for draw in DRAWS:
                labels = _labels(every, draw, count)
                taught, asked = drawn(every.names, photos, labels, draw)
                chosen.append((every.of(taught), every.of(asked), labels))
            yield from _compared(material, name, photos, chosen)


def finetunings(material: Material, weights: Path | None) -> Iterator[Accuracy]:
    """Of the first draw of flowers; nothing without weights, unless it was done before.

    weights  where fine-tuning begins
    """
    train, val = material.folder("flowers/train"), material.folder("flowers/val")
    labels = tuple(sorted(set(train.names.tolist())))
    taught = train.of(drawn(train.names, FINETUNED, labels, DRAWS[0])[0])
    own, others = ([Path(str(path)) for path in photos.paths] for photos in (taught, val))
    found = finetuned(own, others, weights, material.kept / "finetuned")
    if found:
        yield Accuracy(
            "flowers", FINETUNED, len(labels), "six epochs of fine-tuning", found.right, (found.right,), found.n,
            found.seconds, found.mb,
        )  # fmt: skip


def rejections(material: Material) -> Iterator[Rejected]:
    """Twenty labels taught, and photos of twenty others, whose photos are taken out of the bank.

    A folder that shows what a taught one shows, as the head of a crocodile, is no stranger.
    """
    every, others = material.folder("caltech101"), material.folder("ordinary")
    for draw in DRAWS:
        picked = _labels(every, draw, None, shuffled=True)
        labels = tuple(sorted(picked[:TAUGHT]))
        known = {base_label(label) for label in labels}
        strange = [label for label in picked[TAUGHT:] if base_label(label) not in known][:STRANGE]
        taught, asked = drawn(every.names, 10, labels, draw)
        model = taught_alone(material.base, every.of(taught), labels, tuple(map(base_label, (*labels, *strange))))
        unlike = np.array([base_label(str(name)) not in known for name in others.names])

        def above(read: NDArray[np.float32]) -> NDArray[np.float64]:
            logits = model.logits(read)  # noqa: B023 - called in this turn only
            return np.asarray(logits[:, :TAUGHT].max(1) - logits[:, TAUGHT])

        strangers = above(every.read[np.isin(every.names, strange)])
        plain, own = above(others.read[unlike]), above(every.read[asked])
        five = float(np.quantile(own, 0.05))
        yield Rejected(
            draw, float((strangers < 0).mean()), len(strangers), float((plain < 0).mean()), len(plain),
            float((own < 0).mean()), len(own), float((strangers < five).mean()), float((plain < five).mean()),
        )  # fmt: skip


def exchanges(material: Material) -> Iterator[Exchanged]:
    """A tenth of the taught photos are given another label."""
    train = material.folder("flowers/train")
    sets = [("flowers", train, tuple(sorted(set(train.names.tolist()))), 30)]
    for name, count in (("caltech101", TAUGHT), ("household", None)):
        every = material.folder(name)
        sets.append((name, every, _labels(every, 0, count), 10))
    for name, every, labels, photos in sets:
        exchanged = found = 0
        for draw in DRAWS:
            own = every.of(drawn(every.names, photos, labels, draw)[0])
            rng = np.random.default_rng(draw)
            wrong = rng.permutation(len(own.names))[: round(EXCHANGED * len(own.names))]
            named = own.names.copy()
            for place in wrong:
                named[place] = rng.choice([label for label in labels if label != own.names[place]])
            order = _suspects(material, Photos(named, *_rest(own)), labels)
            exchanged += len(wrong)
            found += len(set(order[: round(FIRST * len(named))]) & set(wrong.tolist()))
        yield Exchanged(name, exchanged, found)


def _suspects(material: Material, photos: Photos, labels: tuple[str, ...]) -> list[int]:
    model = taught_alone(material.base, photos, labels, tuple(map(base_label, labels)))
    return [place for place, _, _ in suspicion(model.examples, model.head.held)]


def _compared(
    material: Material, data: str, photos: int, chosen: Sequence[tuple[Photos, Photos, tuple[str, ...]]]
) -> Iterator[Accuracy]:
    found: dict[str, list[tuple[float, float, int, float]]] = {}
    for draw, (taught, asked, labels) in enumerate(chosen):
        right = np.array([labels.index(name) for name in asked.names.tolist()])
        for way, learn in _ways(
            material, taught, asked, labels, several=photos > 1 and (not draw or len(labels) <= TAUGHT)
        ).items():
            answers, seconds, mb = timed(learn, traced=draw == 0)
            found.setdefault(way, []).append((float((answers == right).mean()), seconds, len(right), mb))
    for way, results in found.items():
        shares, took, counts, mbs = zip(*results, strict=True)
        yield Accuracy(
            data, photos, len(chosen[0][2]), way, float(np.mean(shares)), shares, round(np.mean(counts)),
            float(np.mean(took)), max(mbs),
        )  # fmt: skip


def _ways(
    material: Material, taught: Photos, asked: Photos, labels: tuple[str, ...], several: bool
) -> dict[str, Callable[[], NDArray[np.intp]]]:
    """By name; several: with scikit-learn's, which needs two photos of a label, and minutes for many labels."""
    width = material.base.embedding
    x, y = taught.read[:, :width].astype(float), asked.read[:, :width].astype(float)
    of = np.array([labels.index(name) for name in taught.names.tolist()])
    plain = {"nearest mean": nearest_mean, "5 nearest photos": nearest_photos}
    if several:
        plain["LogisticRegressionCV"] = by_scikit_learn
    ways: dict[str, Callable[[], NDArray[np.intp]]] = {
        "vitcam teach": partial(_answers, material, taught, labels, asked)
    }
    return ways | {name: partial(way, x, of, y) for name, way in plain.items()}


def _answers(material: Material, taught: Photos, labels: tuple[str, ...], asked: Photos) -> NDArray[np.intp]:
    model = taught_alone(material.base, taught, labels, tuple(map(base_label, labels)))
    return np.asarray(model.logits(asked.read)[:, :-1].argmax(1))


def _labels(photos: Photos, draw: int, count: int | None, shuffled: bool = False) -> tuple[str, ...]:
    names = sorted(set(photos.names.tolist()) - set(OUTLINE))
    if count is None and not shuffled:
        return tuple(names)
    picked = np.random.default_rng(draw).permutation(names)[:count].tolist()
    return tuple(picked if shuffled else sorted(picked))


def _rest(photos: Photos) -> tuple[NDArray[np.str_], NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]:
    return photos.paths, photos.read, photos.probabilities, photos.log_sums


def base_label(folder: str) -> str:
    """What `everyday` calls the photos of a folder; the folder's name where it has no word for them."""
    things = read_things()
    found = things.label_of_folder(folder)
    return folder.replace("_", " ") if found is None else things.labels[found]
