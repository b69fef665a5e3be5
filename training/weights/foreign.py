"""Import of foreign weights: the shape of every tensor is compared, then a checkpoint is written."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from vitcam.errors import UsageError
from vitcam.model import bundle
from vitcam.model.files import find_model
from vitcam.model.text.text_file import SUFFIX, write_text_file
from vitcam.pictures.resize import InputSpec, Interpolation
from vitcam_training.data.published.imagenet_classes import class_list, ids_of_names
from vitcam_training.data.published.things import read_things
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import (
    Weights,
    load_into,
    read_network,
    read_weights,
    resize_position,
    save_weights,
    to_timm,
)
from vitcam_training.weights.labels import named, read_labels
from vitcam_training.weights.metadata import Metadata, stored_network
from vitcam_training.weights.normalisation import Normalisation
from vitcam_training.weights.published.clip import KINDS, read_clip
from vitcam_training.weights.published.google import is_google, read_google
from vitcam_training.weights.published.hub import download, parse_address
from vitcam_training.weights.published.known import temperature_of
from vitcam_training.weights.published.network import (
    CONFIG,
    CROP_FRACTION,
    INTERPOLATION,
    UNNAMED,
    PublishedNetwork,
    PublishedText,
    check_outputs,
    read_settings,
)
from vitcam_training.weights.published.shards import INDEX
from vitcam_training.weights.published.timm import read_timm, read_timm_file
from vitcam_training.weights.published.transformers import read_transformers
from vitcam_training.weights.wording import Wording, in_everyday_words, in_words_of

UNLIKELY = 10.0
"""By how many nats a label that no output means is less likely than the least likely output of a head of zeros."""
FEW = 5
"""Most labels that a sentence names."""


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
    labels_of: str = ""
    """A model, by name or file, whose labels and groups the network is to have; empty: those of the weights."""


@dataclass(frozen=True)
class Imported:
    """What became of foreign weights."""

    leftovers: tuple[str, ...]
    """The names of tensors that the network has no place for."""
    text_file: Path | None = None
    """What turns words into labels; None: the network knows no words."""
    notes: tuple[str, ...] = ()
    """What was not said by the source but taken from elsewhere, a sentence each."""


def import_foreign(source: str, labels: Path | None, out: Path, wanted: ImportOptions) -> Imported:
    """Write a checkpoint, and of a network that knows words its text tower beside it.

    Outputs that mean classes of ImageNet get everyday words, groups and, where a word has several outputs, the sum of
    their probabilities.

    source  a file under timm's names, a folder of Hugging Face's `transformers` or of timm, an `.npz` of Google's, or
            an address on the hub: `hf:ORG/NAME[@REVISION]`, `timm:NAME`
    labels  a file of them, which are taken as they are; None: those that the source names, or ImageNet's where it has
            as many outputs as one of ImageNet's lists of classes
    raises  UsageError if weights or labels are missing, or do not fit each other or any ViT; if nobody says how the
            pixels are normalised; if another model's labels are wanted and no WordNet id tells one of them;
            VitcamError if the hub cannot be reached
    """
    found = _find(source, wanted)
    network = found.network
    _check_numbers(source, network.weights)
    wording, ids, notes = _worded(source, labels, network, wanted.labels_of)
    given, ids, rows = _with_labels(network.weights, wording, ids)
    config = replace(network.config, classes=len(rows))
    model = ViT(config)
    leftovers = (*network.leftovers, *load_into(model, given))
    licence = wanted.licence or found.licence
    temperature, calibrated = _calibration(network)
    spec = _chosen(config.image_size, network.input, wanted)
    about = Metadata(
        wanted.name, f"{len(wording.labels)} labels, brought in from {found.name}", wording.labels, spec,
        licence=licence, provenance={"began_with": found.name} | calibrated, network=asdict(config), synsets=ids,
        rows=() if rows == tuple(range(len(wording.labels))) else rows, groups=wording.groups, temperature=temperature,
    )  # fmt: skip
    save_weights(out, to_timm(model), about)
    notes += _pixels(network, wanted) + tuple(calibrated.values())
    return Imported(leftovers, _save_text(out, network.text, licence), notes)


def _worded(
    source: str, file: Path | None, network: PublishedNetwork, model: str
) -> tuple[Wording, tuple[str, ...], tuple[str, ...]]:
    """The labels of the outputs, WordNet ids of the outputs where they are known, and what is to be said of them."""
    count = network.config.classes
    if network.labels == (UNNAMED,) and file is None:
        if model:
            raise UsageError(f"{source} has no head, so it cannot have the labels of {model}; {_TEACH}")
        return Wording((UNNAMED,), (0,)), (), () if network.text else (f"{source} has no head: {_TEACH}",)
    check_outputs(source, count)
    names, ids, notes = _outputs(source, file, network)
    if len(names) != count:
        raise UsageError(f"{file or source} has {len(names)} labels, the head of {source} has {count}; they must match")
    if model:
        wording = _in_words_of_model(source, model, ids)
        return wording, ids, (*notes, *_without_output(wording, model))
    if file or not ids:
        return Wording(names, tuple(range(count))), ids, notes
    wording = in_everyday_words(ids, read_things())
    told = f"{count:,} outputs have {len(wording.labels):,} labels in everyday words and {len(wording.groups)} groups"
    return wording, ids, (*notes, told)


_TEACH = "teach it one with vitcam-train finetune --weights, or give weights with a head"


def _outputs(
    source: str, file: Path | None, network: PublishedNetwork
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Names and WordNet ids of the outputs, and a sentence where nobody says which classes they are."""
    if file:
        return (*read_labels(file), ())
    if network.labels and not all(re.fullmatch(r"LABEL_\d+", name) for name in network.labels):
        ids = network.ids or ids_of_names(network.labels)
        return (network.labels if ids else named(source, network.labels)), ids, ()
    classes = class_list(network.config.classes)
    if classes:
        return classes.ids, classes.ids, (
            f"{source} does not name its {len(classes.ids):,} outputs: they are taken as the classes of {classes.name} "
            "in their usual order; --labels gives others",
        )  # fmt: skip
    if network.labels:
        return named(source, network.labels), (), ()
    raise UsageError(
        f"{source} does not name its {network.config.classes:,} labels, and no list of ImageNet's classes has as many; "
        "give a file of them with --labels"
    )


