"""`vitcam models …`, and how much memory a daemon takes with a model.

`python -m tests.bench.memory` measures what is estimated here of the memory.
"""

import json
import math
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vitcam.cli.options import ConfigOptions, JsonOption, LabelsOption, StateOptions, model_names, write_state
from vitcam.cli.part_verbs import PartVerbs
from vitcam.errors import ConfigError, ModelError, UsageError, VitcamError
from vitcam.folders import state_folder
from vitcam.model.files import find_model, list_models, model_folders
from vitcam.terminal.consoles import stderr_console, stdout_console
from vitcam.terminal.verbs import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vitcam.frames import Image
    from vitcam.model.card import ModelCard
    from vitcam.model.golden import GoldenResult


class ModelVerbs(PartVerbs):
    """Those of `vitcam models`."""

    verb = "models"


models = typer.Typer(cls=ModelVerbs, help="Show and check the model files on this machine.", no_args_is_help=True)

NameArgument = Annotated[
    str, typer.Argument(help="Take this model: a name, or a .tflite file.", autocompletion=model_names)
]

# a file that is damaged is not loaded
_UNCHANGED = "ok   the graph and the golden images are byte for byte as they were written"
_UNCHECKED = "?    the graph may be damaged: the file carries no checksum of it; export the model again to have one"
_SHOWN_NAMES = 120  # labels or groups
_FIRST = ("name", "description", "right", "memory", "fits_a_Pi_of", "input", "licence", "labels", "groups")
"""What most people want to know of a model; the rest is for those who compare networks."""
_IN_A_PIPE = 80  # columns
LIBRARIES_MB = 62.0
"""Of the code of Python and the packages, as much as is usually resident. The kernel keeps more or less of it."""
_DAEMON_MB = 80.0 + LIBRARIES_MB
"""Resident, with one viewer and a model of no size: Python, the packages, frames and JPEG pictures."""
_COPIES = 5.6
"""Of the file's bytes. They are kept once for the answer and once for the answer with attention. Each of two
interpreters (for the camera, and for photos that are sent) arranges the weights in XNNPACK's order."""
_SYSTEM_MB = 400.0
"""Left to Raspberry Pi OS without a desktop, the firmware and the camera's process; assumed, not measured."""
_PIS_GB = (1, 2, 4, 8, 16)


