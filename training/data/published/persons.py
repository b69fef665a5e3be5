"""Photos with and without people, of several sources: they teach `person`, and what is none.

In: `people/SOURCES.tsv` under the data root, which says of each photo its source, its licence and what it shows. The
parts:

- `shown`: Open Images and COCO under licences that allow any use. They teach `person`.
- `dark`: the same photos as in the dark. They teach a row of their own, so that they take nothing from what `person` is
  by day.
- `absent`: rooms, streets and things. That no person is there is all that they teach. Those for research (Places365,
  COCO's photos under NC licences) are among them, as ImageNet's photos are among those that a model is held to.
- `depicted`: statues, mannequins, drawings, dolls. They are no persons, either.
- `heldout`: persons that no model here is taught by. COCO's under NC licences; and those of a collection whose uploader
  declares CC BY 4.0 but not where the photos are from, so nobody can tell whether he may.

Most photos were stretched to a square before they came here, all depictions and rooms among them, and the shapes that
they had are not known. So each is there in two shapes, as it is and at three quarters of its width, whoever it shows:
the shape says nothing. Each is there a third and a fourth time as in the dark (dark.py): with little light, and by a
lamp.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from zlib import crc32

import cv2
import numpy as np

from vitcam.frames import Image
from vitcam_training.data.dark import by_a_lamp, with_little_light
from vitcam_training.data.dataset import (
    ABSENT,
    DARK,
    DEPICTED,
    SHOWN,
    UNLABELLED,
    Dataset,
    Sample,
    data_root,
    missing_data,
    read_photo,
)
from vitcam_training.data.published.looked_at import PERSON
from vitcam_training.data.published.things import read_things

SOURCE = "Open Images, COCO and Places365, as listed in its SOURCES.tsv"
SIDE_PX = 184
"""Of the photos' short sides."""
NARROW = 4 / 3
_UNKNOWN_ORIGIN = "hd2"


def persons() -> Dataset:
    """The parts `shown`, `dark`, `absent`, `depicted` and `heldout`. Raises UsageError if the photos are not there."""
    table = data_root() / "people" / "SOURCES.tsv"
    if not table.is_file():
        raise missing_data(table, SOURCE)
    things = read_things()
    person = things.labels.index(PERSON)
    parts: dict[str, list[Sample]] = {"train": [], SHOWN: [], DARK: [], ABSENT: [], DEPICTED: [], "heldout": []}
    with table.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            part = _part(row)
            if part is None:
                continue
            label = person if part in (SHOWN, "heldout") else UNLABELLED
            sample = Sample(table.parent / row["file"], label)
            if part == "heldout":
                parts[part].append(sample)
                continue
            parts[part] += in_both_shapes(sample)
            parts[DARK if part == SHOWN else part] += in_the_dark(sample, row["file"])
    return Dataset("persons", things.labels, {k: tuple(v) for k, v in parts.items()}, things.synsets, things.groups)


def _part(row: dict[str, str]) -> str | None:
    shows, unknown = row["file"].startswith("person/"), source_of(row["file"]) == _UNKNOWN_ORIGIN
    if shows:
        return "heldout" if unknown or row["use"] != "fit" else SHOWN
    if unknown:
        return None
    return DEPICTED if row["what"] == "depiction" else ABSENT


def source_of(file: str) -> str:
    """`oi`, `hd2`, `coco`, `room` or `vww`, by the file's name."""
    return Path(file).name.split("_")[0]


def in_both_shapes(sample: Sample) -> list[Sample]:
    """A photo as it is, and narrower."""
    return [sample, _altered(sample, "narrow", _narrower)]


def in_the_dark(sample: Sample, name: str) -> list[Sample]:
    """A photo with little light, and by a lamp.

    name  says which noise they have
    """
    seed = crc32(name.encode())
    return [
        _altered(sample, "dark", partial(with_little_light, seed=seed)),
        _altered(sample, "lamp", partial(by_a_lamp, seed=seed)),
    ]


def altered_alike(sample: Sample) -> list[Sample]:
    """A photo of another collection, altered as those here are: small and stretched to a square, and in the dark."""
    return [_altered(sample, "square", _small_and_square), *in_the_dark(sample, sample.path.name)]


def _altered(sample: Sample, how: str, alter: Callable[[Image], Image]) -> Sample:
    """The sample under a name that says how its photo is altered."""
    named = sample.path.with_name(f"{sample.path.name}#{how}")
    return replace(sample, path=named, render=partial(_render, sample.path, alter))


def _render(path: Path, alter: Callable[[Image], Image]) -> Image:
    return alter(read_photo(path))


def _narrower(photo: Image) -> Image:
    height, width = photo.shape[:2]
    return np.asarray(cv2.resize(photo, (width, round(height * NARROW)), interpolation=cv2.INTER_CUBIC), np.uint8)


def _small_and_square(photo: Image) -> Image:
    height, width = photo.shape[:2]
    scale = SIDE_PX / min(height, width)
    if scale < 1:
        size = round(width * scale), round(height * scale)
        photo = np.asarray(cv2.resize(photo, size, interpolation=cv2.INTER_AREA), np.uint8)
    side = min(photo.shape[:2])
    return np.asarray(cv2.resize(photo, (side, side), interpolation=cv2.INTER_AREA), np.uint8)
