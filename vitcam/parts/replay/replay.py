"""`vitcam replay`."""

import json
from collections.abc import Iterable
from datetime import datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vitcam.cli.options import ConfigOptions, JsonOption, ServiceOption, StateOptions, model_names, write_output
from vitcam.errors import UsageError
from vitcam.terminal.consoles import stderr_console, stdout_console
from vitcam.terminal.verbs import grouped

if TYPE_CHECKING:
    from vitcam.frames import Event, Image
    from vitcam.model.classifier import Classifier
    from vitcam.names.wanted import WantedNames
    from vitcam.parts.replay.agreement import Agreement
    from vitcam.parts.replay.film import WouldAct
    from vitcam.parts.replay.stored_picture import StoredPicture


@grouped
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
        str | None,
        typer.Option("--model", "-m", help="Take this model: a name, or a .tflite file.", autocompletion=model_names),
    ] = None,
    service: ServiceOption = False,
    as_json: JsonOption = False,
    *,
    given: ConfigOptions,
) -> None:
    """Ask the model about the picture of a stored event once more, or say what happens in a video.

    The exit code is 1 if the model gives another answer than the one that was stored.
    """
    from vitcam.parts.replay.bundle import BUNDLE, write_bundle
    from vitcam.parts.replay.stored_picture import is_id

    config, is_bundle = ConfigOptions(rules or given.config, given.sets), target.endswith(BUNDLE)
    if not (is_bundle or is_id(target)):
        from vitcam.parts.replay.film import follows, replay_video

        settings = config.load({"model.name": model}).settings
        if follows(settings):
            said = "What moves is followed again in this video: boxes are not those of the run that recorded it."
            stderr_console().print(said, markup=False, highlight=False)
        _show_events(replay_video(Path(target), settings, _time_of_day(at)), as_json)
        return
    from vitcam.names.active import ActiveNames
    from vitcam.parts.replay.agreement import judge
    from vitcam.parts.replay.bundle import public_settings, versions
    from vitcam.parts.replay.stored_picture import open_model

    effective = config.load({})
    if bundle is not None and is_bundle:
        raise UsageError(f"{target} is a bundle already; --bundle takes the id of an event")
    stored, record, picture, page = _read(target, service)
    labels = effective.settings.model.labels
    classifier = open_model(stored, model or "", Path(labels) if labels else None)
    classifier.call_by(ActiveNames(effective.settings.names.wanted, page))
    agreement = judge(stored, picture, classifier.classify_part(picture, stored.crop, "replay"))
    if overlay is not None:
        _save_overlay(overlay, agreement)
    if bundle is not None:
        documents = {"event": record, "settings": public_settings(effective), "versions": versions(classifier)}
        write_bundle(bundle, stored, documents)
        stderr_console().print(f"wrote {bundle}: it shows the picture and the settings, without passwords")
    _show(stored, classifier, agreement, as_json)
    if agreement.match == "none":
        raise typer.Exit(1)


def _read(target: str, service: bool) -> "tuple[StoredPicture, dict[str, object], Image, WantedNames]":
    """The event, its record, its picture, and the names that were set on the page of the run that has seen it.

    Nothing in a bundle is trusted, nor what root reads of somebody else: a child process decodes such a picture.
    """
    from vitcam.daemon.saved_state.page_settings import PageSettings
    from vitcam.history.store import EventStore
    from vitcam.names.wanted import NOTHING_WANTED
    from vitcam.parts.replay.bundle import BUNDLE, read_bundle
    from vitcam.parts.replay.stored_picture import checked_picture, stored_picture
    from vitcam.pictures.decode import decode_image

    if target.endswith(BUNDLE):
        stored = read_bundle(Path(target))
        return stored, {}, _decoded(stored), NOTHING_WANTED
    place = StateOptions(service).owned_folder()
    with place.acting() as folder:
        stored, record = stored_picture(EventStore(folder), target)
        page = PageSettings(folder).names
    if place.owner is None:
        return stored, record, checked_picture(stored, decode_image(stored.jpeg)), page
    return stored, record, _decoded(stored), page


def _decoded(stored: "StoredPicture") -> "Image":
    from vitcam.parts.replay.stored_picture import checked_picture
    from vitcam.pictures.decoder.process import DecodeProcess

    decode = DecodeProcess()
    try:
        return checked_picture(stored, decode(stored.jpeg).image)
    finally:
        decode.close()


