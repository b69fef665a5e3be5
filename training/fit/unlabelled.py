"""Photos without labels, from which a network learns what a teacher says of them, and nothing else.

The teacher's top answer stands in place of a label: it decides which photos are held out, and what is counted as right.
The loss compares with all that the teacher says (`DistilRecipe.weight` is 1).
"""

from __future__ import annotations

import csv
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import BrokenPhotoError, Dataset, read_photo
from vitcam_training.fit.distil import Teacher, read_teacher
from vitcam_training.progress import with_progress
from vitcam_training.recipes.recipe import DistilRecipe, Recipe
from vitcam_training.weights.metadata import read_metadata

ANSWERS = "answers.csv"
"""In the folder of a run: each photo and the teacher's top answer. `export --data` takes it."""
AT_ONCE = 16
SINGLE = 1
"""Photos of an answer that no other photo got: one cannot be both learned from and held out."""

log = logging.getLogger(__name__)


def taught_alone(recipe: Recipe, photos: Sequence[Path], teacher: Path, answers: Path) -> tuple[Recipe, Dataset]:
    """The recipe and the data set for photos without labels. A file of answers that is there is used again.

    photos   files; those that cannot be read are reported and left out
    teacher  a checkpoint of vitcam-train; the student gets its labels
    answers  the CSV file to write
    raises   UsageError if there is no teacher at that place, or if it gives all photos the same answer
    """
    about = read_metadata(teacher)
    if not answers.is_file():
        unlabelled = Dataset(recipe.model_name, about.labels, {})
        _write(answers, _answered(photos, read_teacher(teacher, unlabelled, recipe.train.precision), about.input))
    found = open_dataset(str(answers))
    index = np.array([about.labels.index(label) for label in found.labels])
    parts = {
        name: tuple(replace(sample, label=int(index[sample.label])) for sample in samples)
        for name, samples in found.parts.items()
    }
    alone = replace(recipe.distil or DistilRecipe(), weight=1.0)
    dataset = Dataset(recipe.model_name, about.labels, parts)
    return replace(recipe, data=str(answers), called=recipe.model_name, distil=alone), dataset


def _answered(photos: Sequence[Path], teacher: Teacher, spec: InputSpec) -> list[tuple[Path, str]]:
    """Each photo that can be read, and the teacher's top answer."""
    found = []
    portions = [photos[i : i + AT_ONCE] for i in range(0, len(photos), AT_ONCE)]
    for portion in with_progress(portions, f"asking {teacher.about.name}", len(portions)):
        paths, images = [], []
        for path in portion:
            try:
                images.append(to_model_size(read_photo(path), spec))
                paths.append(path)
            except BrokenPhotoError as error:
                log.warning("skipped %s", error)
        if images:
            best = teacher.soft_labels(np.stack(images), 1.0).argmax(axis=-1)
            found += [(path, teacher.about.labels[i]) for path, i in zip(paths, best, strict=True)]
    return found


def _write(path: Path, answers: Sequence[tuple[Path, str]]) -> None:
    """Raises UsageError if nothing would be left to tell apart."""
    count = Counter(label for _, label in answers)
    kept = [(photo, label) for photo, label in answers if count[label] > SINGLE]
    labels = {label for _, label in kept}
    if len(labels) < 2:
        same = f", {next(iter(labels))!r}" if labels else ""
        raise UsageError(
            f"the teacher gives {len(kept)} of the {len(answers)} photos an answer that another photo gets too, and "
            f"{len(labels)} different answers{same}; two are needed: give more photos, of different things"
        )
    if len(kept) < len(answers):
        log.info("left out %d photos: no other photo got their answer", len(answers) - len(kept))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("path", "label"))
        writer.writerows((photo.resolve(), label) for photo, label in kept)
