"""What is known of a model: as its file says it, or its graph where no file does; and whether the two fit."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError
from vitcam.model.out_of_distribution import LEAST_CONTRAST
from vitcam.model.runtime import Interpreter, TensorInfo
from vitcam.pictures.resize import InputSpec

Outputs = Literal["probabilities", "logits", "independent"]
"""`logits`: their softmax is taken. `independent`: each is the probability of one label, whatever the others are."""
SCHEMA = 1
_FOREIGN = ("mean", "std", "scores")
SCORES = (1, 2)
HEADLINE = "headline"
"""In the accuracy: the figures that stand for the model."""


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What vitcam needs to know about a model to use it, and what was measured of it."""

    name: str
    description: str
    input: InputSpec
    outputs: dict[str, int]
    """`probabilities`, `attention`, `embedding`, `evidence`, `margin`, `class_token`, `patch_mean` -> position among
    the interpreter's outputs."""
    patch_size: int
    grid: tuple[int, int]
    heads: int
    layers: int
    width: int
    parameters: int
    pooling: str = "cls_token"
    """What the head reads, and whose attention is drawn: `cls_token`, `distilled` (the class token and a distillation
    token), `first` (the first patch's token) or `mean`; empty if that is not known."""
    registers: int = 0
    """Tokens that stand before the patches and that the head does not read."""
    temperature: float = 1.0
    """Already applied in the graph; kept for the record."""
    threshold: float = 0.0
    """From this probability on the best guess counts as known. Used only if `least_familiarity` is None."""
    least_familiarity: float | None = None
    """From this familiarity on, in nats, a guess counts as known. None in files of foreign or older models."""
    familiarity_temperature: float = 1.0
    """The temperature that the familiarity takes back from the logits; 1 in older files, whose threshold goes by the
    probabilities as they are."""
    embedding_width: int = 0
    """Numbers of the output `embedding`; 0: as many as `width`."""
    inputs: dict[str, int] = field(default_factory=lambda: {"image": 0})
    """`image`, in files whose labels are words `words` and `offsets`, and in files with room for labels that a device
    adds `spare_rows` and `spare_offsets` -> position among the interpreter's inputs."""
    word_capacity: int = 0
    """For how many words the graph has room; 0: its labels cannot be changed."""
    row_capacity: int = 0
    """For how many labels that a device adds the graph has room."""
    bank: int = 0
    """Photos of which the file carries features, for a device that learns a label of its own."""
    taught: str = ""
    """`alone`: a device taught it its labels, and it knows no others; `added`: it was taught the last ones of its
    labels, beside those of its graph. Empty: it was taught nothing."""
    text_tower: str = ""
    """SHA-256 of the file that turns other words into vectors for this one, in hexadecimal."""
    score: int = 1
    """How `known` is decided. 1, as in older files: by the threshold alone. 2: what is known is what is displayed."""
    mean: tuple[float, ...] = ()
    """Of foreign models, as `vitcam.model.foreign_inputs` takes it; empty: the graph takes the levels as they are."""
    std: tuple[float, ...] = ()
    scores: Outputs = "probabilities"
    """What the output `probabilities` is in foreign models."""
    least_contrast: float = LEAST_CONTRAST
    """Pictures of less contrast are blank: never known. Used for files that do not say it, too."""
    trained_on: tuple[dict[str, str], ...] = ()
    licence: str = ""
    accuracy: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    graph_sha256: str = ""
    """Of the flatbuffer, in hexadecimal; empty in files of versions that wrote no checksum."""
    schema: int = SCHEMA

    @property
    def record(self) -> dict[str, Any]:
        """For a model file. What only foreign models have is left out of others, whose bytes stay the same so."""
        usual = {each.name: each.default for each in fields(self) if each.name in _FOREIGN}
        return {key: value for key, value in asdict(self).items() if key not in usual or value != usual[key]}

    @property
    def headline(self) -> dict[str, Any]:
        """The figures that stand for the model where there is room for one: those that were measured for that, or else
        those on photos of its own kind. Empty: nothing was measured.
        """
        chosen = self.accuracy.get(HEADLINE)
        return chosen if isinstance(chosen, dict) else self.accuracy

    @property
    def row_width(self) -> int:
        """How many numbers the row of an added label has: E + 2 D."""
        return (self.embedding_width or self.width) + 2 * self.width


def read_card(raw: dict[str, Any]) -> ModelCard:
    """The card in a model file's JSON.

    raises  ModelError for another schema; ValueError, TypeError, LookupError for a damaged one
    """
    if raw.get("schema") != SCHEMA:
        raise ModelError(
            f"the model's description has schema {raw.get('schema')!r}, this vitcam reads {SCHEMA}; "
            "export the model again or update vitcam"
        )
    known = {f.name for f in fields(ModelCard)}
    values = {key: value for key, value in raw.items() if key in known}
    values["input"] = InputSpec(**values["input"])
    values["grid"] = tuple(values["grid"])
    values |= {key: tuple(values[key]) for key in ("mean", "std") if key in values}
    values["trained_on"] = tuple(values.get("trained_on", ()))
    card = ModelCard(**values)
    _check_field_types(card)
    if card.score not in SCORES:
        raise ModelError(
            f"the model's description has score {card.score}, this vitcam reads {' and '.join(map(str, SCORES))}; "
            "export the model again or update vitcam"
        )
    if len(card.mean) != len(card.std) or len(card.mean) not in (0, 1, 3) or 0 in card.std:
        raise ValueError(f"its mean has {len(card.mean)} numbers and its std {len(card.std)}; allowed are 1 or 3")
    if "probabilities" not in card.outputs:
        raise ValueError("its outputs name no probabilities")
    return card


