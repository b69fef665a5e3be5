"""The data set of the bundled model: Caltech-101, tf_flowers and a household, with the labels of `things.csv`.

In: the folders `caltech101/`, `flowers/`, `household/`, `imagenet_samples/`, `ordinary/` and `people/` under the data
root; photos in Caltech-101 of things without a label are left out. Out: a Dataset with the parts `train`, `choose` (up
to 6 photos of each label, for the recipe and for what stays in float), `calibration` (as many, for the temperature and
the threshold), `heldout` (for figures only), `replay` (photos without labels, for the answers of a teacher), `base`
(the same photos with their labels) and `blank` (drawn frames that show nothing). The small parts are listed in
`everyday_parts.csv` (everyday_photos.py). The ordinary photos that may choose are in `choose` and in
`calibration`, and are the part `usual`, to which the temperature is fitted. The parts `shown`, `dark`, `absent` and
`depicted` are those of `persons` (persons.py), and `altered` has the photos of `base` without a person, altered as
those are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from vitcam_training.data.blank import blank
from vitcam_training.data.dataset import (
    ABSENT,
    ALTERED,
    BASE,
    BLANK,
    DARK,
    DEPICTED,
    NOTHING,
    REPLAY,
    SHOWN,
    UNLABELLED,
    USUAL,
    Dataset,
    Sample,
    data_root,
    missing_data,
)
from vitcam_training.data.published.everyday_photos import SOURCES, held_out_before, label_of, listed_parts, photos
from vitcam_training.data.published.imagenet import half, sample_of
from vitcam_training.data.published.looked_at import PERSON
from vitcam_training.data.published.ordinary import ordinary
from vitcam_training.data.published.persons import altered_alike, persons
from vitcam_training.data.published.things import Things, read_things


def everyday() -> Dataset:
    """Every photo in its part. Raises UsageError if the data or a listed photo is missing."""
    root, things = data_root(), read_things()
    listed = listed_parts()
    left_out = listed.pop("duplicates")
    taken = {*left_out, *(path for part in listed.values() for path in part)}
    listed["train"] = [path for path in photos(root) if path not in taken]
    parts = {part: _samples(root, paths, things) for part, paths in listed.items()}
    for part in ("choose", "calibration"):
        parts[part] += ordinary().parts["choose"]
    parts[USUAL] = ordinary().parts["choose"]
    parts[REPLAY] = tuple(Sample(path, UNLABELLED) for path in half(trained=True))
    parts[BASE] = tuple(sample_of(path, things) for path in half(trained=True))
    parts |= {part: persons().parts[part] for part in (SHOWN, DARK, ABSENT, DEPICTED)}
    person = things.labels.index(PERSON)
    without = [sample for sample in parts[BASE] if person not in sample.right]
    parts[ALTERED] = tuple(copy for sample in without for copy in altered_alike(sample))
    parts[BLANK] = tuple(replace(sample, label=NOTHING) for sample in blank().parts["train"])
    return Dataset("everyday", things.labels, parts, things.synsets, things.groups)


def everyday_before() -> Dataset:
    """The photos that the model of 104 labels had held out, to compare with it: some have a twin in `train`."""
    things = read_things()
    samples = _samples(data_root(), held_out_before(), things)
    return Dataset("everyday-before", things.labels, {"train": (), "heldout": samples}, things.synsets, things.groups)


def _samples(root: Path, paths: Iterable[str], things: Things) -> tuple[Sample, ...]:
    """Photos that lie below the root. Raises UsageError for one that is not there."""
    found = []
    for path in paths:
        if not (root / path).is_file():
            raise missing_data(root / path, SOURCES)
        label = label_of(path)
        found.append(Sample(root / path, label, accepted=things.right_for_label(label) - {label}))
    return tuple(found)