def _save_overlay(path: Path, agreement: "Agreement") -> None:
    from vitcam.pictures.encode import encode_by_ending

    if agreement.overlay is None:
        raise UsageError("the model gives no evidence, so there is no overlay to write")
    data = encode_by_ending(agreement.overlay, path.name)
    write_output(path, data)


def _show(stored: "StoredPicture", classifier: "Classifier", agreement: "Agreement", as_json: bool) -> None:
    from vitcam.model.golden import GOLDEN_TOLERANCE

    console, best = stdout_console(), stored.top[0]
    if as_json:
        record = {
            "type": "replay",
            "id": stored.id,
            "label": stored.label,
            "match": agreement.match,
            "differences": list(agreement.differences),
            "frame_of": stored.frame_of or None,
            "box": stored.box or None,
            "model": classifier.card.name,
            "fingerprint": classifier.fingerprint,
        }
        console.print_json(json.dumps(record), indent=None)
        return
    sentences = {
        "exact": "guesses and overlay are the same, bit for bit",
        "close": f"the best guess is the same within {GOLDEN_TOLERANCE}, as on another processor or runtime",
        "none": "the answer is another one",
    }
    said = f"{stored.id}  {stored.start}  {stored.label}  (best guess at the picture: {best.label} {best.p:.3f})"
    shared = (f"its picture is that of event {stored.frame_of}, which looked the same",) if stored.frame_of else ()
    part = (f"the picture is that of its box, {stored.box}",) if stored.box else ()
    for line in (said, *shared, *part, sentences[agreement.match], *agreement.differences):
        console.print(line, markup=False, highlight=False)


def _time_of_day(text: str) -> datetime:
    """Today at `HH:MM`, local time. Raises UsageError."""
    try:
        return datetime.combine(datetime.now().date(), time.fromisoformat(text))
    except ValueError as error:
        raise UsageError(f"--at is {text!r}; give a time of the day such as 22:30") from error


def _show_events(told: "Iterable[Event | WouldAct]", as_json: bool) -> None:
    """Print each event once it has ended, and each rule when it would act, with times in the video."""
    from vitcam.frames import Event

    console, count = stdout_console(), 0
    for each in told:
        if isinstance(each, Event) and each.phase != "end":
            continue
        count += isinstance(each, Event)
        if as_json:
            console.print_json(json.dumps(_record(each) if isinstance(each, Event) else _action(each)), indent=None)
        else:
            console.print(_line(each), markup=False, highlight=False)
    if not as_json:
        console.print(f"{count} events", markup=False, highlight=False)


def _line(told: "Event | WouldAct") -> str:
    from vitcam.parts.replay.film import WouldAct

    if isinstance(told, WouldAct):
        rule, event = told.firing.rule, told.firing.event
        return f"{_clock(told.at_ns)}            rule {rule.name} would act on {_name(event)}: {', '.join(rule.kinds)}"
    end_ns = told.start_ns if told.end_ns is None else told.end_ns
    where = " ".join(filter(None, (told.zone, "box" if told.box else None)))
    return f"{_clock(told.start_ns)} to {_clock(end_ns)}  {where:12}  {_name(told)} {told.shown.p:.2f}"


def _name(event: "Event") -> str:
    return event.shown.label or event.label


def _action(told: "WouldAct") -> dict[str, Any]:
    rule, event = told.firing.rule, told.firing.event
    return {
        "type": "action",
        "rule": rule.name,
        "kinds": list(rule.kinds),
        "event": event.id,
        "label": event.label,
        "at_s": round(told.at_ns / 1e9, 3),
    }


def _record(event: "Event") -> dict[str, Any]:
    from vitcam.wire import group_record, place_record, shown_record

    return {
        "type": "event",
        "id": event.id,
        "label": event.label,
        "group": group_record(event.group),
        "shown": shown_record(event.shown),
        "zone": event.zone,
        **place_record(event.track, event.box),
        "p": round(event.p, 6),
        "start_s": round(event.start_ns / 1e9, 3),
        "end_s": None if event.end_ns is None else round(event.end_ns / 1e9, 3),
    }


def _clock(at_ns: int) -> str:
    minutes, seconds = divmod(at_ns / 1e9, 60)
    return f"{int(minutes):3}:{seconds:04.1f}"
