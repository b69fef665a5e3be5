"""What `vitcam classify` prints: a line or a table a photo for people, one JSON object a line for machines."""

import json
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from vitcam.commands.classify.batch import Classified, classify_all, write_overlay
from vitcam.config.settings import ModelSettings
from vitcam.errors import UsageError
from vitcam.frames import Prediction, Unreadable
from vitcam.model.open import open_classifier
from vitcam.pictures.overlay_kinds import default_overlay
from vitcam.sinks.layout import Layout
from vitcam.terminal.consoles import stderr_console, stdout_console
from vitcam.text import printable
from vitcam.wire import error_record, prediction_record, summary_record


@dataclass(frozen=True, slots=True)
class ClassifyRequest:
    """What was asked on the command line."""

    targets: list[str]
    model: ModelSettings
    as_json: bool
    overlay: Path | None


class _Report:
    """Prints what comes, and counts it."""

    def __init__(self, request: ClassifyRequest, labels: tuple[str, ...]) -> None:
        self._as_json = request.as_json
        self._targets = len(request.targets)
        self._layout = Layout.of(labels)
        self._people, self._out = stderr_console(), stdout_console()
        self._started = time.monotonic()
        self.frames = self.errors = self.expected = self._unknown = 0

    @property
    def many(self) -> bool:
        """Whether more than one photo was asked about; folders are counted when their turn comes."""
        return max(self._targets, self.expected) > 1

    def prediction(self, prediction: Prediction) -> None:
        self.frames += 1
        self._unknown += not prediction.known
        if self._as_json:
            self._record(prediction_record(prediction))
        elif self.many:
            self._line(self._layout.row(prediction, prediction.path or "-"))
        else:
            if not prediction.known:
                self._line(self._layout.state(prediction))
            self._out.print(self._layout.bars(prediction, self._out.width))

    def unreadable(self, bad: Unreadable) -> None:
        self.errors += 1
        if self._as_json:
            self._record(error_record(bad))
        self._people.print(f"skipped {bad.path}: {bad.error}", markup=False, highlight=False)

    def close(self) -> None:
        seconds = time.monotonic() - self._started
        if self._as_json and self.many:
            self._record(summary_record(self.frames, self.errors, 0, seconds))
        elif self.many:
            text = f"{self.frames} photos in {seconds:.1f} s, {self.errors} skipped"
            if self._unknown:
                text += (
                    f"; {self._unknown} look{'s' * (self._unknown == 1)} like {self._layout.none_of} the model knows"
                )
            self._people.print(text, highlight=False)

    def _record(self, record: dict[str, Any]) -> None:
        self._line(Text(json.dumps(record, ensure_ascii=False)))

    def _line(self, text: Text) -> None:
        """On a terminal above the bar; to a file as it is, at no cost."""
        if self._out.is_terminal:
            self._out.print(text, highlight=False)
        else:
            sys.stdout.write(f"{printable(text.plain)}\n")
            sys.stdout.flush()


def classify_photos(request: ClassifyRequest) -> bool:
    """Classify all that was named; False if not a single photo could be."""
    model = request.model
    classifier = open_classifier(model)
    report = _Report(request, classifier.labels)
    with _progress() as progress:
        task = progress.add_task("classifying", total=0, visible=False)

        def expect(more: int) -> None:
            report.expected += more
            progress.update(task, total=report.expected, visible=report.expected > 1)

        with closing(
            classify_all(classifier, request.targets, report.unreadable, expect, model.threads or None)
        ) as answers:
            for done in answers:
                report.prediction(done.prediction)
                if request.overlay is not None:
                    path = _overlay_path(request.overlay, done, report.many)
                    write_overlay(path, done, default_overlay(classifier.gives))
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


def _progress() -> Progress:
    """A bar on the terminal of stderr. What goes to stdout is left alone: it may be a file."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    people = stderr_console()
    return Progress(
        *columns, console=people, transient=True, disable=not people.is_terminal, refresh_per_second=4,
        redirect_stdout=False,
    )  # fmt: skip
