"""The one place that opens the model which the settings name."""

from pathlib import Path
from typing import Protocol

from vitcam.model.classifier import Classifier


class ModelOptions(Protocol):
    """What the settings say of the model; `vitcam.config.settings.ModelSettings` is one."""

    @property
    def name(self) -> str:
        """Name of an installed model, or a .tflite file."""

    @property
    def labels(self) -> str:
        """File with one label a line; empty: the labels that the model file carries."""

    @property
    def threads(self) -> int:
        """Threads of the interpreter; 0: see `default_threads`."""

    @property
    def top_k(self) -> int:
        """How many guesses a prediction carries."""


def open_classifier(options: ModelOptions) -> Classifier:
    """Load a model.

    raises  ModelError if there is no such model, or its file cannot be used; UsageError if the labels cannot be read
    """
    labels = Path(options.labels) if options.labels else None
    return Classifier(options.name, threads=options.threads or None, labels=labels, top_k=options.top_k)
