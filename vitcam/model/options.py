"""What a model is opened with."""

from typing import Protocol


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

    @property
    def likely(self) -> float:
        """From which probability on a name is displayed."""
