"""Import of foreign weights: the shape of every tensor is compared, then a checkpoint is written."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec, Interpolation
from vitcam.words.text_file import SUFFIX, write_text_file
from vitcam_training.data.dataset import Dataset
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import (
    Weights,
    carried_head,
    load_into,
    read_network,
    read_weights,
    resize_position,
    save_weights,
    to_timm,
)
from vitcam_training.weights.labels import named, read_labels
from vitcam_training.weights.metadata import Metadata
from vitcam_training.weights.normalisation import Normalisation
from vitcam_training.weights.published.clip import KINDS, read_clip
from vitcam_training.weights.published.google import is_google, read_google
from vitcam_training.weights.published.hub import download, parse_address
from vitcam_training.weights.published.network import (
    CONFIG,
    UNNAMED,
    PublishedNetwork,
    PublishedText,
    check_outputs,
    read_settings,
)
from vitcam_training.weights.published.shards import INDEX
from vitcam_training.weights.published.timm import read_timm
from vitcam_training.weights.published.transformers import read_transformers

CROP_FRACTION = 0.875
INTERPOLATION: Interpolation = "bicubic"
"""Of most published networks, where the file does not say it."""


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


@dataclass(frozen=True)
class Imported:
    """What became of foreign weights."""

    leftovers: tuple[str, ...]
    """The names of tensors that the network has no place for."""
    text_file: Path | None = None
    """What turns words into labels; None: the network knows no words."""


def import_foreign(source: str, labels: Path | None, out: Path, wanted: ImportOptions) -> Imported:
    """Write a checkpoint, and of a network that knows words its text tower beside it.

    source  a file under timm's names, a folder of Hugging Face's `transformers` or of timm, an `.npz` of Google's, or
            an address on the hub: `hf:ORG/NAME[@REVISION]`, `timm:NAME`
    labels  a file of them, which some sources need; None: those that the source names
    raises  UsageError if weights or labels are missing, or do not fit each other or any ViT; if nobody says how the
            pixels are normalised; if another data set's labels are wanted and no WordNet id tells one of them;
            VitcamError if the hub cannot be reached
    """
    found = _find(source, wanted)
    config, given = found.network.config, found.network.weights
    _check_numbers(source, given)
    if labels is None and not found.network.labels:
        raise UsageError(f"{source} does not name its labels; give a file of them with --labels")
    if found.network.labels != (UNNAMED,):
        check_outputs(source, config.classes)
    names, ids = read_labels(labels) if labels else (named(source, found.network.labels), ())
    if len(names) != config.classes:
        raise UsageError(
            f"{labels or source} has {len(names)} labels, the head of {source} has {config.classes}; they must match"
        )
    if wanted.dataset:
        names, ids, given = _with_labels_of(wanted.dataset, ids, given)
        config = replace(config, classes=len(names))
    model = ViT(config)
    leftovers = (*found.network.leftovers, *load_into(model, given))
    licence = wanted.licence or found.licence
    about = Metadata(
        wanted.name, f"{len(names)} labels, brought in from {found.name}", names,
        _chosen(config.image_size, found.network.input, wanted), licence=licence,
        provenance={"began_with": found.name}, network=asdict(config), synsets=ids,
    )  # fmt: skip
    save_weights(out, to_timm(model), about)
    return Imported(leftovers, _save_text(out, found.network.text, licence))


def _check_numbers(source: str, given: Weights) -> None:
    """Raise UsageError for a tensor that holds infinity or NaN: no answer would be a number."""
    for name, array in given.items():
        if not np.isfinite(array).all():
            raise UsageError(f"{source} holds {name!r} with infinity or NaN among its values; ask for other weights")


def _save_text(out: Path, text: PublishedText | None, licence: str) -> Path | None:
    if text is None:
        return None
    place = out.with_suffix(SUFFIX)
    write_text_file(place, replace(text.about, licence=licence), text.weights, text.tokenizer)
    return place


@dataclass(frozen=True, eq=False)
class _Found:
    """A network, what the card calls it, and the licence that was published with it."""

    network: PublishedNetwork
    name: str
    licence: str = ""


def _find(source: str, wanted: ImportOptions) -> _Found:
    address = parse_address(source)
    if address:
        got = download(address)
        network = _read_folder(got.folder, wanted.normalisation)
        return _Found(_resized(network, wanted.image_size), f"hf:{address.repository}@{got.commit}", got.licence)
    path = Path(source).parent if Path(source).name == INDEX else Path(source)
    network = _read_folder(path, wanted.normalisation) if path.is_dir() else _read_file(path, wanted.normalisation)
    return _Found(_resized(network, wanted.image_size), path.name)


def _read_folder(folder: Path, normalisation: Normalisation | None) -> PublishedNetwork:
    """What timm saves names an architecture; what transformers saves, a type."""
    settings = read_settings(folder / CONFIG)
    if "architecture" in settings:
        return read_timm(folder, normalisation)
    return (read_clip if settings.get("model_type") in KINDS else read_transformers)(folder, normalisation)


def _read_file(path: Path, normalisation: Normalisation | None) -> PublishedNetwork:
    if path.suffix == ".npz" and path.is_file() and is_google(weights := read_weights(path)):
        return read_google(path, weights, normalisation)
    config, given = read_network(path, None, normalisation)
    usual = InputSpec(*config.image_size, crop_fraction=CROP_FRACTION, interpolation=INTERPOLATION)
    return PublishedNetwork(config, given, (), usual, ())


def _resized(network: PublishedNetwork, side: int | None) -> PublishedNetwork:
    """With an input of `side` px a side, its positions interpolated; None: as it is."""
    if side is None:
        return network
    own = network.config
    try:
        config = replace(own, image_size=(side, side))
    except ValueError as error:
        raise UsageError(f"the input cannot be {side} px a side: {error}") from error
    weights = dict(network.weights)
    if "pos_embed" in weights:
        weights["pos_embed"] = resize_position(weights["pos_embed"], config.grid, own.placed, source=own.grid)
    return replace(network, config=config, weights=weights)


def _chosen(size: tuple[int, int], spec: InputSpec, wanted: ImportOptions) -> InputSpec:
    """The input as it was trained, of this height and width, with what shall be otherwise."""
    height, width = size
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