@models.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List every model that --model can name."""
    from rich.table import Table

    heads = ("model", "labels", "input", "right", "memory", "fits a Pi of", "file")
    console, table = stdout_console(), Table(*heads, box=None)
    older: list[tuple[str, str]] = []
    used = _next_used()
    for name, path in list_models().items():
        row = _row(name, path) | {"in_use": used in (name, str(path))}
        if as_json:
            console.print_json(json.dumps({"name": name, "file": str(path), **row}), indent=None)
        else:
            right = "" if row["top1"] is None else f"{row['top1']:.1%} of {row['n']:,}"
            table.add_row(
                f"{name} (in use)" if row["in_use"] else name,
                str(row["labels"]),
                row["input"],
                right,
                *_memory(row),
                str(path),
            )
            if row["older_than_base"]:
                older.append((name, row["base"]))
    if not as_json:
        console.print(table, soft_wrap=False)
    for name, base in older:
        note = f"{name} was taught on another {base} than the one here. It works as before; teach its photos again to"
        stderr_console().print(f"Note: {note} build on this one.", highlight=False, soft_wrap=True)


@models.command()
def show(name: NameArgument, labels: LabelsOption = None, as_json: JsonOption = False) -> None:
    """Show what a model is, how it was measured, and what runs it here."""
    from rich.table import Table

    from vitcam.model.classifier import Classifier
    from vitcam.model.foreign_outputs import MEANING
    from vitcam.model.record import model_info, model_record

    classifier = Classifier(name, labels=labels)
    record = model_record(model_info(classifier))
    console = stdout_console()
    if as_json:
        console.print_json(json.dumps(record | _needs(classifier.path)), indent=None)
        return
    table = Table(show_header=False, box=None)
    record["memory"], record["fits_a_Pi_of"] = _memory(_needs(classifier.path))
    record["groups"] = [group["name"] for group in record["groups"]]
    record["outputs"] = MEANING[classifier.outputs]
    record["right"] = _right(classifier.card.headline)
    for key in (*_FIRST, *(key for key in record if key not in _FIRST)):
        value = record[key]
        table.add_row(key.replace("_", " "), _names(value) if key in ("labels", "groups") else _plain(value))
    in_a_pipe = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    console.print(table, soft_wrap=False, width=_IN_A_PIPE if in_a_pipe else None)


@models.command()
def verify(name: NameArgument, as_json: JsonOption = False) -> None:
    """Check a model with its golden images: that it answers as its file says, and that this is what they show."""
    from vitcam.model.classifier import Classifier

    classifier = Classifier(name)
    results = classifier.verify()
    if not results:
        raise ModelError(
            f"{classifier.path} carries no golden images to verify it with; vitcam-train export takes them from a "
            "folder by --golden"
        )
    console, checksum = stdout_console(), classifier.card.graph_sha256
    for result in results:
        if as_json:
            expected, found = result.expected and result.expected.label, result.found
            record = {"image": result.name, "ok": result.ok, "expected": expected, "found": found.label, "p": found.p}
            record |= {"known": result.known, "shown": result.shown, "true": result.true or None}
            record |= {"graph_sha256": checksum or None}
            console.print_json(json.dumps(record), indent=None)
        else:
            word = "ok  " if result.ok else "FAIL"
            console.print(f"{word} {result.name}: {result.answer}, expected {result.right_answer}{_truth(result)}")
    if not as_json:
        console.print(_UNCHANGED if checksum else _UNCHECKED)
    if not all(result.ok for result in results):
        raise typer.Exit(1)


@models.command()
def card(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Describe this .tflite classifier, which has no card.")],
    labels: LabelsOption = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Give the model this name. Default: that of the file.")
    ] = "",
    photos: Annotated[
        Path | None,
        typer.Option(
            "--photos",
            metavar="DIR",
            help="Measure on LABEL/photo.jpg in this folder, and choose the threshold by it. The model must not have "
            "been trained on these photos.",
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold", min=0, max=1, help="Display names from this probability on. 0: as the photos say, else 0.5."
        ),
    ] = 0.0,
    mean: Annotated[
        str, typer.Option("--mean", metavar="M[,M,M]", help="The network was trained with (level - mean) / std.")
    ] = "",
    std: Annotated[str, typer.Option("--std", metavar="S[,S,S]", help="The std of that.")] = "",
    description: Annotated[str, typer.Option("--description", metavar="TEXT", help="What the model is.")] = "",
    licence: Annotated[str, typer.Option("--licence", metavar="TEXT", help="The licence of the model.")] = "",
    trained_on: Annotated[
        str, typer.Option("--trained-on", metavar="TEXT", help="The photos that it was trained on, and their licence.")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write this file. Default: where this user's models lie, by its name."
        ),
    ] = None,
) -> None:
    """Make a card for a classifier of others, so that it can be used by its name."""
    from vitcam.model.foreign_card import Given, labels_of, write_described
    from vitcam.storage.owner import owned

    given = Given(
        name or file.stem, labels_of(labels), _numbers("--mean", mean), _numbers("--std", std), threshold,
        description, licence, trained_on,
    )  # fmt: skip
    if len(given.mean) != len(given.std) or 0 in given.std:
        raise UsageError("--mean and --std take one number each, or three each; no --std is 0")
    place = out or model_folders()[0] / f"{given.name}.tflite"
    try:
        with owned(place.parent).acting() as folder:
            folder.mkdir(parents=True, exist_ok=True)
            made = write_described(file, given, _photos(photos) if photos else (), folder / place.name)
    except OSError as error:
        raise VitcamError(f"{place} cannot be written: {error.strerror}; name another file, or make room") from error
    for line in _described(made):
        stdout_console().print(line, markup=False, highlight=False, soft_wrap=True)
    stdout_console().print(f"wrote {place}", markup=False, highlight=False, soft_wrap=True)


@models.command()
@grouped
def use(name: NameArgument, *, state: StateOptions, config: ConfigOptions) -> None:
    """Use a model from now on: the running daemon takes it between two frames."""
    from vitcam.config.settings import labels_in
    from vitcam.daemon.model import run_model
    from vitcam.daemon.saved_state.page_settings import PageSettings, initial_names
    from vitcam.model.labels import unknown_labels
    from vitcam.run_model import vocabulary_of
    from vitcam.slot import Current
    from vitcam.storage.lock import holder_of

    effective = config.merge()
    if given := effective.given("model.name"):
        raise UsageError(f"the model is set by {given}; change it there")
    place = state.owned_folder()
    own = place.folder / "models" / f"{name}.tflite"  # of the service, whose folder this user does not search
    found = str(own) if own.is_file() else name
    model = run_model(replace(effective.settings.model, name=found, labels=""))
    names = initial_names(effective.settings.names, PageSettings(place.folder))
    for sentence in unknown_labels(labels_in(effective.settings), vocabulary_of(Current(model), names).known):
        stderr_console().print(f"Note: {sentence}.")

    def save(folder: Path) -> None:
        if reason := PageSettings(folder).save_model(name):
            raise VitcamError(reason)

    write_state(place, lambda folder: folder / "settings.toml", save)
    stderr_console().print(_told(name, holder_of(place.folder)))


@models.command()
@grouped
def delete(name: NameArgument, *, state: StateOptions, config: ConfigOptions) -> None:
    """Delete a model that was taught on this machine, for good."""
    from vitcam.daemon.model import LastModel
    from vitcam.daemon.saved_state.page_settings import PageSettings
    from vitcam.model.installed import delete_taught
    from vitcam.storage.lock import holder_of

    place = state.owned_folder()
    own = place.folder / "models" / f"{name}.tflite"  # of the service, whose folder this user does not search
    path = own if own.is_file() else find_model(name)
    last = LastModel(place.folder).path if holder_of(place.folder) is not None else None
    used = [config.merge().settings.model.name, PageSettings(place.folder).model, str(last or "")]
    is_used = any(each == path.stem or (each and Path(each).resolve() == path.resolve()) for each in used)

    def remove(folder: Path) -> None:
        delete_taught(folder / "models" / own.name if path == own else path, "in use" if is_used else "")

    write_state(place, lambda _: path, remove)
    stderr_console().print(f"{path.stem} is deleted.", highlight=False)


def _numbers(option: str, text: str) -> tuple[float, ...]:
    """Raises UsageError."""
    try:
        found = tuple(map(float, text.split(","))) if text else ()
    except ValueError:
        found = (0.0, 0.0)
    if len(found) not in (0, 1, 3) or not all(map(math.isfinite, found)):
        raise UsageError(f"{option} is {text[:40]!r}; give one number, or three with commas between them")
    return found


def _photos(folder: Path) -> "Iterator[tuple[str, Image]]":
    """Label and picture of each photo of a tree. Raises UsageError for one that cannot be read, and for none."""
    from vitcam.pictures.decode import decode_image
    from vitcam.pictures.photo_tree import placed
    from vitcam.sources.images import bytes_of

    paths = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []
    found = placed([path.relative_to(folder).parts for path in paths])
    labelled = [(photo.label, path) for photo, path in zip(found, paths, strict=True) if photo.label]
    if not labelled:
        raise UsageError(f"{folder} holds no LABEL/photo.jpg")
    for label, path in labelled:
        try:
            yield label, decode_image(bytes_of(str(path)))
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from error


def _described(card: "ModelCard") -> "Iterator[str]":
    """What the card says, in sentences."""
    from vitcam.interval import wilson

    yield f"{card.name} takes {card.input.width}×{card.input.height} px and gives {card.scores}"
    if not card.accuracy:
        yield f"names are displayed from {card.threshold:.0%} on; no photo was given to measure that"
        return
    n, right = card.accuracy["n"], card.accuracy["top1"]
    low, high = wilson(round(right * n), n)
    yield f"right: {right:.1%} of {n:,} photos (95 % interval {low:.1%} to {high:.1%})"
    shown, wrong = card.accuracy["displayed_right"], card.accuracy["displayed_wrong"]
    yield f"displayed from {card.threshold:.0%} on: {shown:.1%} right, {wrong:.1%} wrong"


def _next_used() -> str:
    """The name or file of the model that this user's next run takes; empty where the configuration has a fault."""
    from vitcam.daemon.saved_state.page_settings import PageSettings

    try:
        effective = ConfigOptions().merge()
    except ConfigError:
        return ""
    chosen = "" if effective.given("model.name") else PageSettings(state_folder(os.environ)).model
    return chosen or effective.settings.model.name