def _in_words_of_model(source: str, model: str, ids: tuple[str, ...]) -> Wording:
    described = bundle.read(find_model(model))
    if described is None:
        raise UsageError(f"{model} carries no labels; give a model that vitcam-train has exported")
    if not ids:
        raise UsageError(
            f"{source} does not say the WordNet ids of its outputs, so nothing tells which of them means a label of "
            f"{model}; give a file of lines such as `n01440764 tench` with --labels"
        )
    groups = described.groups.members if described.groups else {}
    wording = in_words_of(described.labels, groups, ids, read_things())
    if len(wording.never) == len(wording.labels):
        raise UsageError(f"no output of {source} means one of the {len(wording.labels)} labels of {model}")
    return wording


def _without_output(wording: Wording, model: str) -> tuple[str, ...]:
    never = wording.never
    if not never:
        return ()
    more = f" and {len(never) - FEW} more" if len(never) > FEW else ""
    return (
        f"{len(never)} of the {len(wording.labels):,} labels of {model} are none of its outputs, so it never answers "
        f"them: {', '.join(never[:FEW])}{more}",
    )


def _with_labels(
    given: Weights, wording: Wording, ids: tuple[str, ...]
) -> tuple[Weights, tuple[str, ...], tuple[int, ...]]:
    """Weights with the outputs that mean a label, and one for each label that none means; their ids and labels.

    A label that no output means gets a row of zeros and a bias far below all others.
    """
    kept = [i for i, row in enumerate(wording.rows) if row >= 0]
    never = [wording.labels.index(label) for label in wording.never]
    rows = (*(wording.rows[i] for i in kept), *never)
    if not never and len(kept) == len(wording.rows):
        return given, ids, rows
    if "head.bias" not in given or given["head.weight"].ndim != 2:
        raise UsageError("the weights have no whole head, 'head.weight' and 'head.bias'; give the file of one that has")
    weight, bias = given["head.weight"], given["head.bias"]
    nothing = np.zeros((len(never), weight.shape[1]), np.float32)
    lowest = np.full(len(never), bias[kept].min() - UNLIKELY, np.float32)
    head = {
        "head.weight": np.concatenate([weight[kept], nothing]),
        "head.bias": np.concatenate([bias[kept], lowest]),
    }
    return given | head, (*(ids[i] for i in kept), *[""] * len(never)), rows


def _calibration(network: PublishedNetwork) -> tuple[float, dict[str, str]]:
    """A temperature, and for the card what is known of it; nothing of a network without a head."""
    if network.labels == (UNNAMED,):
        return 1.0, {}
    known = temperature_of(network.name)
    if known is None:
        told = "temperature 1, as published: whether its probabilities are right was not measured"
    else:
        told = f"temperature {known:g}, measured on 200 ordinary photos with its everyday words"
    return known or 1.0, {"calibration": f"{told}; `export --data` fits it to photos"}


def _pixels(network: PublishedNetwork, wanted: ImportOptions) -> tuple[str, ...]:
    """How photos come to a network of which only the name of its file tells it."""
    if not network.family:
        return ()
    fraction = wanted.crop_fraction or network.input.crop_fraction
    return (
        f"{network.name} is one of {network.family} by its name: mean {_numbers(network.config.mean)}, deviation "
        f"{_numbers(network.config.std)}, {fraction:g} of the short side; --mean, --std and --crop-fraction say "
        "otherwise",
    )


def _numbers(values: tuple[float, ...]) -> str:
    return ",".join(f"{value:g}" for value in values) if len(set(values)) > 1 else f"{values[0]:g}"


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
class _FoundNetwork:
    """A network, what the card calls it, and the licence that was published with it."""

    network: PublishedNetwork
    name: str
    licence: str = ""


def _find(source: str, wanted: ImportOptions) -> _FoundNetwork:
    address = parse_address(source)
    if address:
        got = download(address)
        network = _read_folder(got.folder, wanted.normalisation)
        return _FoundNetwork(_resized(network, wanted.image_size), f"hf:{address.repository}@{got.commit}", got.licence)
    path = Path(source).parent if Path(source).name == INDEX else Path(source)
    network = _read_folder(path, wanted.normalisation) if path.is_dir() else _read_file(path, wanted.normalisation)
    return _FoundNetwork(_resized(network, wanted.image_size), path.name)


def _read_folder(folder: Path, normalisation: Normalisation | None) -> PublishedNetwork:
    """What timm saves names an architecture; what transformers saves, a type."""
    settings = read_settings(folder / CONFIG)
    if "architecture" in settings:
        return read_timm(folder, normalisation)
    return (read_clip if settings.get("model_type") in KINDS else read_transformers)(folder, normalisation)


def _read_file(path: Path, normalisation: Normalisation | None) -> PublishedNetwork:
    if path.suffix == ".npz" and path.is_file() and is_google(weights := read_weights(path)):
        return read_google(path, weights, normalisation)
    if path.suffix != ".safetensors" or not path.is_file() or stored_network(path) is None:
        return read_timm_file(path, read_weights(path), normalisation)
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
