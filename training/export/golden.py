"""Golden images: a few photos that travel in a model file, with what they show and what the model says of them.

    python -m vitcam_training.export.golden MODEL.tflite FOLDER

puts the photos of a folder into a model file in place of those that it has. Its graph stays the same to the byte.
"""

from __future__ import annotations

import csv
import logging
import sys
from collections.abc import Mapping
from pathlib import Path

from vitcam.errors import UsageError
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.pictures.decode import IMAGE_SUFFIXES
from vitcam.pictures.resize import to_model_size
from vitcam_training.data.dataset import read_photo

TRUE = "true.csv"
"""In the folder: a line for each photo, `picture,true`, by the name of a label or of a group."""

log = logging.getLogger(__name__)


def golden_images(model: Path, folder: Path | None) -> list[bundle.Golden]:
    """The photos of a folder at the model's size, what the model says of them, and what they show.

    A warning says which are named wrongly; `vitcam models verify` will say so, too.

    folder  a few photos; `true.csv` in it says what they show, where somebody has written it
    raises  UsageError if it holds no photos, or `true.csv` does not name all of them by what the model knows
    """
    if folder is None:
        return []
    paths = photos_of(folder)
    classifier = Classifier(model)
    known = {*classifier.labels, *(classifier.groups.members if classifier.groups else ())}
    true = _true(folder / TRUE, paths, known)
    found = []
    for path in paths:
        image = to_model_size(read_photo(path), classifier.input)
        found.append(bundle.Golden(path.stem, image, classifier.classify_image(image).top, true[path.name]))
    return found


def photos_of(folder: Path) -> list[Path]:
    """Its photos, by name. Raises UsageError if there are none."""
    paths = sorted(path for path in folder.glob("*") if path.suffix.lower() in IMAGE_SUFFIXES)
    if not paths:
        raise UsageError(f"{folder} holds no photos; the golden images are read from it")
    return paths


def put_golden(model: Path, folder: Path) -> None:
    """Put the photos of a folder into a model file. Raises UsageError as `golden_images` does, ModelError as it reads.

    A warning says which are named wrongly.
    """
    bundle.replace_golden(model, golden_images(model, folder))
    warn_of_untrue(model)


def warn_of_untrue(model: Path) -> None:
    """Log which golden images of a model file it names wrongly."""
    for result in Classifier(model).verify():
        if not result.right:
            log.warning(
                "the golden image %s shows %s, and the model says %s; take another photo, or another model",
                result.name, result.true, result.shown or "nothing",
            )  # fmt: skip


def _true(file: Path, paths: list[Path], known: set[str]) -> Mapping[str, str]:
    """What each photo shows, by its file's name; empty names where there is no file."""
    if not file.exists():
        return {path.name: "" for path in paths}
    with file.open(newline="", encoding="utf-8-sig") as lines:
        rows = list(csv.reader(lines))
    if not rows or rows[0] != ["picture", "true"] or any(len(row) != 2 for row in rows):
        raise UsageError(f"{file} is not as it must be: its first line is picture,true, and each line has these two")
    found = dict(rows[1:])
    for name in (path.name for path in paths):
        if name not in found:
            raise UsageError(f"{file} does not say what {name} shows; add a line for it")
        if found[name] not in known:
            raise UsageError(
                f"{file} says that {name} shows {found[name]!r}, which is no label and no group of the model"
            )
    return found


if __name__ == "__main__":
    logging.basicConfig(format="%(message)s")
    if len(sys.argv) != 3:
        sys.exit("usage: python -m vitcam_training.export.golden MODEL.tflite FOLDER")
    put_golden(Path(sys.argv[1]), Path(sys.argv[2]))
