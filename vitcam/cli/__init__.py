"""The `vitcam` command: one function per verb, no logic. Only this file prints errors."""

import logging
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from vitcam._version import __version__
from vitcam.cli.options import ConfigOption, JsonOption, SetOption
from vitcam.cli.service import service_app
from vitcam.config.settings import Emit, LogFormat, OverlayMode
from vitcam.errors import TOLD_ELSEWHERE, VitcamError
from vitcam.pictures.view import Flip
from vitcam.terminal.standard_streams import prepare_streams
from vitcam.text import printable
from vitcam.verbs.access import password, token_app
from vitcam.verbs.actions import actions_app
from vitcam.verbs.backup import backup, restore
from vitcam.verbs.config import config_app
from vitcam.verbs.events import events_app
from vitcam.verbs.models import models_app
from vitcam.verbs.replay import replay

if TYPE_CHECKING:
    from vitcam.config.load import EffectiveSettings
    from vitcam.config.settings import Settings


class Verbs(TyperGroup):
    """Lists the verbs in the order in which people come to need them."""

    ORDER = (
        *("run", "classify", "explain", "events", "replay", "models", "words"),
        *("doctor", "bench", "config", "actions", "service", "password", "token", "backup", "restore"),
    )

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all verbs; one that has no place in the order comes last."""
        names = super().list_commands(ctx)
        return [name for name in self.ORDER if name in names] + [name for name in names if name not in self.ORDER]


app = typer.Typer(
    cls=Verbs,
    help="A camera that says what it sees and shows where it looked.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(models_app, name="models")
app.add_typer(config_app, name="config")
app.add_typer(events_app, name="events")
app.add_typer(token_app, name="token")
app.add_typer(actions_app, name="actions")
app.command("password")(password)
app.command("backup")(backup)
app.command("restore")(restore)
app.command("replay")(replay)
app.add_typer(service_app, name="service")

ModelOption = Annotated[str | None, typer.Option("--model", "-m", help="Use this model: a name, or a .tflite file.")]
LabelsOption = Annotated[Path | None, typer.Option("--labels", help="Read the labels from this text file, one a line.")]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", help="Run the model on this many threads; 0 chooses by the cores.")
]
TopKOption = Annotated[int | None, typer.Option("--top-k", help="Show this many guesses.")]


def main() -> None:
    """Run the command line. Every error is one sentence on stderr, with the exit code of its class."""
    prepare_streams()
    try:
        app()
    except VitcamError as error:
        print(f"vitcam: {printable(str(error))}", file=sys.stderr)  # noqa: T201
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)  # as a shell reports it; a daemon has its own handler, and ends with 0
    except BrokenPipeError:  # `vitcam … | head`: the reader has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # the outermost function: a bug must not look like a crash
        _ensure_log()
        logging.getLogger("vitcam").exception("failed unexpectedly", extra=TOLD_ELSEWHERE)
        print(f"vitcam: failed unexpectedly, please report it: {printable(repr(error))}", file=sys.stderr)  # noqa: T201
        sys.exit(1)


def _ensure_log() -> None:
    """Start the log where an error came before `root` could do so."""
    if not logging.getLogger("vitcam").handlers:
        from vitcam.terminal.logs import start_logging

        start_logging()


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vitcam {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens inside, too.")] = False,
) -> None:
    """Start the log before any verb runs."""
    from vitcam.terminal.logs import start_logging

    start_logging(verbose)


@app.command()
def run(
    source: Annotated[
        str | None, typer.Option("--source", "-s", help="Take pictures from this camera, file, folder or `demo`.")
    ] = None,
    model: ModelOption = None,
    labels: LabelsOption = None,
    threads: ThreadsOption = None,
    fps: Annotated[float | None, typer.Option("--fps", help="Classify at most this many frames per second.")] = None,
    top_k: TopKOption = None,
    overlay: Annotated[OverlayMode | None, typer.Option("--overlay", help="Draw this over the preview.")] = None,
    crop: Annotated[
        str | None,
        typer.Option("--crop", metavar="X,Y,W,H", help="Give the model this part of the picture, in fractions or px."),
    ] = None,
    rotate: Annotated[
        int | None,
        typer.Option("--rotate", metavar="0|90|180|270", help="Turn pictures clockwise by this many degrees."),
    ] = None,
    flip: Annotated[Flip | None, typer.Option("--flip", help="Mirror pictures, after --rotate.")] = None,
    every: Annotated[
        str | None,
        typer.Option(
            "--every",
            metavar="TIME",
            help="Show each photo of a folder for this long, such as 3s, or ask the address of a picture this often.",
        ),
    ] = None,
    host: Annotated[
        str | None, typer.Option("--host", help="Serve on this address; 0.0.0.0 serves the whole network.")
    ] = None,
    port: Annotated[int | None, typer.Option("--port", help="Serve on this port; 0 takes any free one.")] = None,
    no_password: Annotated[
        bool, typer.Option("--no-password", help="Let everybody who reaches the address watch and change settings.")
    ] = False,
    no_web: Annotated[bool, typer.Option("--no-web", help="Serve no page and no HTTP interface.")] = False,
    realtime: Annotated[
        bool | None,
        typer.Option(
            "--realtime/--no-realtime",
            help="Play files at their own pace, photos as a slideshow. Default: not for photos without the page.",
        ),
    ] = None,
    loop: Annotated[
        bool | None,
        typer.Option(
            "--loop/--once",
            help="Start again at the end, or end there. By default a slideshow stays on its last photo.",
        ),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Start without the camera and keep trying to open it.")] = False,
    log: Annotated[LogFormat | None, typer.Option("--log", help="Choose what the console shows.")] = None,
    emit: Annotated[Emit | None, typer.Option("--emit", help="Choose which predictions are printed.")] = None,
    config: ConfigOption = None,
    sets: SetOption = None,
) -> None:
    """Classify what the camera sees, log it, and show it in a browser."""
    from vitcam.daemon.assembly import RunOptions
    from vitcam.daemon.supervisor import supervise

    flags: dict[str, object] = {
        "camera.source": source,
        "camera.crop": crop,
        "camera.rotate": rotate,
        "camera.flip": flip,
        "camera.every": every,
        "camera.ask_every": every,
        "model.name": model,
        "model.labels": None if labels is None else str(labels),
        "model.threads": threads,
        "model.fps": fps,
        "model.top_k": top_k,
        "overlay.mode": overlay,
        "web.host": host,
        "web.port": port,
        "web.open": True if no_password else None,
        "web.enabled": False if no_web else None,
        "log.format": log,
        "log.emit": emit,
    }
    effective = _effective(config, sets, flags)
    again = partial(_settings, config, sets, flags)
    options = RunOptions(effective.settings, again, effective.configured("model.name"), realtime, loop, wait)
    supervise(options, os.environ)


@app.command()
def classify(
    targets: Annotated[
        list[str],
        typer.Argument(metavar="IMAGE|FOLDER|GLOB|URL|-", help="Classify these photos; - reads one from stdin."),
    ],
    model: ModelOption = None,
    labels: LabelsOption = None,
    top_k: TopKOption = None,
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
    overlay: Annotated[
        Path | None, typer.Option("--overlay", help="Save the photo with the overlay here; for many photos, a folder.")
    ] = None,
) -> None:
    """Say what is on a photo, how sure the model is, and where it looked."""
    from vitcam.cli.classify import ClassifyRequest, classify_photos

    flags: dict[str, object] = {
        "model.name": model,
        "model.labels": None if labels is None else str(labels),
        "model.threads": threads,
        "model.top_k": top_k,
    }
    settings = _settings(None, None, flags)
    try:
        read_any = classify_photos(ClassifyRequest(targets, settings.model, as_json, overlay))
    except KeyboardInterrupt:
        os._exit(130)  # taking the interpreter down under threads that are inside OpenCV would abort the process
    if not read_any:
        raise typer.Exit(1)


@app.command()
def explain(
    photo: Annotated[
        Path,
        typer.Argument(
            metavar="PHOTO", help="Explain this photo. In a folder LABEL/, the answer is marked right or wrong."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the drawing to this .png or .jpg file.")],
    model: ModelOption = None,
    labels: LabelsOption = None,
    top_k: TopKOption = None,
    threads: ThreadsOption = None,
    opacity: Annotated[
        float, typer.Option("--opacity", help="Cover the photo this much at the hottest spot of a map, 0 to 1.")
    ] = 0.85,
) -> None:
    """Draw how the model came to its answer: input, patches, attention by head and block, rollout, guesses."""
    from vitcam.cli.explain import ExplainRequest, explain_photo

    flags: dict[str, object] = {
        "model.name": model,
        "model.labels": None if labels is None else str(labels),
        "model.threads": threads,
        "model.top_k": top_k,
    }
    explain_photo(ExplainRequest(photo, out, _settings(None, None, flags).model, opacity))


@app.command()
def doctor(as_json: JsonOption = False, config: ConfigOption = None, sets: SetOption = None) -> None:
    """Check camera, model, runtime, port and machine, and say how to repair what is wrong."""
    from vitcam.doctor.checks import any_failed, render, run_checks

    checks = run_checks(_settings(config, sets, {}))
    render(checks, as_json)
    if any_failed(checks):
        raise typer.Exit(1)


@app.command()
def bench(
    model: Annotated[str | None, typer.Argument(help="Use this model: a name, or a .tflite file.")] = None,
    threads: Annotated[
        str | None,
        typer.Option(
            "--threads", help="Measure with these numbers of threads, such as 1,2,4.", show_default="all cores"
        ),
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="Spend this many seconds on each measurement.")] = 3.0,
    labels: LabelsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of rows.")] = False,
) -> None:
    """Measure a model here: latency, what this machine could reach, and each stage around it."""
    from vitcam.benchmark.measure import BenchPlan, read_threads
    from vitcam.cli.bench import show_bench
    from vitcam.model.files import DEFAULT

    show_bench(BenchPlan(model or DEFAULT, read_threads(threads), seconds, labels), as_json)


@app.command()
def words(
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT]...", help="Tell pictures of these apart: 'a cat' 'a dog'. Default: show the words."
        ),
    ] = None,
    model: ModelOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change the words of a model whose labels are words, or show them."""
    from vitcam.cli.words import change, show

    if texts:
        change(_settings(None, None, {"model.name": model}).model.name, texts, as_json)
    else:
        show(_settings(None, None, {"model.name": model}).model.name, as_json)


def _settings(config: Path | None, sets: list[str] | None, flags: dict[str, object]) -> "Settings":
    return _effective(config, sets, flags).settings


def _effective(config: Path | None, sets: list[str] | None, flags: dict[str, object]) -> "EffectiveSettings":
    from vitcam.config.load import load

    return load(config, sets or [], flags, os.environ)