def _truth(result: "GoldenResult") -> str:
    """What the picture shows, and what is displayed where that is something else."""
    if not result.true:
        return ""
    said = "" if result.right else f", and what is displayed is {result.shown or 'nothing'}"
    return f"; it shows {result.true}{said}"


def _told(name: str, daemon: int | None) -> str:
    """Tell the daemon that runs, if one does; the sentence about it."""
    if daemon is None:
        return f"The next run uses {name}."
    try:
        os.kill(daemon, signal.SIGHUP)
    except PermissionError:
        return f"The next run uses {name}. For the one that runs now: `sudo systemctl reload vitcam`."
    except ProcessLookupError:
        return f"The next run uses {name}."
    return f"The vitcam that runs takes {name} now."


def daemon_mb(file_bytes: int) -> float:
    """The resident memory of `vitcam run`, in MB of 2^20 bytes.

    file_bytes  the size of the model file
    """
    return _DAEMON_MB + _COPIES * file_bytes / 2**20


def fitting_pis_gb(file_bytes: int) -> tuple[int, ...]:
    """The sizes of memory, in GB, of the Raspberry Pis that can run the model beside their system.

    file_bytes  the size of the model file
    """
    needed_mb = daemon_mb(file_bytes) + _SYSTEM_MB
    return tuple(size for size in _PIS_GB if needed_mb <= size * 1024)


