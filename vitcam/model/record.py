"""What is known of a loaded model, and the JSON of it that `/api/model` and `vitcam models show` print."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from vitcam.model.card import HEADLINE, ModelCard, Outputs
from vitcam.model.classifier import Classifier
from vitcam.model.runtime import RuntimeInfo

_FIRST_FIGURES = ("data", "split", "n", "top1", HEADLINE)


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A loaded model without its graph: what it is, what it can give, and what runs it here."""

    card: ModelCard
    labels: tuple[str, ...]
    """The file's own, or those of `--labels`."""
    gives: frozenset[str]
    """Which optional weights of the patches it can give: `rollout`, `evidence`."""
    by_familiarity: bool
    """True: a guess counts as known by its familiarity; False: by its probability."""
    threshold: float
    """From here on a guess counts as known."""
    runtime: RuntimeInfo
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Group -> indices of its labels, the smallest group first."""
    outputs: Outputs = "probabilities"
    """What the graph gives."""
    taught_pictures: frozenset[bytes] = frozenset()
    """What `vitcam.model.taught.digest_of` says of each picture that a device taught it with."""


def model_info(classifier: Classifier) -> ModelInfo:
    """What is known of a loaded model."""
    return ModelInfo(
        card=classifier.card,
        labels=tuple(classifier.labels),
        gives=classifier.gives,
        by_familiarity=classifier.card.least_familiarity is not None,
        threshold=classifier.threshold,
        runtime=classifier.runtime,
        groups=classifier.groups.members if classifier.groups else {},
        outputs=classifier.outputs,
        taught_pictures=classifier.taught_pictures,
    )


def names_of_model(labels: Sequence[str], groups: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Labels and groups as JSON. groups: indices of the labels of each"""
    return {
        "labels": list(labels),
        "groups": [{"name": name, "labels": list(members)} for name, members in groups.items()],
    }


def brief_record(model: ModelInfo) -> dict[str, Any]:
    """What replaces the long parts of `model_record`."""
    accuracy = {key: model.card.accuracy[key] for key in _FIRST_FIGURES if key in model.card.accuracy}
    return {**names_of_model((), {}), "trained_on": [], "provenance": {}, "accuracy": accuracy}


def model_record(model: ModelInfo) -> dict[str, Any]:
    """The same as JSON."""
    card, runtime = model.card, model.runtime
    return {
        "name": card.name,
        "description": card.description,
        **names_of_model(model.labels, model.groups),
        "label_count": len(model.labels),
        "input": asdict(card.input),
        "patches": {"size": card.patch_size, "rows": card.grid[0], "columns": card.grid[1]},
        "pooling": card.pooling,
        "heads": card.heads,
        "rollout": "rollout" in model.gives,
        "evidence": "evidence" in model.gives,
        "layers": card.layers,
        "width": card.width,
        "parameters": card.parameters,
        "outputs": model.outputs,
        "temperature": card.temperature,
        "known_by": "familiarity" if model.by_familiarity else "probability",
        "threshold": model.threshold,
        "least_contrast": card.least_contrast,
        "taught": card.taught,
        "room_for_labels": 0 if card.taught else card.row_capacity,
        "bank": card.bank,
        "licence": card.licence,
        "trained_on": list(card.trained_on),
        "accuracy": card.accuracy,
        "provenance": card.provenance,
        "runtime": f"{runtime.name} {runtime.version}",
        "partitions": runtime.partitions,
        "outside": runtime.outside,
        "threads": runtime.threads,
    }
