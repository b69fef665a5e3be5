"""The `vitcam` command: a verb a function, no logic. Only this file prints errors."""

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam._version import __version__
from vitcam.config.settings import Emit, LogFormat, OverlayMode
from vitcam.errors import TOLD_ELSEWHERE, VitcamError
from vitcam.pictures.view import Flip
from vitcam.terminal.standard_streams import settle_streams
from vitcam.text import printable

if TYPE_CHECKING:
    from vitcam.config.load import Resolved
    from vitcam.config.settings import Settings

app = typer.Typer(
    help="A camera that says what it sees and shows where it looked.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
models_app = typer.Typer(help="The model files on this machine.", no_args_is_help=True)
config_app = typer.Typer(help="The configuration: where it comes from and whether it is sound.", no_args_is_help=True)
app.add_typer(models_app, name="models")
app.add_typer(config_app, name="config")

ModelOption = Annotated[str | None, typer.Option("--model", "-m", help="Name of a model, or a .tflite file.")]
LabelsOption = Annotated[Path | None, typer.Option("--labels", help="Text file with one label a line.")]
ThreadsOption = Annotated[int | None, typer.Option("--threads", help="Threads of XNNPACK; 0: chosen by cores.")]
TopKOption = Annotated[int | None, typer.Option("--top-k", help="How many guesses to show.")]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="Configuration file (TOML).")]
SetOption = Annotated[list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Set one value.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]


def main() -> None:
    """Run the command line; every refusal is one sentence on stderr and the exit code of its kind."""
    settle_streams()
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
    except Exception as error:  # the outermost frame: a bug must not look like a crash to its user
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
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say it.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens inside, too.")] = False,
) -> None:
    """Start the log before any verb runs."""
    from vitcam.terminal.logs import start_logging

    start_logging(verbose)