def _row(name: str, path: Path) -> dict[str, Any]:
    """Of the list; for a file that cannot be read, the reason."""
    from vitcam.model.bundle import read
    from vitcam.model.installed import base_of, is_older_than_base

    nothing = {"labels": 0, "input": "", "top1": None, "n": None, "data": None, "memory_mb": None, "fits_gb": []}
    nothing |= {"base": "", "older_than_base": False}
    try:
        bundle = read(find_model(name))
        found = nothing | _needs(path)
    except (ModelError, OSError) as error:
        return nothing | {"error": str(error)}
    if bundle is None:
        return found
    size = f"{bundle.card.input.width}×{bundle.card.input.height}"
    figures = {key: bundle.card.headline.get(key) for key in ("top1", "n", "data")}
    base = base_of(bundle.card)
    try:
        older = is_older_than_base(bundle)
    except (ModelError, OSError):
        older = False  # the row of the base says what is wrong with it
    return found | {"labels": len(bundle.labels), "input": size, "base": base, "older_than_base": older, **figures}


def _needs(path: Path) -> dict[str, Any]:
    from vitcam.model.bundle import bank_bytes

    size = path.stat().st_size - bank_bytes(path)
    return {"memory_mb": round(daemon_mb(size)), "fits_gb": fitting_pis_gb(size)}


def _memory(row: dict[str, Any]) -> tuple[str, str]:
    """For people: how much, and the smallest Raspberry Pi that has it."""
    if row["memory_mb"] is None:
        return "", ""
    return f"{row['memory_mb']:,} MB", f"{row['fits_gb'][0]} GB and more" if row["fits_gb"] else "none"


def _right(figures: dict[str, Any]) -> str:
    """The figure that people ask for first, and on what it was taken."""
    if taught := figures.get("taught"):
        return f"of the taught labels {_right(taught)}"
    if "top1" not in figures:
        return "not measured"
    kind = "held-out" if figures.get("split") != "cross-validated" else "cross-validated"
    return f"{figures['top1']:.1%} of {figures['n']:,} {kind} photos ({figures['data']})"


def _names(names: list[str]) -> str:
    rest = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    return f"{len(names)}: {', '.join(names[:_SHOWN_NAMES])}{rest}" if names else "none"


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return "; ".join(_plain(inner) for inner in value)
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)
