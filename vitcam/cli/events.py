"""`vitcam events`: what was seen, whether the daemon runs or not."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from vitcam.cli.access import Whose, owned_state
from vitcam.errors import UsageError, VitcamError
from vitcam.history.database.connections import FILE, is_there
from vitcam.history.export import as_text, header, labelled_pictures, pages, write_dataset
from vitcam.history.query_text import read_query
from vitcam.history.record import full_record, stored_record
from vitcam.history.rendering import rendered
from vitcam.history.store import EventStore
from vitcam.history.stored import Query, StoredEvent
from vitcam.storage.owner import OwnedFolder
from vitcam.terminal.consoles import stderr_console, stdout_console

_STOP_S = 10.0


@dataclass(frozen=True, slots=True)
class Selection:
    """Which events of which daemon."""

    filters: Mapping[str, str]
    whose: Whose

    @property
    def query(self) -> Query:
        """Raises UsageError for filters that are invalid."""
        return read_query(self.filters)


def list_events(asked: Selection, limit: int, form: str) -> None:
    """Print the newest events, or all of them with a limit of 0.

    form  `json`, `csv`, or empty for people
    """
    (place, store), query = _history(asked.whose), asked.query
    if form == "csv":
        sys.stdout.write(header("csv"))
    for event in place.each(_newest(store, query, limit)):
        if form == "csv":
            sys.stdout.write(as_text([event], "csv"))
        elif form == "json":
            print(json.dumps(stored_record(event), ensure_ascii=False))  # noqa: T201
        else:
            stdout_console().print(_line(event), highlight=False, markup=False)


def show_event(event_id: str, whose: Whose, as_json: bool, picture: Path | None, overlay: str) -> None:
    """Print all that is known of one event; write its picture to a file.

    raises  UsageError if there is none of that id, or it has no picture; VitcamError if the file cannot be written
    """
    place, store = _history(whose)
    with place.acting():
        event = _event(store, event_id)
        shown = None if picture is None else _picture(store, event, overlay)
    if picture is not None and shown is not None:
        _write_picture(shown, picture)
    if as_json:
        print(json.dumps(full_record(event), ensure_ascii=False))  # noqa: T201
        return
    say = stdout_console().print
    say(_line(event), highlight=False, markup=False)
    for guess in event.summary.top:
        say(f"{guess.p:8.1%}  {guess.label}", highlight=False, markup=False)
    if event.frame_of:
        say(f"its picture is that of event {event.frame_of}, which looked the same", highlight=False, markup=False)
    for name in filter(None, (event.frame, event.clip)):
        say(str(place.folder / name), highlight=False, markup=False)
    for action in event.actions:
        say(f"{action.rule}: {action.kind} {action.status} {action.detail}", highlight=False, markup=False)


def export_events(asked: Selection, out: Path) -> None:
    """Write events to a file that ends in .csv or .jsonl, or their pictures to a folder for `vitcam-train`.

    raises  UsageError if the folder holds something already; VitcamError if it cannot be written
    """
    (place, store), query = _history(asked.whose), asked.query
    form = out.suffix[1:].lower()
    if form in ("csv", "jsonl"):
        count = _write_lines(place.each(pages(store, query)), out, form)
        stderr_console().print(f"{count:,} events are in {out}.", highlight=False)
        return
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already; name a new folder, or a file that ends in .csv or .jsonl")
    count = write_dataset(place.each(labelled_pictures(store, query)), out)
    stderr_console().print(f"{count:,} pictures are in {out}, one folder for each label.", highlight=False)


def delete_events(ids: tuple[str, ...], asked: Selection, confirmed: bool) -> None:
    """Delete events with their files. Raises UsageError if nothing says which; VitcamError."""
    (place, store), query = _history(asked.whose), asked.query
    if bool(ids) != query.is_empty:
        raise UsageError("say which events to delete: either by their ids, or by filters such as --label")
    if not (confirmed or ids):
        _ask_first(sum(len(events) for events in place.each(pages(store, query))))
    with place.acting(), _writing(store):
        deleted = 0
        for event_id in ids:
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
def _writing(store: EventStore) -> Iterator[None]:
    store.start()
    try:
        yield
    finally:
        store.stop(_STOP_S)


def _history(whose: Whose) -> tuple[OwnedFolder, EventStore]:
    """The store, to be asked as the owner of its folder."""
    place = owned_state(whose)
    with place.acting() as folder:
        if not is_there(folder):
            raise UsageError(f"there is no history at {folder / FILE}; `vitcam run` keeps events there")
        return place, EventStore(folder)


def _newest(store: EventStore, query: Query, limit: int) -> Iterator[StoredEvent]:
    count = 0
    for events in pages(store, query):
        for event in events:
            yield event
            count += 1
            if count == limit:
                return


def _event(store: EventStore, event_id: str) -> StoredEvent:
    if (event := store.get(event_id)) is None:
        raise UsageError(f"there is no event {event_id!r}; `vitcam events list` shows them")
    return event


def _picture(store: EventStore, event: StoredEvent, overlay: str) -> bytes:
    """As JPEG."""
    jpeg = store.picture(event)
    if jpeg is None:
        raise UsageError(f"the event {event.id} has no picture")
    return rendered(jpeg, event.summary, overlay)


def _write_picture(jpeg: bytes, out: Path) -> None:
    try:
        out.write_bytes(jpeg)
    except OSError as error:
        raise VitcamError(f"{out} cannot be written: {error.strerror}") from error


def _write_lines(found: Iterator[tuple[StoredEvent, ...]], out: Path, form: str) -> int:
    count = 0
    try:
        with out.open("w", encoding="utf-8") as file:
            file.write(header(form))
            for events in found:
                file.write(as_text(events, form))
                count += len(events)
    except OSError as error:
        raise VitcamError(f"{out} cannot be written: {error.strerror}") from error
    return count


def _line(event: StoredEvent) -> str:
    """One line for people: when, how long, what, where, and the id. Times are those of this machine."""
    began = datetime.fromtimestamp(event.start_ms / 1000).astimezone()
    lasted = "" if event.end_ms is None else f"{(event.end_ms - event.start_ms) / 1000:.1f} s"
    zone = f" in {event.zone}" if event.zone else ""
    star = " *" if event.favourite else ""
    return f"{began:%Y-%m-%d %H:%M:%S}  {lasted:>9}  {event.peak:4.0%}  {event.name}{zone}{star}  {event.id}"
