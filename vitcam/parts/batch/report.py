"""Prints the answers of `vitcam classify` as they come, and counts them."""

import json
import sys
import time
from typing import Any

from rich.text import Text

from vitcam.frames import Prediction, Unreadable
from vitcam.parts.batch.answer_file import AnswerFile
from vitcam.sinks.layout import Layout
from vitcam.terminal.consoles import stderr_console, stdout_console
from vitcam.text import printable
from vitcam.wire import error_record, prediction_record, summary_record


class Report:
    """A line for each photo, with bars below a single one, or one JSON object a line.

    targets  how many were named on the command line
    labels   of the model
    answers  where the answers go instead; None: to stdout
    """

    def __init__(self, targets: int, labels: tuple[str, ...], as_json: bool, answers: AnswerFile | None = None) -> None:
        self._as_json = as_json
        self._answers = answers
        self._targets = targets
        self._layout = Layout.of(labels)
        self._stderr, self._stdout = stderr_console(), stdout_console()
        self._started = time.monotonic()
        self.frames = self.errors = self.expected = self._unknown = self._unsure = 0

    @property
    def done(self) -> int:
        """How many photos it has said something of, in this run or in one before."""
        return self.frames + self.errors + (self._answers.skipped if self._answers is not None else 0)

    @property
    def many(self) -> bool:
        """Whether there is more than one photo. Photos in a folder are counted when the folder's turn comes."""
        return max(self._targets, self.expected) > 1

    def prediction(self, prediction: Prediction) -> None:
        """Print one answer."""
        self.frames += 1
        is_strange = prediction.blank or prediction.unfamiliar
        self._unknown += is_strange
        self._unsure += prediction.shown.level == "none" and not is_strange
        if self._answers is not None:
            self._answers.prediction(prediction)
        elif self._as_json:
            self._record(prediction_record(prediction))
        else:
            self._line(self._layout.row(prediction, prediction.path or "-"))
        if not (self._answers or self._as_json or self.many):
            bars = self._layout.bars(prediction, self._stdout.width)
            if bars.row_count:
                self._stdout.print(bars)

    def unreadable(self, photo: Unreadable) -> None:
        """Name a photo that is skipped, on stderr; in JSON on stdout, too."""
        self.errors += 1
        if self._answers is not None:
            self._answers.unreadable(photo)
        elif self._as_json:
            self._record(error_record(photo))
        self._stderr.print(f"skipped {photo.path}: {photo.error}", markup=False, highlight=False)

    def summary(self) -> None:
        """Print the totals if there was more than one photo."""
        seconds = time.monotonic() - self._started
        if self._as_json and self.many:
            self._record(summary_record(self.frames, self.errors, 0, seconds))
        elif self.many:
            text = f"{self.frames} photos in {seconds:.1f} s, {self.errors} skipped"
            if self._unknown:
                verb = "looks" if self._unknown == 1 else "look"
                text += f"; {self._unknown} {verb} like {self._layout.none_of} the model knows"
            if self._unsure:
                text += f"; not sure of {self._unsure}"
            if self._answers is not None and self._answers.skipped:
                text += f"; {self._answers.skipped:,} were answered before"
            self._stderr.print(text, highlight=False)

    def _record(self, record: dict[str, Any]) -> None:
        self._line(Text(json.dumps(record, ensure_ascii=False)))

    def _line(self, text: Text) -> None:
        """On a terminal above the progress bar; to a file without rich, which would take time."""
        if self._stdout.is_terminal:
            self._stdout.print(text, highlight=False)
        else:
            sys.stdout.write(f"{printable(text.plain)}\n")
            sys.stdout.flush()
