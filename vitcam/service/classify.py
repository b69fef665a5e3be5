"""What `vitcam classify` prints: a line or a table a photo for people, one JSON object a line for machines."""

import json
import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from vitcam.batch import Classified, classify_all, write_overlay
from vitcam.errors import UsageError
from vitcam.frames import Prediction, Unreadable
from vitcam.model.classifier import Classifier
from vitcam.service.logs import for_people
from vitcam.service.settings import ModelSettings
from vitcam.wire import error_record, prediction_record, summary_record


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked on the command line."""

    targets: list[str]
    model: ModelSettings
    as_json: bool
    overlay: Path | None


class _Report:
    """Prints what comes, and counts it."""

    def __init__(self, as_json: bool, targets: int, people: Console, out: Console) -> None:
        self._as_json = as_json
        self._targets = targets
        self._people = people
        self._out = out
        self._started = time.monotonic()
        self.frames = self.errors = self.expected = 0

    @property
    def many(self) -> bool:
        """Whether more than one photo was asked about; folders are counted when their turn comes."""
        return max(self._targets, self.expected) > 1

    def prediction(self, prediction: Prediction) -> None:
        self.frames += 1
        if self._as_json:
            print(json.dumps(prediction_record(prediction), ensure_ascii=False), flush=True)  # noqa: T201
        elif not self.many:
            self._out.print(_table(prediction))
        else:
            best = prediction.top[0]
            self._out.print(f"{best.p:6.1%}  {best.label:<20}  {prediction.path}", markup=False, highlight=False)

    def unreadable(self, bad: Unreadable) -> None:
        self.errors += 1
        if self._as_json:
            print(json.dumps(error_record(bad), ensure_ascii=False), flush=True)  # noqa: T201
        self._people.print(f"skipped {bad.path}: {bad.error}", markup=False, highlight=False)

    def close(self) -> None:
        seconds = time.monotonic() - self._started
        if self._as_json and self.many:
            record = summary_record(self.frames, self.errors, 0, seconds)
            print(json.dumps(record), flush=True)  # noqa: T201
        elif self.many:
            self._people.print(f"{self.frames} photos in {seconds:.1f} s, {self.errors} skipped", highlight=False)


def classify_photos(request: Request) -> bool:
    """Classify all that was named; False if not a single photo could be."""
    model = request.model
    labels = Path(model.labels) if model.labels else None
    classifier = Classifier(model.name, threads=model.threads or None, labels=labels, top_k=model.top_k)
    people, out = for_people(), Console(soft_wrap=True)
    report = _Report(request.as_json, len(request.targets), people, out)
    progress = _progress(people) if people.is_terminal and len(request.targets) > 0 else None
    task = progress.add_task("classifying", total=0, visible=False) if progress else None

    def expect(more: int) -> None:
        report.expected += more
        if progress is not None and task is not None:
            progress.update(task, total=report.expected, visible=report.expected > 1)

    with progress or nullcontext():
        for done in classify_all(classifier, request.targets, report.unreadable, expect):
            report.prediction(done.prediction)
            if request.overlay is not None:
                write_overlay(_overlay_path(request.overlay, done, report.many), done)
            if progress is not None and task is not None:
                progress.update(task, completed=report.frames + report.errors)
    report.close()
    return report.frames > 0


def _overlay_path(wanted: Path, done: Classified, many: bool) -> Path:
    """The file itself for one photo; for many a file in that folder, named like the photo."""
    if not many and not wanted.is_dir():
        return wanted
    if wanted.suffix:
        raise UsageError(f"--overlay {wanted} is one file for several photos; name a folder")
    wanted.mkdir(parents=True, exist_ok=True)
    return wanted / f"{Path(done.frame.path or 'photo').stem}-{done.frame.seq}.png"


def _table(prediction: Prediction) -> Table:
    table = Table.grid(padding=(0, 2))
    for guess in prediction.top:
        table.add_row(f"{guess.p:6.1%}", guess.label, "█" * round(30 * guess.p))
    if not prediction.known:
        table.add_row("", "below the model's threshold: it may be none of these")
    return table


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty())
