"""`vitcam events …`: what was seen, whether the daemon runs or not."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.cli.options import ConfigOptions, JsonOption, StateOptions, write_output
from vitcam.errors import UsageError, VitcamError
from vitcam.folders import state_folder
from vitcam.storage.files import given_file
from vitcam.terminal.consoles import stderr_console, stdout_console
from vitcam.terminal.verbs import grouped

if TYPE_CHECKING:
    from vitcam.history.store import EventStore
    from vitcam.history.stored import Query, StoredEvent
    from vitcam.storage.owner import OwnedFolder

events = typer.Typer(help="Look at, export and delete what was seen.", no_args_is_help=True)

_STOP_S = 10.0


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """A group: which events."""

    since: Annotated[
        str,
        typer.Option(
            "--since",
            metavar="TIME",
            help="Take events from this time on: 2026-01-31T22:00, yesterday, today, 12h or 3d.",
        ),
    ] = ""
    until: Annotated[str, typer.Option("--until", metavar="TIME", help="Take events before this time.")] = ""
    label: Annotated[
        str,
        typer.Option(
            "--label", help="Take events of this label or group, or that a second look names so, in any case."
        ),
    ] = ""
    shown: Annotated[
        str, typer.Option("--shown", help="Take events that were displayed as this label or group, in any case.")
    ] = ""
    zone: Annotated[str, typer.Option("--zone", help="Take events of this zone.")] = ""
    min_p: Annotated[str, typer.Option("--min-p", metavar="P", help="Take events that were at least this certain.")] = (
        ""
    )
    kind: Annotated[str, typer.Option("--kind", help="Take events of this kind: seen, unknown or problem.")] = ""
    text: Annotated[str, typer.Option("--text", help="Take events whose label, zone or second look contains this.")] = (
        ""
    )
    favourite: Annotated[bool, typer.Option("--favourite", help="Take favourites only.")] = False
    corrected: Annotated[bool, typer.Option("--corrected", help="Take those whose label was corrected only.")] = False

    def query(self) -> "Query":
        """Raises UsageError for filters that are invalid."""
        from vitcam.history.query_text import read_query

        marks = {"favourite": "1" if self.favourite else "", "corrected": "1" if self.corrected else ""}
        return read_query(asdict(self) | marks, lambda label: known_names()(label))


def known_names() -> Callable[[str], tuple[str, ...]]:
    """Gives every name that this user's runs have for a label, as far as configuration and model can be read."""
    from vitcam.daemon.saved_state.page_settings import PageSettings, initial_names
    from vitcam.history.query_text import as_written
    from vitcam.model.bundle import read
    from vitcam.model.files import find_model
    from vitcam.names.vocabulary import Vocabulary

    try:
        effective, page = ConfigOptions().merge(), PageSettings(state_folder(os.environ))
        given = effective.given("model.name")
        bundle = read(find_model((not given and page.model) or effective.settings.model.name))
    except (VitcamError, OSError):
        return as_written
    if bundle is None:
        return as_written
    names = initial_names(effective.settings.names, page)
    members = bundle.groups.members if bundle.groups else {}
    return Vocabulary(names, lambda: (bundle.labels, members)).names_of


@events.command("list")
@grouped
def list_(
    filters: FilterOptions,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Print at most this many; 0 prints all.")] = 50,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    *,
    state: StateOptions,
) -> None:
    """List events, the newest first."""
    from vitcam.history.export import as_text, header
    from vitcam.history.record import stored_record

    (place, store), query = open_history(state), filters.query()
    if as_csv:
        sys.stdout.write(header("csv"))
    for event in place.each(_newest(store, query, limit)):
        if as_csv:
            sys.stdout.write(as_text([event], "csv"))
        elif as_json:
            print(json.dumps(stored_record(event), ensure_ascii=False))  # noqa: T201
        else:
            stdout_console().print(_line(event), highlight=False, markup=False)


@events.command()
@grouped
def show(
    event_id: Annotated[str, typer.Argument(metavar="ID", help="Show this event.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write its picture to this JPEG file.")] = None,
    overlay: Annotated[str, typer.Option("--overlay", help="Draw this over the picture: none or evidence.")] = "none",
    only_box: Annotated[
        bool, typer.Option("--box", help="With --out: write only its box, in the camera's own pixels.")
    ] = False,
    as_json: JsonOption = False,
    *,
    state: StateOptions,
) -> None:
    """Show all that is known of one event."""
    from vitcam.frames import LEAST
    from vitcam.history.picture_files import detail_of
    from vitcam.history.record import full_record

    place, store = open_history(state)
    with place.acting():
        event = _event(store, event_id)
        picture = None if out is None else _picture(store, event, overlay, only_box)
    if out is not None and picture is not None:
        write_output(out, picture)
    if as_json:
        print(json.dumps(full_record(event), ensure_ascii=False))  # noqa: T201
        return
    say = stdout_console().print
    say(_line(event), highlight=False, markup=False)
    for guess in event.summary.top:
        if guess.p < LEAST:
            break
        say(f"{guess.p:8.1%}  {guess.label}", highlight=False, markup=False)
    if event.frame_of:
        say(f"its picture is that of event {event.frame_of}, which looked the same", highlight=False, markup=False)
    if event.box is not None:
        say(f"in the box {event.box} of the picture, track {event.track}", highlight=False, markup=False)
    detail = detail_of(event.frame) if event.frame and event.summary.detail else None
    for name in filter(None, (event.frame, detail, event.clip)):
        say(str(place.folder / name), highlight=False, markup=False)
    for action in event.actions:
        say(f"{action.rule}: {action.kind} {action.status} {action.detail}", highlight=False, markup=False)


