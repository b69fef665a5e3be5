"""The photos of the model that knows a thousand things: Caltech-101 and tf_flowers with the labels of `things.csv`.

In: the folders `caltech101/`, `flowers/` and `imagenet_samples/` under the data root. Out: a Dataset with the parts
`train`, `choose` (up to 6 photos of each label, to choose crop, recipe and threshold), `calibration` (as many, for the
temperature), `heldout` (for figures only), `replay` (photos without labels, for the answers of a teacher) and `blank`
(drawn frames that show nothing). The small parts are listed in `things_parts.csv`; `scene_split.py` makes it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from vitcam_training.data.blank.frames import blank
from vitcam_training.data.dataset import BLANK, NOTHING, REPLAY, UNLABELLED, Dataset, Sample, data_root, missing_data
from vitcam_training.data.published.everyday import SOURCES, photos
from vitcam_training.data.published.imagenet import half
from vitcam_training.data.published.scene_split import label_of, listed_parts
from vitcam_training.data.published.things import Things, read_things


def things_photos() -> Dataset:
    """Every photo in its part. Raises UsageError if the data or a listed photo is missing."""
    root, things = data_root(), read_things()
    parts = listed_parts()
    for path in (path for part in parts.values() for path in part):
        if not (root / path).is_file():
            raise missing_data(root / path, SOURCES)
    taken = {path for part in parts.values() for path in part}
    parts["train"] = [path for path in photos(root) if path not in taken]
    samples = {
        part: tuple(_sample(root, path, things) for path in paths)
        for part, paths in parts.items()
        if part != "duplicates"
    }
    samples[REPLAY] = tuple(Sample(path, UNLABELLED) for path in half(trained=True))
    samples[BLANK] = tuple(replace(sample, label=NOTHING) for sample in blank().parts["train"])
    return Dataset("things", things.labels, samples, things.synsets, things.groups)


def _sample(root: Path, path: str, things: Things) -> Sample:
    label = label_of(path)
    return Sample(root / path, label, accepted=things.right_for_label(label) - {label})
