"""`vitcam replay`: options and help."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.cli.options import ConfigOption, JsonOption, ServiceOption, SetOption

if TYPE_CHECKING:
    from vitcam.config.load import EffectiveSettings


def replay(
    target: Annotated[
        str,
        typer.Argument(
            metavar="ID|BUNDLE|VIDEO", help="Replay this event, this bundle of an event, or this video file."
        ),
    ],
    rules: Annotated[
        Path | None,
        typer.Option("--rules", metavar="FILE", help="Replay a video with the zones and rules of this configuration."),
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            metavar="FILE.zip",
            help="Write the event, its picture and the settings into one file to pass on.",
        ),
    ] = None,
    at: Annotated[
        str,
        typer.Option("--at", metavar="HH:MM", help="Take the video to begin at this time, for rules with `between`."),
    ] = "12:00",
    overlay: Annotated[
        Path | None, typer.Option("--overlay", metavar="FILE", help="Write the picture of the event with its overlay.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="Take this model: a name, or a .tflite file.")
    ] = None,
    service: ServiceOption = False,
    as_json: JsonOption = False,
    config: ConfigOption = None,
    sets: SetOption = None,
) -> None:
    """Ask the model about the picture of a stored event once more, or say what happens in a video.

    The exit code is 1 if the model gives another answer than the one that was stored.
    """
    if _is_video(target):
        from vitcam.cli.rehearsal import show_events, time_of_day
        from vitcam.replay.rehearsal import rehearse

        settings = _effective(rules or config, sets, {"model.name": model}).settings
        show_events(rehearse(Path(target), settings, time_of_day(at)), as_json)
        return
    from vitcam.cli.replay import ReplayRequest, replay_event

    request = ReplayRequest(target, model or "", overlay, bundle, service, as_json)
    if not replay_event(request, _effective(rules or config, sets, {})):
        raise typer.Exit(1)


def _is_video(target: str) -> bool:
    """Whether it is neither the id of an event nor a bundle."""
    from vitcam.replay.bundle import BUNDLE
    from vitcam.replay.stored_picture import is_id

    return not (is_id(target) or target.endswith(BUNDLE))


def _effective(config: Path | None, sets: list[str] | None, flags: dict[str, object]) -> "EffectiveSettings":
    from vitcam.config.load import load

    return load(config, sets or [], flags, os.environ)
