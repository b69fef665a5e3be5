"""Photos of people: those of `ordinary/` and of `imagenet_samples/` that `people.csv` lists, with the label `person`.

What the file's name tells is right, too: of a cello and its player, either may be named. The parts follow those of the
collections: first ordinary photos in `choose`, the trained half of ImageNet's in `train`, all others in `heldout`.
"""

from __future__ import annotations

from collections.abc import Iterable

from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.data.published.imagenet import half, sample_of
from vitcam_training.data.published.looked_at import PERSON
from vitcam_training.data.published.ordinary import ordinary
from vitcam_training.data.published.things import read_things


def people() -> Dataset:
    """The parts `train`, `choose` and `heldout`. Raises UsageError if the photos are not there."""
    things, photos = read_things(), ordinary().parts
    person = things.labels.index(PERSON)
    trained, kept = ([sample_of(path, things) for path in half(trained=each)] for each in (True, False))
    parts = {"train": trained, "choose": photos["choose"], "heldout": (*photos["heldout"], *kept)}
    found = {part: _people(samples, person) for part, samples in parts.items()}
    return Dataset("people", things.labels, found, things.synsets, things.groups)


def _people(samples: Iterable[Sample], person: int) -> tuple[Sample, ...]:
    """The samples that show a person, by that name first."""
    return tuple(
        Sample(each.path, person, also=each.accepted | {each.label})
        for each in samples
        if person in {each.label, *each.also}
    )
