"""Finds the model that has seen an event: the same graph, by its fingerprint."""

from pathlib import Path

from vitcam.errors import ModelError
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.files import find_model, list_models
from vitcam.replay.stored_picture import StoredPicture

_SHOWN = 12  # digits of a fingerprint


def open_model(stored: StoredPicture, named: str = "", labels: Path | None = None) -> Classifier:
    """Load the model of an event.

    named   a model or a file to take; empty: the installed one that has the event's fingerprint
    labels  as `Classifier` takes them
    raises  ModelError if it is not installed, or if another one has its name
    """
    seen_by = f"{stored.model or 'a model without a name'} ({stored.fingerprint[:_SHOWN] or 'no fingerprint'})"
    path = find_model(named) if named else _installed(stored)
    if path is None:
        raise ModelError(
            f"the event was seen by {seen_by}, and no installed model has this fingerprint; name its file with --model"
        )
    classifier = Classifier(path, labels=labels, top_k=len(stored.top))
    found = classifier.card.graph_sha256
    if found != stored.fingerprint:
        raise ModelError(
            f"the event was seen by {seen_by}, and {path} is another model ({found[:_SHOWN] or 'no fingerprint'}); "
            "name the file of the first one with --model"
        )
    return classifier


def _installed(stored: StoredPicture) -> Path | None:
    models = list_models()
    first = models.pop(stored.model, None)
    for path in filter(None, (first, *models.values())):
        described = bundle.read(path)
        fingerprint = described.card.graph_sha256 if described else ""
        if fingerprint == stored.fingerprint and (fingerprint or path is first):
            return path
    return None