def card_of_graph(path: Path, graph: Interpreter) -> ModelCard:
    """A card with what can be read from the graph.

    raises  ModelError unless the graph takes one uint8 RGB picture and gives one row of scores
    """
    shape, dtype = graph.inputs[0].shape, graph.inputs[0].dtype
    if len(graph.inputs) != 1 or len(shape) != 4 or shape[0] != 1 or shape[3] != 3 or dtype != np.uint8:
        raise ModelError(
            f"{path} takes {_shape(shape)} {dtype} and carries no description; "
            "allowed is one uint8 picture 1×H×W×3: export it with vitcam-train"
        )
    scores = [i for i, out in enumerate(graph.outputs) if len(out.shape) == 2 and out.shape[0] == 1]
    if len(scores) != 1:
        raise ModelError(
            f"{path} has {len(graph.outputs)} outputs of which {len(scores)} are one row of scores; "
            "exactly one is needed"
        )
    return ModelCard(
        name=path.stem,
        description="a TensorFlow Lite classifier without a description",
        input=InputSpec(shape[1], shape[2]),
        outputs={"probabilities": scores[0]},
        patch_size=0,
        grid=(0, 0),
        heads=0,
        layers=0,
        width=0,
        parameters=0,
        pooling="",
    )


def check_outputs(path: Path, given: Sequence[TensorInfo], card: ModelCard) -> None:
    """Raise ModelError unless each output of the description is there and has the size that it says."""
    cells = math.prod(card.grid)
    wanted = {
        "attention": card.heads * cells,
        "evidence": cells,
        "margin": 1,
        "embedding": card.embedding_width or card.width,
        "class_token": card.width,
        "patch_mean": card.width,
    }
    for name, position in card.outputs.items():
        if not 0 <= position < len(given):
            raise ModelError(f"{path} has {len(given)} outputs, its description says {name} is number {position}")
        size = math.prod(given[position].shape)
        if size != wanted.get(name, size):
            raise ModelError(f"{path} gives {size} numbers of {name}, its description says {wanted[name]}")


def check_inputs(path: Path, given: Sequence[TensorInfo], card: ModelCard, words: Mapping[str, NDArray[Any]]) -> None:
    """Raise ModelError unless each input of the description is there and has the size that it says.

    words  what the graph takes besides the image where its labels are words, by name: (1, C, S) and (1, C)
    """
    wanted: dict[str, tuple[int, ...]] = {"image": (1, card.input.height, card.input.width, 3)}
    wanted |= {name: value.shape for name, value in words.items()}
    if card.row_capacity:
        wanted |= {"spare_rows": (1, card.row_capacity, card.row_width), "spare_offsets": (1, card.row_capacity)}
    if set(wanted) != set(card.inputs) or sorted(card.inputs.values()) != list(range(len(given))):
        raise ModelError(f"{path} has {len(given)} inputs, its description says {card.inputs}; export the model again")
    for name, position in card.inputs.items():
        if given[position].shape != wanted[name]:
            found, described = ("×".join(map(str, shape)) for shape in (given[position].shape, wanted[name]))
            raise ModelError(f"{path} takes {found}, its description says {described}; export the model again")


def _check_field_types(value: Any) -> None:
    """Raise ValueError unless every field of a dataclass has the type of its annotation; nested ones, too."""
    for name, hint in get_type_hints(type(value)).items():
        if not _fits(getattr(value, name), hint):
            raise ValueError(f"its {name!r} is {str(getattr(value, name))[:60]!r}, which is no {_word(hint)}")


def _fits(value: Any, hint: Any) -> bool:
    kind, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint is float:
        return type(value) in (int, float) and math.isfinite(value)
    if kind is UnionType:
        return any(_fits(value, each) for each in inner)
    if kind is Literal:
        return value in inner
    if kind is dict:
        return isinstance(value, dict) and all(_fits(k, inner[0]) and _fits(v, inner[1]) for k, v in value.items())
    if kind is tuple:
        hints = inner[:1] * len(value) if isinstance(value, tuple) and inner[-1] is ... else inner
        return isinstance(value, tuple) and len(value) == len(hints) and all(map(_fits, value, hints))
    if dataclasses.is_dataclass(hint):
        _check_field_types(value)
        return True
    return value is None if hint is type(None) else type(value) is hint


def _word(hint: Any) -> str:
    return {int: "whole number", float: "number", str: "text"}.get(hint, "such value")


def _shape(shape: tuple[int, ...]) -> str:
    return "×".join(str(side) for side in shape)
