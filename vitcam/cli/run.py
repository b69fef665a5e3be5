"""`vitcam run`."""

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.cli.options import MODEL, ConfigOptions, LabelsOption, ModelOption, ThreadsOption, TopKOption, option_of
from vitcam.config.load import EffectiveSettings
from vitcam.config.settings import Emit, LogFormat, OverlayMode
from vitcam.errors import ModelError
from vitcam.folders import state_folder
from vitcam.parts import before_run
from vitcam.pictures.view import Flip, Follow
from vitcam.terminal.verbs import grouped

if TYPE_CHECKING:
    from vitcam.daemon.model import LoadedAhead

log = logging.getLogger(__name__)

_PICTURES, _PAGE, _CONSOLE = "Pictures", "Page", "Console"
"""Groups of `--help`, beside those that the options bring which several verbs take."""


def source_names(incomplete: str) -> list[str]:
    """The sources that begin like what was typed, for a shell that completes it; files are left to the shell."""
    names = ["demo", "picamera", *map(str, sorted(Path("/dev").glob("video[0-9]*")))]
    return [name for name in names if name.startswith(incomplete)]


@grouped
def run(
    source: Annotated[
        str | None,
        option_of(
            "camera.source",
            *("--source", "-s"),
            says="Take pictures from this camera, file, folder or `demo`. Without it: the first camera.",
            group=_PICTURES,
            autocompletion=source_names,
        ),
    ] = None,
    crop: Annotated[
        str | None,
        option_of(
            "camera.crop",
            "--crop",
            metavar="X,Y,W,H",
            says="Give the model this part of the picture, in fractions or px.",
            group=_PICTURES,
        ),
    ] = None,
    follow: Annotated[
        Follow | None,
        option_of("look.follow", "--follow", says="Look at what moves, too, or not.", group=_PICTURES),
    ] = None,
    rotate: Annotated[
        int | None,
        option_of(
            "camera.rotate",
            "--rotate",
            metavar="0|90|180|270",
            says="Turn pictures clockwise by this many degrees.",
            group=_PICTURES,
        ),
    ] = None,
    flip: Annotated[
        Flip | None, option_of("camera.flip", "--flip", says="Mirror pictures, after --rotate.", group=_PICTURES)
    ] = None,
    every: Annotated[
        str | None,
        option_of(
            "camera.every",
            "--every",
            metavar="TIME",
            says="Ask the address of a picture this often (each second if nothing is given), or show each photo of a "
            "folder for this long.",
            group=_PICTURES,
        ),
    ] = None,
    realtime: Annotated[
        bool | None,
        typer.Option(
            "--realtime/--no-realtime",
            help="Play files at their own pace, photos as a slideshow. Default: not for photos without the page.",
            rich_help_panel=_PICTURES,
        ),
    ] = None,
    loop: Annotated[
        bool | None,
        typer.Option(
            "--loop/--once",
            help="Start again at the end, or end there. By default a slideshow stays on its last photo.",
            rich_help_panel=_PICTURES,
        ),
    ] = None,
    wait: Annotated[
        bool,
        typer.Option("--wait", help="Start without the camera and keep trying to open it.", rich_help_panel=_PICTURES),
    ] = False,
    model: ModelOption = None,
    labels: LabelsOption = None,
    threads: ThreadsOption = None,
    fps: Annotated[
        float | None,
        option_of("model.fps", "--fps", says="Classify at most this many frames per second; 0: no limit.", group=MODEL),
    ] = None,
    top_k: TopKOption = None,
    host: Annotated[
        str | None,
        option_of("web.host", "--host", says="Serve on this address; 0.0.0.0 serves the whole network.", group=_PAGE),
    ] = None,
    port: Annotated[
        int | None, option_of("web.port", "--port", says="Serve on this port; 0 takes any free one.", group=_PAGE)
    ] = None,
    no_password: Annotated[
        bool,
        typer.Option(
            "--no-password",
            help="Let everybody who reaches the address watch and change settings.",
            rich_help_panel=_PAGE,
        ),
    ] = False,
    no_web: Annotated[
        bool, typer.Option("--no-web", help="Serve no page and no HTTP interface.", rich_help_panel=_PAGE)
    ] = False,
    overlay: Annotated[
        OverlayMode | None, option_of("overlay.mode", "--overlay", says="Draw this over the preview.", group=_PAGE)
    ] = None,
    log: Annotated[
        LogFormat | None, option_of("log.format", "--log", says="Choose what the console shows.", group=_CONSOLE)
    ] = None,
    emit: Annotated[
        Emit | None, option_of("log.emit", "--emit", says="Choose which predictions are printed.", group=_CONSOLE)
    ] = None,
    *,
    config: ConfigOptions,
) -> None:
    """Classify what the camera sees, log it, and show it in a browser."""
    _let_parts_prepare()
    from vitcam.processes.resources import let_garbage_lie, switch_threads_often, use_one_heap

    let_garbage_lie()  # until all is loaded
    use_one_heap()  # before what is imported next starts threads
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
        "look.follow": follow,
        "overlay.mode": overlay,
        "web.host": host,
        "web.port": port,
        "web.open": True if no_password else None,
        "web.enabled": False if no_web else None,
        "log.format": log,
        "log.emit": emit,
    }
    effective = config.load(flags)
    switch_threads_often()
    ahead = _loaded_ahead(effective)
    try:
        # imported while the model is loaded
        from vitcam.daemon.daemon import RunOptions
        from vitcam.daemon.supervisor import supervise

        options = RunOptions(
            effective.settings,
            lambda: config.load(flags).settings,
            effective.configured("model.name"),
            effective.given("model.name"),
            realtime=realtime,
            loop=loop,
            wait=wait,
            is_set_up=bool(effective.configured("camera.source")) or "camera.source" in effective.page,
            layers=lambda page: config.merge(page, flags),
            of_page=effective.page,
            ahead=ahead,
        )
        supervise(options, os.environ)
    finally:
        if ahead is not None:
            ahead.close()


def _let_parts_prepare() -> None:
    for sentence in before_run(os.environ):
        log.warning("%s", sentence)


def _loaded_ahead(effective: EffectiveSettings) -> "LoadedAhead | None":
    """The model of the settings, which is loaded from now on; None where it has to wait.

    Only a model that came with vitcam is loaded ahead. What the page may have chosen or written waits until the start
    has been counted: if it crashes each start, it is set aside.
    """
    from vitcam.daemon.model import LoadedAhead
    from vitcam.daemon.saved_state.page_settings import PageSettings
    from vitcam.model.files import find_model, shipped_folders

    settings = effective.settings.model
    if not effective.given("model.name") and PageSettings(state_folder(os.environ)).model:
        return None
    try:
        found = find_model(settings.name)
    except ModelError:  # it is refused with its reason later
        return None
    return LoadedAhead(settings) if found.parent in shipped_folders() else None
