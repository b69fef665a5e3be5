"""Whether the parts of a model fit together: the graph, what its file says of it, and the labels."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from vitcam.errors import ModelError, UsageError
from vitcam.model.bundle import ModelCard
from vitcam.model.runtime import TensorInfo


def read_labels(path: Path) -> tuple[str, ...]:
    """The labels in a text file, one a line. Raises UsageError if it cannot be read."""
    try:
        return tuple(line.strip() for line in path.read_text("utf-8").splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the labels {path} cannot be read as text: {error}") from error


def check_labels(path: Path, labels: tuple[str, ...], probabilities: int) -> None:
    """Raise ModelError unless there is one label for each probability."""
    if not labels:
        raise ModelError(f"{path} carries no labels; give a text file with one label a line by --labels")
    if len(labels) != probabilities:
        raise ModelError(
            f"{path} gives {probabilities} probabilities, but there are {len(labels)} labels; they must match"
        )


def check_outputs(path: Path, given: Sequence[TensorInfo], card: ModelCard) -> None:
    """Raise ModelError unless each output of the description is there and has the size that it says."""
    cells = math.prod(card.grid)
    wanted = {
        "attention": card.heads * cells,
        "evidence": cells,
        "margin": 1,
        "embedding": card.embedding_width or card.width,
    }
    for name, position in card.outputs.items():
        if not 0 <= position < len(given):
            raise ModelError(f"{path} has {len(given)} outputs, its description says {name} is number {position}")
        size = math.prod(given[position].shape)
        if size != wanted.get(name, size):
            raise ModelError(f"{path} gives {size} numbers of {name}, its description says {wanted[name]}")


def check_inputs(path: Path, given: Sequence[TensorInfo], card: ModelCard, words: Mapping[str, NDArray[Any]]) -> None:
    """Raise ModelError unless each input of the description is there and has the size that it says.

    words  what the graph takes besides the image, by name: (1, C, S) and (1, C)
    """
    wanted = {"image": (1, card.input.height, card.input.width, 3)}
    wanted |= {name: value.shape for name, value in words.items()}
    if set(wanted) != set(card.inputs) or sorted(card.inputs.values()) != list(range(len(given))):
        raise ModelError(f"{path} has {len(given)} inputs, its description says {card.inputs}; export the model again")
    for name, position in card.inputs.items():
        if given[position].shape != wanted[name]:
            found, described = ("×".join(map(str, shape)) for shape in (given[position].shape, wanted[name]))
            raise ModelError(f"{path} takes {found}, its description says {described}; export the model again")
