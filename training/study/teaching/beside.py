"""Labels beside those of the base: five of its own leave it and come back as taught ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vitcam.parts.teach.blas import one_thread
from vitcam.parts.teach.examples import others_of
from vitcam.parts.teach.head import head_beside
from vitcam.parts.teach.learn import Teacher
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.data.published.everyday import everyday
from vitcam_training.data.published.imagenet import imagenet_things
from vitcam_training.data.published.ordinary import ordinary
from vitcam_training.study.teaching.figures import DRAWS, Material
from vitcam_training.study.teaching.photos import Photos
from vitcam_training.study.teaching.ways import examples_of

FIVE, PHOTOS = 5, 10
_FEWEST = 2  # held-out photos of a label


@dataclass(frozen=True)
class Kept:
    """What the base without the five says of other photos, without and with the taught labels."""

    data: str
    before: float
    after: float
    n: int


@dataclass(frozen=True)
class Beside:
    """One draw."""

    labels: tuple[str, ...]
    full: float
    """Of the held-out photos of the five, right by the base as it is."""
    taught: float
    """Right by the base without them, once they were taught."""
    n: int
    kept: tuple[Kept, ...]


@dataclass(frozen=True, eq=False)
class _Asked:
    """Photos, what the base says of them, and which of its labels are right."""

    photos: Photos
    right: tuple[frozenset[int], ...]


def besides(material: Material) -> Iterator[Beside]:
    """Each draw. The rows of the five are taken out of the base's softmax, in the bank, too.

    That is the base without them, but for what fitting its other added labels without them would change.
    """
    data, others = everyday(), (ordinary(), imagenet_things())
    household = {part: _asked(material, data, part, "household") for part in ("train", "heldout")}
    plain = {each.name: _asked(material, each, "heldout") for each in others}
    enough = [label for label in _labels(household["train"]) if _count(household["heldout"], label) >= _FEWEST]
    for draw in DRAWS:
        five = tuple(sorted(np.random.default_rng(draw).choice(enough, FIVE, replace=False).tolist()))
        yield _beside(material, data.labels, five, household["train"], household["heldout"], plain, draw)


def _beside(
    material: Material, names: tuple[str, ...], five: tuple[int, ...], train: _Asked, held: _Asked,
    plain: dict[str, _Asked], draw: int,
) -> Beside:  # fmt: skip
    base, labels = material.base, tuple(names[label] for label in five)
    rng = np.random.default_rng(draw)
    own = [rng.permutation(_places(train, label))[:PHOTOS] for label in five]
    taught = _without(train.photos.of(np.concatenate(own)), five)
    of = np.concatenate([[labels[i]] * len(places) for i, places in enumerate(own)])
    order = np.argsort(of, kind="stable")
    examples = examples_of(taught.of(order), tuple(sorted(labels)), base.embedding, of[order])
    others = others_of(base.bank, base.labels, labels, taught.read.shape[1])
    with one_thread():
        learned = Teacher(examples, others, base.embedding, alone=False).learn(lambda _done, _total: None)
    rows = head_beside(examples, others, learned).taught.rows

    def answers(asked: Photos) -> NDArray[np.intp]:
        """Labels of the base, the taught ones by the number that they had."""
        less = _without(asked, five)
        logits = less.read.astype(float) @ rows.rows.T.astype(float) + rows.offsets
        best = less.log_sums + np.log(less.probabilities.max(1))
        place = np.array([names.index(label) for label in rows.labels])
        found: NDArray[np.intp] = np.where(logits.max(1) > best, place[logits.argmax(1)], less.probabilities.argmax(1))
        return found

    tested = np.concatenate([_places(held, label) for label in five])
    right = np.array([next(iter(held.right[i] & set(five))) for i in tested])
    kept = tuple(
        Kept(
            name, _right(_without(each.photos, five).probabilities.argmax(1), each),
            _right(answers(each.photos), each), len(each.right),
        )
        for name, each in plain.items()
    )  # fmt: skip
    asked = held.photos.of(tested)
    full = np.array([label in held.right[i] for i, label in zip(tested, asked.probabilities.argmax(1), strict=True)])
    return Beside(labels, float(full.mean()), float((answers(asked) == right).mean()), len(tested), kept)


def _without(photos: Photos, labels: Sequence[int]) -> Photos:
    """As a base says it whose softmax has no row for these labels."""
    probabilities = photos.probabilities.astype(float).copy()
    probabilities[:, list(labels)] = 0.0
    left = probabilities.sum(1)
    return replace(photos, probabilities=probabilities / left[:, None], log_sums=photos.log_sums + np.log(left))


def _asked(material: Material, data: Dataset, part: str, folder: str = "") -> _Asked:
    some = [sample for sample in data.part(part) if not folder or folder in sample.path.parts]
    photos = material.listed(f"{data.name}-{part}-{folder}", [sample.path for sample in some])
    by_path: dict[str, Sample] = {str(sample.path): sample for sample in some}
    place = {label: i for i, label in enumerate(material.base.labels)}
    right = [
        frozenset(place[data.labels[label]] for label in by_path[str(path)].right if data.labels[label] in place)
        for path in photos.paths
    ]
    return _Asked(photos, tuple(right))


def _labels(asked: _Asked) -> list[int]:
    return sorted({label for right in asked.right for label in right if len(right) == 1})


def _places(asked: _Asked, label: int) -> NDArray[np.intp]:
    return np.array([i for i, right in enumerate(asked.right) if right == {label}], np.intp)


def _count(asked: _Asked, label: int) -> int:
    return len(_places(asked, label))


def _right(answers: NDArray[np.intp], asked: _Asked) -> float:
    return float(np.mean([answer in right for answer, right in zip(answers.tolist(), asked.right, strict=True)]))
