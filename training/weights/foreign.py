"""Import of foreign weights: the shape of every tensor is compared, then a checkpoint is written."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import cast

from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec, Interpolation
from vitcam_training.config import ViTConfig
from vitcam_training.data.dataset import Dataset
from vitcam_training.data.published.imagenet import synsets
from vitcam_training.vit import ViT
from vitcam_training.weights.carried_head import carried_head
from vitcam_training.weights.checkpoints import (
    Weights,
    load_into,
    read_network,
    resize_position,
    save_weights,
    to_timm,
)
from vitcam_training.weights.hugging_face import is_saved_network, read_saved_network
from vitcam_training.weights.metadata import Metadata
from vitcam_training.weights.normalisation import Normalisation

CROP_FRACTION = 0.875
INTERPOLATION: Interpolation = "bicubic"
"""Of most published networks, where the file does not say it."""
UNNAMED = "unnamed"
"""The one label of a network that came without a head."""


@dataclass(frozen=True)
class ImportOptions:
    """What foreign weights do not tell, or what shall be otherwise than they say."""

    name: str
    image_size: int | None = None
    """px a side; None: what the weights were trained with."""
    crop_fraction: float | None = None
    interpolation: str | None = None
    licence: str = ""
    normalisation: Normalisation | None = None
    """Of the pixels; None: that of a published file, or what a folder says."""
    dataset: Dataset | None = None
    """Whose labels the head is to have; None: those of the weights."""


def import_foreign(weights: Path, labels: Path | None, out: Path, wanted: ImportOptions) -> list[str]:
    """Write a checkpoint; returns the names of tensors that the network has no place for.

    weights  a file under timm's names, or a folder of Hugging Face's `transformers`
    labels   a file of them, which a file of weights needs; None: those that the folder names
    raises   UsageError if weights or labels are missing, or do not fit each other or any ViT; if nobody says how the
             pixels are normalised; if another data set's labels are wanted and no WordNet id tells one of them
    """
    config, given, spec, own, unused = _read(weights, wanted)
    if labels is None and not own:
        raise UsageError(f"{weights} does not name its labels; give a file of them with --labels")
    names, ids = read_labels(labels) if labels else (own, ())
    if len(names) != config.classes:
        raise UsageError(
            f"{labels} has {len(names)} labels, the head of {weights} has {config.classes}; they must match"
        )
    if wanted.dataset:
        names, ids, given = _with_labels_of(wanted.dataset, ids, given)
        config = replace(config, classes=len(names))
    model = ViT(config)
    leftovers = [*unused, *load_into(model, given)]
    about = Metadata(
        wanted.name, f"{len(names)} labels, brought in from {weights.name}", names, spec,
        licence=wanted.licence, provenance={"began_with": weights.name},
        network=asdict(config), synsets=ids,
    )  # fmt: skip
    save_weights(out, to_timm(model), about)
    return leftovers


def _read(
    weights: Path, wanted: ImportOptions
) -> tuple[ViTConfig, Weights, InputSpec, tuple[str, ...], tuple[str, ...]]:
    """Network, weights, input, the labels that they name, and the tensors without a place."""
    size = (wanted.image_size, wanted.image_size) if wanted.image_size else None
    if is_saved_network(weights):
        saved = read_saved_network(weights, wanted.normalisation)
        config, given = replace(saved.config, image_size=size or saved.config.image_size), saved.weights
        given["pos_embed"] = resize_position(given["pos_embed"], config.grid, source=saved.config.grid)
        return config, given, _chosen(config, saved.input, wanted), saved.labels or (UNNAMED,), saved.leftovers
    config, given = read_network(weights, size, wanted.normalisation)
    usual = InputSpec(*config.image_size, crop_fraction=CROP_FRACTION, interpolation=INTERPOLATION)
    return config, given, _chosen(config, usual, wanted), (), ()


def _chosen(config: ViTConfig, spec: InputSpec, wanted: ImportOptions) -> InputSpec:
    """The input as it was trained, with what shall be otherwise."""
    height, width = config.image_size
    spec = replace(spec, height=height, width=width)
    if wanted.crop_fraction is not None:
        spec = replace(spec, resize="crop", crop_fraction=wanted.crop_fraction)
    if wanted.interpolation is not None:
        spec = replace(spec, interpolation=cast(Interpolation, wanted.interpolation))  # it refuses what is none
    return spec


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
