"""Whether the parts of a model fit together: the graph, what its file says of it, and the labels."""

from pathlib import Path

from vitcam.errors import ModelError, UsageError


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
