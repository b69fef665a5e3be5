"""What `/api/model` and `vitcam models show` say of a loaded model."""

from dataclasses import asdict
from typing import Any

from vitcam.model.classifier import Classifier


def model_record(classifier: Classifier) -> dict[str, Any]:
    """The model card as JSON: what it is, what was measured of it, and what runs it here."""
    card, runtime = classifier.card, classifier.runtime
    return {
        "name": card.name,
        "description": card.description,
        "labels": list(classifier.labels),
        "input": asdict(card.input),
        "patches": {"size": card.patch_size, "rows": card.grid[0], "columns": card.grid[1]},
        "pooling": card.pooling,
        "heads": card.heads,
        "rollout": classifier.explains,
        "evidence": classifier.weighs,
        "layers": card.layers,
        "width": card.width,
        "parameters": card.parameters,
        "temperature": card.temperature,
        "known_by": "probability" if classifier.familiarity is None else "familiarity",
        "threshold": classifier.threshold,
        "licence": card.licence,
        "trained_on": list(card.trained_on),
        "accuracy": card.accuracy,
        "provenance": card.provenance,
        "runtime": f"{runtime.name} {runtime.version}",
        "partitions": runtime.partitions,
        "outside": runtime.outside,
        "threads": runtime.threads,
    }
