"""What a run leaves of its figures: `log.csv`, a line for each epoch; and event files for TensorBoard, on request."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from vitcam.storage.files import write_atomically

LOG = "log.csv"
COLUMNS = (
    "epoch", "train_loss", "train_accuracy", "test_loss", "test_accuracy", "learning_rate", "seconds",
    "calibration_loss", "calibration_accuracy",
)  # fmt: skip
"""Empty cells: not scored after this epoch."""
EVENTS = "tensorboard"
"""The folder of the event files: loss and rate of every step, all figures of every epoch."""


def read_log(folder: Path) -> list[dict[str, str]]:
    """The lines of a run's log, by `COLUMNS`; none where there is no log yet."""
    path = folder / LOG
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def add_line(folder: Path, line: Mapping[str, float]) -> None:
    """Append an epoch, with the columns that the file has already."""
    path = folder / LOG
    if path.exists():
        with path.open(newline="") as file:
            columns = next(csv.reader(file), list(COLUMNS))
    else:
        columns = list(COLUMNS)
        path.write_text(",".join(COLUMNS) + "\r\n", encoding="utf-8")
    with path.open("a", newline="") as file:
        csv.writer(file).writerow([f"{line[name]:.6g}" if name in line else "" for name in columns])


def trim_log(folder: Path, epochs: int) -> None:
    """Keep the lines of the first `epochs` epochs: what was logged and then not saved is done again."""
    path = folder / LOG
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    if epochs == 0:
        path.unlink(missing_ok=True)
    elif len(lines) > epochs + 1:
        write_atomically(path, "".join(lines[: epochs + 1]))


def history(rows: Sequence[Mapping[str, str]], earlier: Mapping[str, list[float]]) -> dict[str, list[float]]:
    """The columns of a log, of its scored epochs, after those of the stages before it."""
    names = COLUMNS[:7]
    scored = [{name: float(row[name]) for name in names} for row in rows if row["test_loss"]]
    before = max(earlier.get("epoch", [0.0]), default=0.0)
    columns = {name: [row[name] + (before if name == "epoch" else 0.0) for row in scored] for name in names}
    return {name: [*earlier.get(name, ()), *column] for name, column in columns.items()}


class EventWriter:
    """Writes event files into a folder, for `tensorboard --logdir`.

    step    steps that lie behind the run: what was written of later ones, before it was killed, is taken back
    raises  ModuleNotFoundError if the package that writes them is not installed
    """

    def __init__(self, folder: Path, step: int) -> None:
        from tensorboardX import SummaryWriter  # type: ignore[import-untyped]

        self._writer = SummaryWriter(str(folder / EVENTS), purge_step=step)

    def __enter__(self) -> EventWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def add(self, group: str, step: int, **figures: float) -> None:
        """Figures after this many steps, as `group/name`."""
        for name, figure in figures.items():
            self._writer.add_scalar(f"{group}/{name}", figure, step)
