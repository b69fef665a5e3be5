"""The state of a run on disk: everything needed to continue exactly, at any step."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError, VitcamError
from vitcam.storage.files import atomic_write

STATE = "state.npz"
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class RunPosition:
    """Where a run stands. Sums are over the epoch that it is in."""

    epoch: int = 0
    """Whole epochs behind it, scored and logged."""
    step: int = 0
    """Batches of this epoch behind it. The random choices of the next depend only on seed, epoch and step."""
    steps: int = 0
    """Batches that this epoch has; 0: not begun."""
    loss: float = 0.0
    """Sum over the batches; in double precision, so that a resumed run adds up to the same mean."""
    right: float = 0.0
    """Sum of the shares of right answers."""
    seconds: float = 0.0
    best_epoch: int = 0
    """The epoch of the smallest loss on the part `calibration`, counted from 1; 0: none was scored."""
    best_loss: float = math.inf

    def after_step(self, steps: int, loss: float, right: float, seconds: float) -> RunPosition:
        """One batch further."""
        return replace(
            self, step=self.step + 1, steps=steps, loss=self.loss + loss, right=self.right + right,
            seconds=self.seconds + seconds,
        )  # fmt: skip

    def after_epoch(self, best_loss: float | None = None) -> RunPosition:
        """At the start of the next epoch; `best_loss` if this one was the best so far."""
        if best_loss is not None:
            return RunPosition(self.epoch + 1, best_epoch=self.epoch + 1, best_loss=best_loss)
        return RunPosition(self.epoch + 1, best_epoch=self.best_epoch, best_loss=self.best_loss)


def save_state(folder: Path, position: RunPosition, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Replace the state in a run's folder. A process that is killed meanwhile leaves the old one.

    arrays  the variables by their names, such as (D, M) of a dense layer
    raises  VitcamError if it cannot be written
    """
    everything: dict[str, Any] = asdict(position) | dict(arrays)
    try:
        with atomic_write(folder / STATE) as partial, partial.open("wb") as file:
            np.savez(file, **everything)
    except OSError as error:
        raise VitcamError(f"{folder / STATE} cannot be written ({error.strerror}); the earlier one is kept") from error


def load_state(folder: Path) -> tuple[RunPosition, Arrays] | None:
    """The state in a run's folder: the position, and arrays by name, such as (D, M). None if there is none.

    raises  UsageError if the file is damaged
    """
    path = folder / STATE
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        known = {f.name: arrays.pop(f.name).item() for f in fields(RunPosition) if f.name in arrays}
        return RunPosition(**known), arrays
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} cannot be read ({error}); delete it to start again") from error
