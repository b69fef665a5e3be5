"""`vitcam classify`: classifies what was named on the command line, prints the answers and saves the overlays."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from vitcam.batch.batch import classify_all
from vitcam.batch.photos import ClassifiedPhoto
from vitcam.batch.report import Report
from vitcam.config.settings import ModelSettings
from vitcam.errors import UsageError, VitcamError
from vitcam.model.classifier import open_classifier
from vitcam.pictures.encode import encode_by_ending
from vitcam.pictures.overlay import draw_overlay
from vitcam.pictures.overlay_kinds import default_overlay
from vitcam.terminal.consoles import stderr_console


@dataclass(frozen=True, slots=True)
class ClassifyRequest:
    """What was asked on the command line."""

    targets: list[str]
    model: ModelSettings
    as_json: bool
    overlay: Path | None


def classify_photos(request: ClassifyRequest) -> bool:
    """Classify everything that was named; False if not a single photo could be read."""
    classifier = open_classifier(request.model)
    report = Report(len(request.targets), classifier.labels, request.as_json)
    with _progress() as progress:
        task = progress.add_task("classifying", total=0, visible=False)

        def expect(more: int) -> None:
            report.expected += more
            progress.update(task, total=report.expected, visible=report.expected > 1)

        workers = request.model.threads or None
        with closing(classify_all(classifier, request.targets, report.unreadable, expect, workers)) as photos:
            for photo in photos:
                report.prediction(photo.prediction)
                if request.overlay is not None:
                    path = _overlay_path(request.overlay, photo, report.many)
                    _write_overlay(path, photo, default_overlay(classifier.gives))
                progress.update(task, completed=report.frames + report.errors)
    report.summary()
    return report.frames > 0


def _overlay_path(wanted: Path, photo: ClassifiedPhoto, many: bool) -> Path:
    """The file itself for one photo; for many photos a file in that folder, named after the photo."""
    if not many and not wanted.is_dir():
        return wanted
    if wanted.suffix:
        raise UsageError(f"--overlay {wanted} is one file for several photos; name a folder")
    wanted.mkdir(parents=True, exist_ok=True)
    return wanted / f"{Path(photo.frame.path or 'photo').stem}-{photo.frame.seq}.png"


def _write_overlay(path: Path, photo: ClassifiedPhoto, kind: str) -> None:
    """Save the photo with an overlay of that kind. Raises VitcamError if it cannot be written."""
    data = encode_by_ending(draw_overlay(photo.frame.preview, photo.frame.crop, photo.prediction, kind), str(path))
    try:
        path.write_bytes(data)
    except OSError as error:
        raise VitcamError(f"{path} cannot be written; is the folder there, and is there room?") from error


def _progress() -> Progress:
    """A bar on stderr if that is a terminal. Stdout is not redirected, since it may be a file."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = stderr_console()
    return Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal, refresh_per_second=4,
        redirect_stdout=False,
    )  # fmt: skip
