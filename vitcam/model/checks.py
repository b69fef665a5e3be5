"""Whether the parts of a model fit together: the graph, what its file says of it, and the labels."""

import math
from collections.abc import Sequence
from pathlib import Path

from vitcam.errors import ModelError, UsageError
from vitcam.model.bundle import ModelCard
from vitcam.model.runtime.interpreter import TensorInfo
from vitcam.pictures.resize import InputSpec


def read_labels(path: Path) -> tuple[str, ...]:
    """The labels in a text file, one a line. Raises UsageError if it cannot be read."""
    try:
        return tuple(line.strip() for line in path.read_text("utf-8").splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the labels {path} cannot be read as text: {error}") from error


def check_labels(path: Path, labels: tuple[str, ...], shape: tuple[int, ...]) -> None:
    """Raise ModelError unless there is one label for each probability."""
    if not labels:
        raise ModelError(f"{path} carries no labels; give a text file with one label a line by --labels")
    if len(labels) != shape[-1]:
        raise ModelError(f"{path} gives {shape[-1]} probabilities, but there are {len(labels)} labels; they must match")


def check_outputs(path: Path, given: Sequence[TensorInfo], card: ModelCard) -> None:
    """Raise ModelError unless each output of the description is there and has the size that it says."""
    cells = math.prod(card.grid)
    wanted = {"attention": card.heads * cells, "evidence": cells, "margin": 1, "embedding": card.width}
    for name, position in card.outputs.items():
        if not 0 <= position < len(given):
            raise ModelError(f"{path} has {len(given)} outputs, its description says {name} is number {position}")
        size = math.prod(given[position].shape)
        if size != wanted.get(name, size):
            raise ModelError(f"{path} gives {size} numbers of {name}, its description says {wanted[name]}")


def check_input(path: Path, shape: tuple[int, ...], spec: InputSpec) -> None:
    """Raise ModelError unless the graph's input has the size that the description says."""
    if shape != (1, spec.height, spec.width, 3):
        described = f"1×{spec.height}×{spec.width}×3"
        found = "×".join(str(side) for side in shape)
        raise ModelError(f"{path} takes {found}, its description says {described}; export the model again")
