"""Import of foreign weights: the shape of every tensor is compared, then a checkpoint is written."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import cast

from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec, Interpolation
from vitcam_training.data.dataset import Dataset
from vitcam_training.data.published.imagenet import synsets
from vitcam_training.vit import ViT
from vitcam_training.weights.carried_head import carried_head
from vitcam_training.weights.checkpoints import Weights, load_into, read_network, save_weights, to_timm
from vitcam_training.weights.metadata import Metadata
from vitcam_training.weights.normalisation import Normalisation


@dataclass(frozen=True)
class ImportOptions:
    """What foreign weights do not tell."""

    name: str
    image_size: int | None = None
    """px a side; None: what the weights were trained with."""
    crop_fraction: float = 0.875
    interpolation: str = "bicubic"
    licence: str = ""
    normalisation: Normalisation | None = None
    """Of the pixels; None: that of a published file."""
    dataset: Dataset | None = None
    """Whose labels the head is to have; None: those of the weights."""


def import_foreign(weights: Path, labels: Path, out: Path, wanted: ImportOptions) -> list[str]:
    """Write a checkpoint; returns the names of tensors that the network has no place for.

    raises  UsageError if weights or labels are missing, or do not fit each other or any ViT; if nobody says how the
            pixels are normalised; if another data set's labels are wanted and no WordNet id tells one of them
    """
    side = wanted.image_size
    config, given = read_network(weights, (side, side) if side else None, wanted.normalisation)
    names, ids = read_labels(labels)
    if len(names) != config.classes:
        raise UsageError(
            f"{labels} has {len(names)} labels, the head of {weights} has {config.classes}; they must match"
        )
    spec = InputSpec(
        *config.image_size,
        crop_fraction=wanted.crop_fraction,
        interpolation=cast(Interpolation, wanted.interpolation),  # InputSpec refuses what is none
    )
    if wanted.dataset:
        names, ids, given = _with_labels_of(wanted.dataset, ids, given)
        config = replace(config, classes=len(names))
    model = ViT(config)
    leftovers = load_into(model, given)
    about = Metadata(
        wanted.name, f"{len(names)} labels, brought in from {weights.name}", names, spec,
        licence=wanted.licence, provenance={"began_with": weights.name},
        network=asdict(config), synsets=ids,
    )  # fmt: skip
    save_weights(out, to_timm(model), about)
    return leftovers


def _with_labels_of(
    dataset: Dataset, ids: tuple[str, ...], given: Weights
) -> tuple[tuple[str, ...], tuple[str, ...], Weights]:
    """Labels, ids and weights with the head for a data set. No ids are kept: a label may have several of them."""
    if not any(synset in dataset.synsets for synset in ids):
        raise UsageError(
            f"no label has a WordNet id that {dataset.name} knows, so the head cannot be carried over to it"
        )
    return dataset.labels, (), given | carried_head(given, ids, dataset)


def read_labels(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """One label a line, and the WordNet id of each where all lines have one.

    A line such as `n01440764 tench, Tinca tinca` is shortened to `tench`, and its id is kept.
    """
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the labels {path} cannot be read as text: {error}") from error
    if not all(re.match(r"n\d{8} ", line) for line in lines):
        return tuple(lines), ()
    found = synsets(path)
    return tuple(found.values()), tuple(found)
