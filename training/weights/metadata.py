"""What is known of a network besides its weights; it travels in the header of a `.safetensors` checkpoint."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from vitcam.errors import UsageError
from vitcam.model.groups import Groups
from vitcam.pictures.resize import InputSpec
from vitcam_training.weights.labels import own_names

FROM_SCRATCH = "random weights"
"""What `began_with` of the provenance says of a network that was not fine-tuned."""
PLANNED = "epochs_planned"
"""In the provenance of a network whose training was stopped early: the epochs that it was to have, all stages'."""
CALIBRATED_ON = "calibrated_on"
"""In the provenance of a network whose temperature was fitted when it was made: to how many photos."""
KEY = "vitcam"  # in the header's metadata, which maps strings to strings


@dataclass(frozen=True)
class Metadata:
    """The part of a model's card that is known before it is exported and measured."""

    name: str
    description: str
    labels: tuple[str, ...]
    input: InputSpec
    trained_on: tuple[dict[str, str], ...] = ()
    """`data`, `licence`, `source` of each set of photos."""
    licence: str = ""
    provenance: dict[str, Any] = field(default_factory=dict)
    """How it was made: recipe, seed, versions, revision, machine, hours."""
    network: dict[str, Any] = field(default_factory=dict)
    """Fields of its ViTConfig, some of which the weights do not tell; empty in checkpoints from before there was it."""
    history: dict[str, list[float]] = field(default_factory=dict)
    """Columns of the run's `log.csv`, a figure an epoch, all stages in order; empty in checkpoints from before."""
    synsets: tuple[str, ...] = ()
    """WordNet id of each row of the head, by which photos of other names find it; empty where nobody says them."""
    rows: tuple[int, ...] = ()
    """The label of each row of the head, where several rows may be of one label, whose probability is the sum of
    theirs; empty: row i is label i."""
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Group -> indices of its labels, the smallest group first, for an export without photos."""
    temperature: float = 1.0
    """Its logits are divided by it, where no photos calibrate it again."""
    least_familiarity: float | None = None
    """Below it a picture has no word; None: the export finds it."""

    @property
    def row_labels(self) -> tuple[int, ...]:
        """The label of each row of the head."""
        return self.rows or tuple(range(len(self.labels)))

    def to_json(self) -> str:
        """For the header."""
        return json.dumps(asdict(self), ensure_ascii=False)


def check_there(weights: Path) -> None:
    """Refuse a file of weights that is not there, before anything is loaded. Raises UsageError."""
    if not weights.is_file():
        raise UsageError(f"no weights at {weights}: give an .npz or .safetensors file")


def read_metadata(path: Path) -> Metadata:
    """The metadata of a checkpoint of vitcam-train.

    raises  UsageError if it is missing, or no checkpoint that vitcam-train wrote
    """
    if not path.is_file():
        raise UsageError(f"no checkpoint at {path}; vitcam-train finetune, fit and import write one")
    try:
        with safe_open(path, framework="numpy") as file:
            raw = json.loads((file.metadata() or {})[KEY])
        raw["input"] = InputSpec(**raw["input"])
        for name in ("labels", "trained_on", "synsets", "rows"):
            raw[name] = tuple(raw.get(name, ()))
        raw["groups"] = {name: tuple(labels) for name, labels in raw.get("groups", {}).items()}
        raw["labels"] = own_names(raw["labels"])  # imports of earlier versions may repeat one
        known = {f.name for f in fields(Metadata)}  # a newer vitcam may have written more
        about = Metadata(**{name: value for name, value in raw.items() if name in known})
        _check_rows(about)
        return about
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise UsageError(f"{path} is not a checkpoint of vitcam-train; `vitcam-train import` makes one") from error


def _check_rows(about: Metadata) -> None:
    """Raise ValueError unless each row is of a label, each label has a row, and groups are those of the labels."""
    Groups(about.groups, len(about.labels))
    if about.rows and set(about.rows) != set(range(len(about.labels))):
        raise ValueError(f"the rows of its head are not those of {len(about.labels)} labels")
    if about.rows and about.network and about.network["classes"] != len(about.rows):
        raise ValueError(f"it names {len(about.rows)} rows of a head of {about.network['classes']}")


def stored_metadata(path: Path) -> Metadata | None:
    """The metadata of a file of weights; None if `vitcam-train` did not write it."""
    try:
        return read_metadata(path)
    except UsageError:
        return None


def stored_network(path: Path) -> dict[str, Any] | None:
    """What a file of weights says of its network's sizes and choices.

    None: vitcam-train did not write it; empty: it was written before vitcam-train kept them.

    raises  UsageError if it is none, whatever its name says
    """
    if path.suffix != ".safetensors":
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
    except SafetensorError as error:
        raise UsageError(f"{path} holds no weights ({error}); give an .npz or .safetensors file") from error
    if KEY not in header:
        return None
    about = json.loads(header[KEY])
    network: dict[str, Any] = about.get("network", {})
    return {name: tuple(value) if isinstance(value, list) else value for name, value in network.items()}