@app.command()
def run(
    source: Annotated[str | None, typer.Option("--source", "-s", help="Camera, file, folder or `demo`.")] = None,
    model: ModelOption = None,
    labels: LabelsOption = None,
    threads: ThreadsOption = None,
    fps: Annotated[float | None, typer.Option("--fps", help="Classify at most so many frames/s.")] = None,
    top_k: TopKOption = None,
    overlay: Annotated[OverlayMode | None, typer.Option("--overlay", help="What is drawn over the preview.")] = None,
    crop: Annotated[
        str | None, typer.Option("--crop", metavar="X,Y,W,H", help="What the model is shown: fractions, or px.")
    ] = None,
    rotate: Annotated[
        int | None, typer.Option("--rotate", metavar="0|90|180|270", help="Turn pictures clockwise, by degrees.")
    ] = None,
    flip: Annotated[Flip | None, typer.Option("--flip", help="Mirror pictures, after --rotate.")] = None,
    every: Annotated[
        str | None, typer.Option("--every", metavar="TIME", help="How long each photo of a folder is shown, as 3s.")
    ] = None,
    host: Annotated[str | None, typer.Option("--host", help="Address to serve on.")] = None,
    port: Annotated[int | None, typer.Option("--port", help="Port to serve on; 0: any free one.")] = None,
    no_web: Annotated[bool, typer.Option("--no-web", help="Serve nothing.")] = False,
    realtime: Annotated[
        bool | None,
        typer.Option(
            "--realtime/--no-realtime",
            help="Play files at their own pace, photos as a slideshow; photos without the page are not.",
        ),
    ] = None,
    loop: Annotated[
        bool | None,
        typer.Option(
            "--loop/--once",
            help="Begin again at the end; --once: end there. A slideshow otherwise stays on its last photo.",
        ),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Start without the camera and keep trying.")] = False,
    log: Annotated[LogFormat | None, typer.Option("--log", help="What the console shows.")] = None,
    emit: Annotated[Emit | None, typer.Option("--emit", help="Which predictions are printed.")] = None,
    config: ConfigOption = None,
    sets: SetOption = None,
) -> None:
    """Classify what the camera sees, log it, and show it in a browser."""
    from vitcam.daemon.supervisor import Run, supervise

    flags: dict[str, object] = {
        "camera.source": source,
        "camera.crop": crop,
        "camera.rotate": rotate,
        "camera.flip": flip,
        "camera.every": every,
        "model.name": model,
        "model.labels": None if labels is None else str(labels),
        "model.threads": threads,
        "model.fps": fps,
        "model.top_k": top_k,
        "overlay.mode": overlay,
        "web.host": host,
        "web.port": port,
        "web.enabled": False if no_web else None,
        "log.format": log,
        "log.emit": emit,
    }
    resolved = _resolved(config, sets, flags)
    wish = Run(resolved.settings, resolved.configured("model.name"), realtime=realtime, loop=loop, wait=wait)
    supervise(wish, os.environ)


@app.command()
def classify(
    targets: Annotated[list[str], typer.Argument(metavar="IMAGE|FOLDER|GLOB|URL|-", help="Photos; - reads stdin.")],
    model: ModelOption = None,
    labels: LabelsOption = None,
    top_k: TopKOption = None,
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
    overlay: Annotated[
        Path | None, typer.Option("--overlay", help="Save the photo with the attention; a folder for many photos.")
    ] = None,
) -> None:
    """Say what is on a photo, how sure the model is, and where it looked."""
    from vitcam.commands.classify.command import Request, classify_photos

    flags: dict[str, object] = {
        "model.name": model,
        "model.labels": None if labels is None else str(labels),
        "model.threads": threads,
        "model.top_k": top_k,
    }
    settings = _settings(None, None, flags)
    try:
        read_any = classify_photos(Request(targets, settings.model, as_json, overlay))
    except KeyboardInterrupt:
        os._exit(130)  # taking the interpreter down under threads that are inside OpenCV would abort the process
    if not read_any:
        raise typer.Exit(1)


@app.command()
def explain(
    photo: Annotated[Path, typer.Argument(metavar="PHOTO", help="One picture, in a folder LABEL/ if that is known.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The picture to write, .png or .jpg.")],
    model: ModelOption = None,
    labels: LabelsOption = None,
    top_k: TopKOption = None,
    threads: ThreadsOption = None,
    opacity: Annotated[float, typer.Option("--opacity", help="Of the hottest spot of a map, up to 1.")] = 0.85,
) -> None:
    """Draw how the model came to its answer: input, patches, attention by head and block, rollout, guesses."""
    from vitcam.explain.photo import Request, explain_photo

    flags: dict[str, object] = {
        "model.name": model,
        "model.labels": None if labels is None else str(labels),
        "model.threads": threads,
        "model.top_k": top_k,
    }
    explain_photo(Request(photo, out, _settings(None, None, flags).model, opacity))


@app.command()
def doctor(as_json: JsonOption = False, config: ConfigOption = None, sets: SetOption = None) -> None:
    """Check camera, model, runtime, port and machine, and say how to mend what is wrong."""
    from vitcam.commands.doctor import command as surgery

    checks = surgery.run_checks(_settings(config, sets, {}))
    surgery.render(checks, as_json)
    if surgery.any_failed(checks):
        raise typer.Exit(1)


@app.command()
def bench(
    model: Annotated[str | None, typer.Argument(help="Name of a model, or a .tflite file.")] = None,
    threads: Annotated[str | None, typer.Option("--threads", help="Such as 1,2,4.", show_default="all cores")] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="For each thing measured.")] = 3.0,
    labels: LabelsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="A list of rows on stdout.")] = False,
) -> None:
    """Measure a model here: latency, what this machine could reach, and each stage around it."""
    from vitcam.benchmark.measure import Plan, read_threads
    from vitcam.commands.bench import show_bench
    from vitcam.model.find import DEFAULT

    show_bench(Plan(model or DEFAULT, read_threads(threads), seconds, labels), as_json)


@models_app.command("list")
def models_list(as_json: JsonOption = False) -> None:
    """Every model that can be named by --model."""
    from vitcam.commands.models import show_list

    show_list(as_json)


@models_app.command("show")
def models_show(name: str, as_json: JsonOption = False) -> None:
    """What a model is, what was measured of it, and what runs it here."""
    from vitcam.commands.models import show_card

    show_card(name, as_json)


@models_app.command("verify")
def models_verify(name: str, as_json: JsonOption = False) -> None:
    """Ask a model the images whose answers it carries."""
    from vitcam.commands.models import show_verification

    if not show_verification(name, as_json):
        raise typer.Exit(1)


@config_app.command("show")
def config_show(config: ConfigOption = None, sets: SetOption = None, as_json: JsonOption = False) -> None:
    """Every setting, its value, and where that came from."""
    from vitcam.commands.config import show_settings

    show_settings(config, sets or [], as_json)


@config_app.command("check")
def config_check(config: ConfigOption = None, sets: SetOption = None, as_json: JsonOption = False) -> None:
    """Whether the daemon would accept the configuration."""
    from vitcam.commands.config import check_settings

    check_settings(config, sets or [], as_json)


@config_app.command("schema")
def config_schema() -> None:
    """The JSON Schema of the configuration file."""
    from vitcam.commands.config import show_schema

    show_schema()


def _settings(config: Path | None, sets: list[str] | None, flags: dict[str, object]) -> "Settings":
    return _resolved(config, sets, flags).settings


def _resolved(config: Path | None, sets: list[str] | None, flags: dict[str, object]) -> "Resolved":
    from vitcam.config.load import load

    return load(config, sets or [], flags, os.environ)
