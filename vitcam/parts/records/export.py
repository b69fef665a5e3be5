"""`vitcam export`."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from vitcam.cli.events import FilterOptions, known_names, open_history
from vitcam.cli.options import ConfigOptions, StateOptions
from vitcam.errors import UsageError
from vitcam.terminal.consoles import stderr_console
from vitcam.terminal.verbs import grouped

_PACKAGE = "Camtrap DP"
_EBIRD = "eBird"


@dataclass(frozen=True, slots=True)
class PackageOptions:
    """A group: what a Camera Trap Data Package has and says."""

    no_media: Annotated[
        bool, typer.Option("--no-media", help="Write no pictures and films.", rich_help_panel=_PACKAGE)
    ] = False
    public: Annotated[
        bool,
        typer.Option(
            "--public",
            help="Say that everybody may see pictures and films. Those of people are never public.",
            rich_help_panel=_PACKAGE,
        ),
    ] = False
    publisher: Annotated[
        str,
        typer.Option("--publisher", metavar="NAME", help="Say who publishes it.", rich_help_panel=_PACKAGE),
    ] = ""
    deployed: Annotated[
        str,
        typer.Option(
            "--deployed",
            metavar="TIME",
            help="Say when the camera was put up. Default: when the first event begins.",
            rich_help_panel=_PACKAGE,
        ),
    ] = ""
    retrieved: Annotated[
        str,
        typer.Option(
            "--retrieved",
            metavar="TIME",
            help="Say when the camera was taken down. Default: when the last event ends.",
            rich_help_panel=_PACKAGE,
        ),
    ] = ""


@grouped
def export(
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="Write this new folder or .zip file; with --format ebird, this .csv file."),
    ],
    form: Annotated[
        Literal["camtrap-dp", "ebird"],
        typer.Option("--format", help="Write a Camera Trap Data Package, or birds in eBird's record format."),
    ] = "camtrap-dp",
    taxa: Annotated[
        Path | None,
        typer.Option(
            "--taxa",
            metavar="FILE",
            help="Read scientific names of your own from FILE, a line each: Mimi = Felis catus.",
        ),
    ] = None,
    unreviewed: Annotated[
        bool,
        typer.Option(
            "--unreviewed",
            help="Also write birds that no person has named. Do not upload them.",
            rich_help_panel=_EBIRD,
        ),
    ] = False,
    *,
    filters: FilterOptions,
    package: PackageOptions,
    state: StateOptions,
    given: ConfigOptions,
) -> None:
    """Write events as records for science, in the formats that others read. A daemon may run meanwhile."""
    from vitcam.config.identity import Identity
    from vitcam.history.query_text import read_time
    from vitcam.machine import Machine
    from vitcam.parts.records.camtrap import CamtrapWriter, PackageWishes
    from vitcam.parts.records.ebird import EbirdWriter, left_out
    from vitcam.parts.records.events import recorded_events
    from vitcam.parts.records.people import PeopleTimes
    from vitcam.parts.records.settings import PlaceSettings
    from vitcam.parts.records.site import Site
    from vitcam.parts.records.taxa import Taxa, read_taxa

    settings = given.load({}).settings
    (place, store), query = open_history(state), filters.query()
    identity = Identity.of(settings, place.folder, Machine(os.environ))
    site = Site.of(settings[PlaceSettings], identity.name)
    names = Taxa(read_taxa(taxa) if taxa else {}, known_names())
    if form == "ebird":
        if out.suffix.lower() != ".csv":
            raise UsageError(f"{out} has no .csv at its end, which eBird asks for; name such a file")
        birds = EbirdWriter(site, names, unreviewed).write(place.each(recorded_events(store, query, False)), out)
        tell(f"wrote {out}; birds: {birds.birds:,}; {left_out(birds)}look at each before you upload it")
        return
    deployed, retrieved = (
        read_time(name, text) if text else None
        for name, text in (("--deployed", package.deployed), ("--retrieved", package.retrieved))
    )
    wishes = PackageWishes(not package.no_media, package.public, package.publisher, deployed, retrieved)
    events = place.each(recorded_events(store, query, wishes.media))
    people = PeopleTimes.of(store, names) if wishes.public else PeopleTimes()
    written = CamtrapWriter(site, identity, names, wishes, people).write(events, out)
    gone = f"; files that were gone or could not be read: {written.gone:,}" if written.gone else ""
    tell(f"wrote {out}; observations: {written.observations:,}; pictures and films: {written.media:,}{gone}")


def tell(sentence: str) -> None:
    """To people, on stderr."""
    stderr_console().print(sentence, markup=False, highlight=False, soft_wrap=True)
