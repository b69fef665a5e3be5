"""`vitcam run`."""

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.cli.options import ConfigOptions, LabelsOption, ModelOption, ThreadsOption, TopKOption
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


def source_names(incomplete: str) -> list[str]:
    """The sources that begin like what was typed, for a shell that completes it; files are left to the shell."""
    names = ["demo", "picamera", *map(str, sorted(Path("/dev").glob("video[0-9]*")))]
    return [name for name in names if name.startswith(incomplete)]


@grouped
def run(
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            "-s",
            help="Take pictures from this camera, file, folder or `demo`.",
            autocompletion=source_names,
        ),
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
    follow: Annotated[Follow | None, typer.Option("--follow", help="Look at what moves, too, or not.")] = None,
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
        from vitcam.daemon.parts import RunOptions
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
