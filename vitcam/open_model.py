"""The model that the settings name, loaded."""

from pathlib import Path

from vitcam.config.settings import ModelSettings
from vitcam.model.classifier import Classifier


def open_classifier(settings: ModelSettings) -> Classifier:
    """Load a model.

    raises  ModelError if there is no such model, or its file cannot be used; UsageError if the labels cannot be read
    """
    labels, threads = Path(settings.labels) if settings.labels else None, settings.threads or None
    return Classifier(settings.name, threads=threads, labels=labels, top_k=settings.top_k, likely=settings.likely)
