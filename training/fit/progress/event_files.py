"""TensorBoard's event files, on request: loss and rate of every step, all figures of every epoch."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from vitcam.errors import UsageError

FOLDER = "tensorboard"
PACKAGE = "tensorboardX"


class EventWriter:
    """Writes event files into a folder, for `tensorboard --logdir`.

    step    steps that lie behind the run: what was written of later ones, before it was killed, is taken back
    raises  UsageError if the package that writes them is not installed
    """

    def __init__(self, folder: Path, step: int) -> None:
        try:
            writer = import_module(PACKAGE).SummaryWriter
        except ImportError as error:
            raise UsageError(f"--tensorboard needs the package {PACKAGE}; `pip install {PACKAGE}`") from error
        self._writer = writer(str(folder / FOLDER), purge_step=step)

    def __enter__(self) -> EventWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def add(self, group: str, step: int, **figures: float) -> None:
        """Figures after this many steps, as `group/name`."""
        for name, figure in figures.items():
            self._writer.add_scalar(f"{group}/{name}", figure, step)