@events.command()
@grouped
def export(
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="Write this file (.csv or .jsonl), or pictures to this new folder.")
    ],
    filters: FilterOptions,
    state: StateOptions,
) -> None:
    """Write events to a file, or their pictures to a folder that `vitcam-train` reads as a data set."""
    from vitcam.history.export import labelled_pictures, pages, write_dataset

    (place, store), query = open_history(state), filters.query()
    form = out.suffix[1:].lower()
    if form in ("csv", "jsonl"):
        count = _write_lines(place.each(pages(store, query)), out, form)
        stderr_console().print(f"{count:,} events are in {out}.", highlight=False)
        return
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already; name a new folder, or a file that ends in .csv or .jsonl")
    count = write_dataset(place.each(labelled_pictures(store, query)), out)
    stderr_console().print(f"{count:,} pictures are in {out}, one folder for each label.", highlight=False)


@events.command()
@grouped
def delete(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Delete these events.")] = None,
    *,
    filters: FilterOptions,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before deleting.")] = False,
    state: StateOptions,
) -> None:
    """Delete events with their pictures and videos."""
    from vitcam.history.export import pages

    (place, store), query = open_history(state), filters.query()
    if bool(ids) != query.is_empty:
        raise UsageError("say which events to delete: either by their ids, or by filters such as --label")
    if not (yes or ids):
        _ask_first(sum(len(events) for events in place.each(pages(store, query))))
    with place.acting(), _writing(store):
        deleted = 0
        for event_id in ids or ():
            if not store.delete(event_id):
                raise UsageError(f"there is no event {event_id!r}; `vitcam events list` shows them")
            deleted += 1
        while not ids and (count := store.delete_some(query)):
            deleted += count
    stderr_console().print(f"{deleted:,} event(s) were deleted, with their pictures and videos.", highlight=False)


def _ask_first(count: int) -> None:
    """A person on a terminal is asked before several events go."""
    if not sys.stdin.isatty():
        raise UsageError(f"{count:,} event(s) would be deleted; add --yes if you mean it")
    if input(f"Delete {count:,} event(s) with their pictures and videos? [y/N] ").strip().lower() != "y":
        raise UsageError("nothing was deleted")


@contextmanager
def _writing(store: "EventStore") -> Iterator[None]:
    store.start()
    try:
        yield
    finally:
        store.stop(_STOP_S)


def open_history(state: StateOptions) -> "tuple[OwnedFolder, EventStore]":
    """The store, to be asked as the owner of its folder."""
    from vitcam.history.database.connections import FILE, is_there
    from vitcam.history.store import EventStore

    place = state.owned_folder()
    with place.acting() as folder:
        if not is_there(folder):
            raise UsageError(f"there is no history at {folder / FILE}; `vitcam run` keeps events there")
        return place, EventStore(folder)


def _newest(store: "EventStore", query: "Query", limit: int) -> "Iterator[StoredEvent]":
    from vitcam.history.export import pages

    count = 0
    for events in pages(store, query):
        for event in events:
            yield event
            count += 1
            if count == limit:
                return


def _event(store: "EventStore", event_id: str) -> "StoredEvent":
    if (event := store.get(event_id)) is None:
        raise UsageError(f"there is no event {event_id!r}; `vitcam events list` shows them")
    return event


def _picture(store: "EventStore", event: "StoredEvent", overlay: str, only_box: bool) -> bytes:
    """As JPEG."""
    from vitcam.history.rendering import rendered

    jpeg = store.detail(event) if only_box else store.picture(event)
    if jpeg is None:
        raise UsageError(f"the event {event.id} has no picture{' of a box; leave out --box' if only_box else ''}")
    return rendered(jpeg, event.summary.of_detail if only_box else event.summary, overlay)


def _write_lines(found: "Iterator[tuple[StoredEvent, ...]]", out: Path, form: str) -> int:
    from vitcam.history.export import as_text, header

    count = 0
    try:
        with given_file(out) as given, given.open("w", encoding="utf-8") as file:
            file.write(header(form))
            for events in found:
                file.write(as_text(events, form))
                count += len(events)
    except OSError as error:
        raise VitcamError(f"{out} cannot be written: {error.strerror}") from error
    return count


def _line(event: "StoredEvent") -> str:
    """One line for people: when, how long, what, where, and the id. Times are those of this machine."""
    began = datetime.fromtimestamp(event.start_ms / 1000).astimezone()
    lasted = "" if event.end_ms is None else f"{(event.end_ms - event.start_ms) / 1000:.1f} s"
    zone = f" in {event.zone}" if event.zone else ""
    star = " *" if event.favourite else ""
    return f"{began:%Y-%m-%d %H:%M:%S}  {lasted:>9}  {event.peak:4.0%}  {event.displayed}{zone}{star}  {event.id}"
