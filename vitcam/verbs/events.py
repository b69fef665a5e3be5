"""`vitcam events …`: options and help."""

from pathlib import Path
from typing import Annotated

import typer

from vitcam.cli.options import JsonOption, ServiceOption
from vitcam.verbs.access import InstanceOption

events_app = typer.Typer(help="Look at, export and delete what was seen.", no_args_is_help=True)

SinceOption = Annotated[
    str, typer.Option("--since", metavar="TIME", help="Take events from this time on, such as 2026-01-31T22:00.")
]
UntilOption = Annotated[str, typer.Option("--until", metavar="TIME", help="Take events before this time.")]
LabelOption = Annotated[str, typer.Option("--label", help="Take events of this label.")]
ZoneOption = Annotated[str, typer.Option("--zone", help="Take events of this zone.")]
LeastOption = Annotated[str, typer.Option("--min-p", metavar="P", help="Take events that were at least this certain.")]
KindOption = Annotated[str, typer.Option("--kind", help="Take events of this kind: seen, unknown or problem.")]
TextOption = Annotated[str, typer.Option("--text", help="Take events whose label or zone contains this.")]
FavouriteOption = Annotated[bool, typer.Option("--favourite", help="Take favourites only.")]
CorrectedOption = Annotated[bool, typer.Option("--corrected", help="Take those whose label was corrected only.")]


@events_app.command("list")
def list_(
    since: SinceOption = "",
    until: UntilOption = "",
    label: LabelOption = "",
    zone: ZoneOption = "",
    min_p: LeastOption = "",
    kind: KindOption = "",
    text: TextOption = "",
    favourite: FavouriteOption = False,
    corrected: CorrectedOption = False,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Print at most this many; 0 prints all.")] = 50,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    service: ServiceOption = False,
    instance: InstanceOption = "",
) -> None:
    """List events, the newest first."""
    from vitcam.cli.access import Whose
    from vitcam.cli.events import Selection, list_events

    filters = _filters(since, until, label, zone, min_p, kind, text, favourite, corrected)
    form = "csv" if as_csv else "json" if as_json else ""
    list_events(Selection(filters, Whose(service, instance)), limit, form)


@events_app.command("show")
def show(
    event_id: Annotated[str, typer.Argument(metavar="ID", help="Show this event.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write its picture to this JPEG file.")] = None,
    overlay: Annotated[str, typer.Option("--overlay", help="Draw this over the picture: none or evidence.")] = "none",
    as_json: JsonOption = False,
    service: ServiceOption = False,
    instance: InstanceOption = "",
) -> None:
    """Show all that is known of one event."""
    from vitcam.cli.access import Whose
    from vitcam.cli.events import show_event

    show_event(event_id, Whose(service, instance), as_json, out, overlay)


@events_app.command("export")
def export(
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="Write this file (.csv or .jsonl), or pictures to this new folder.")
    ],
    since: SinceOption = "",
    until: UntilOption = "",
    label: LabelOption = "",
    zone: ZoneOption = "",
    min_p: LeastOption = "",
    kind: KindOption = "",
    text: TextOption = "",
    favourite: FavouriteOption = False,
    corrected: CorrectedOption = False,
    service: ServiceOption = False,
    instance: InstanceOption = "",
) -> None:
    """Write events to a file, or their pictures to a folder that `vitcam-train` reads as a data set."""
    from vitcam.cli.access import Whose
    from vitcam.cli.events import Selection, export_events

    filters = _filters(since, until, label, zone, min_p, kind, text, favourite, corrected)
    export_events(Selection(filters, Whose(service, instance)), out)


@events_app.command("delete")
def delete(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Delete these events.")] = None,
    since: SinceOption = "",
    until: UntilOption = "",
    label: LabelOption = "",
    zone: ZoneOption = "",
    min_p: LeastOption = "",
    kind: KindOption = "",
    text: TextOption = "",
    favourite: FavouriteOption = False,
    corrected: CorrectedOption = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before deleting.")] = False,
    service: ServiceOption = False,
    instance: InstanceOption = "",
) -> None:
    """Delete events with their pictures and videos."""
    from vitcam.cli.access import Whose
    from vitcam.cli.events import Selection, delete_events

    filters = _filters(since, until, label, zone, min_p, kind, text, favourite, corrected)
    delete_events(tuple(ids or ()), Selection(filters, Whose(service, instance)), yes)


def _filters(
    since: str,
    until: str,
    label: str,
    zone: str,
    min_p: str,
    kind: str,
    text: str,
    favourite: bool,
    corrected: bool,
) -> dict[str, str]:
    """As `vitcam.history.query_text.read_query` takes them."""
    marks = {"favourite": "1" if favourite else "", "corrected": "1" if corrected else ""}
    given = {"since": since, "until": until, "label": label, "zone": zone, "min_p": min_p, "kind": kind, "text": text}
    return given | marks
