"""`vitcam classify`."""

import itertools
import os
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.cli.options import ClassifierOptions, JsonOption, call_by_names, write_output
from vitcam.errors import UsageError
from vitcam.terminal.consoles import progress_bar
from vitcam.terminal.verbs import grouped

if TYPE_CHECKING:
    from vitcam.config.settings import Settings
    from vitcam.many_photos import ClassifiedPhoto


@grouped
def classify(
    targets: Annotated[
        list[str],
        typer.Argument(metavar="IMAGE|FOLDER|GLOB|URL|-", help="Classify these photos; - reads one from stdin."),
    ],
    model: ClassifierOptions,
    as_json: JsonOption = False,
    overlay: Annotated[
        Path | None, typer.Option("--overlay", help="Save the photo with the overlay here; for many photos, a folder.")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="OUT.jsonl",
            help="Write the answers as JSON lines behind those in this file, and leave out photos that it answers.",
        ),
    ] = None,
) -> None:
    """Say what is on a photo, how sure the model is, and where it looked."""
    if resume is not None and (as_json or overlay is not None):
        option = "--json" if as_json else "--overlay"
        raise UsageError(f"--resume writes the answers to {resume} and nowhere else; leave out {option}")
    settings = model.settings()
    try:
        read_any = _classify(targets, settings, as_json, overlay, resume)
    except KeyboardInterrupt:
        os._exit(130)  # taking the interpreter down under threads that are inside OpenCV would abort the process
    if not read_any:
        raise typer.Exit(1)


def _classify(
    targets: list[str], settings: "Settings", as_json: bool, overlay: Path | None, resume: Path | None
) -> bool:
    """Print or write the answers and save the overlays; False if not a single photo could be read."""
    from rich.progress import MofNCompleteColumn

    from vitcam.many_photos import classify_all
    from vitcam.open_model import open_classifier
    from vitcam.parts.batch.answer_file import AnswerFile
    from vitcam.parts.batch.report import Report
    from vitcam.pictures.overlay_kinds import default_overlay

    classifier = open_classifier(settings.model)
    call_by_names(classifier, settings.names)
    with ExitStack() as stack:
        answers = None if resume is None else stack.enter_context(AnswerFile(resume, classifier.identity))
        report = Report(len(targets), classifier.displayed_labels, as_json, answers)
        progress = stack.enter_context(progress_bar(MofNCompleteColumn()))
        task = progress.add_task("classifying", total=0, visible=False)

        def expect(more: int) -> None:
            report.expected += more
            progress.update(task, total=report.expected, visible=report.expected > 1)

        workers = settings.model.threads or None
        wants = None if answers is None else answers.wants
        photos = classify_all(classifier, targets, report.unreadable, expect, workers, wants)
        with closing(photos):
            for photo in photos:
                report.prediction(photo.prediction)
                if overlay is not None:
                    path = _overlay_path(overlay, photo, report.many)
                    _write_overlay(path, photo, default_overlay(classifier.gives))
                progress.update(task, completed=report.done)
    report.summary()
    return report.done > report.errors


def _overlay_path(wanted: Path, photo: "ClassifiedPhoto", many: bool) -> Path:
    """The file itself for one photo; for many photos a new file in that folder, named after the photo."""
    if not many and not wanted.is_dir():
        if wanted.exists() and photo.frame.path and wanted.samefile(photo.frame.path):
            raise UsageError(f"{wanted} is the photo itself; give the picture another name")
        return wanted
    if wanted.suffix:
        raise UsageError(f"--overlay {wanted} is one file for several photos; name a folder")
    wanted.mkdir(parents=True, exist_ok=True)
    name = f"{Path(photo.frame.path or 'photo').stem}-{photo.frame.seq}"
    path = wanted / f"{name}.png"
    for number in itertools.count(2):
        with suppress(FileExistsError):
            path.touch(exist_ok=False)
            break
        path = wanted / f"{name}-{number}.png"
    return path


def _write_overlay(path: Path, photo: "ClassifiedPhoto", kind: str) -> None:
    """Save the photo with an overlay of that kind."""
    from vitcam.pictures.encode import encode_by_ending
    from vitcam.pictures.overlay import draw_overlay

    drawn = draw_overlay(photo.frame.preview, photo.frame.crop, photo.prediction, kind)
    write_output(path, encode_by_ending(drawn, str(path)))
