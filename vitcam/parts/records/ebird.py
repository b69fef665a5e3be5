"""Writes eBird's record format (extended): a line of 19 columns for each bird, and no header.

source  eBird, "Upload spreadsheet data to eBird": https://support.ebird.org/en/support/solutions/articles/48000907878
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import UsageError
from vitcam.history.stored import StoredEvent
from vitcam.parts.records.events import RecordedEvent
from vitcam.parts.records.output import new_file
from vitcam.parts.records.site import Site
from vitcam.parts.records.taxa import BIRDS, Taxa, Taxon

COLUMNS = (
    *("Common Name", "Genus", "Species", "Number", "Species Comments", "Location Name", "Latitude", "Longitude"),
    *("Date", "Start Time", "State/Province", "Country Code", "Protocol", "Number of Observers", "Duration"),
    *("All observations reported?", "Effort Distance Miles", "Effort area acres", "Submission Comments"),
)
_PRESENT = "X"  # there, and not counted
_PROTOCOL = "Incidental"  # nobody counted for a certain time: there is no duration


@dataclass(slots=True)
class WrittenBirds:
    """What was written, and what was left out."""

    birds: int = 0
    unreviewed: int = 0
    """Left out: no person gave them their name."""
    no_species: int = 0
    """Left out: birds of which no species is known."""


@dataclass(frozen=True, slots=True)
class EbirdWriter:
    """Writes the birds of one place.

    unreviewed  also those that a model alone has named
    """

    site: Site
    taxa: Taxa
    unreviewed: bool

    def write(self, events: Iterable[RecordedEvent], target: Path) -> WrittenBirds:
        """Write it to a new file.

        raises  UsageError where there is no bird, or the target is there; VitcamError if it cannot be written
        """
        written = WrittenBirds()
        with new_file(target) as path:
            with path.open("x", encoding="utf-8", newline="") as file:
                rows = csv.writer(file, lineterminator="\r\n")
                for one in events:
                    taxon = self.taxa.of(one.event)
                    if taxon is None or taxon.class_ != BIRDS:
                        continue
                    if not taxon.is_species:
                        written.no_species += 1
                    elif not (one.event.corrected or self.unreviewed):
                        written.unreviewed += 1
                    else:
                        rows.writerow(self._row(one.event, taxon))
                        written.birds += 1
            if not written.birds:
                raise UsageError(f"there is no bird to export; {left_out(written)}nothing was written")
        return written

    def _row(self, event: StoredEvent, taxon: Taxon) -> tuple[str, ...]:
        began = self.site.time(event.start_ms)
        genus, _, species = taxon.scientific.partition(" ")
        return (
            taxon.common, genus, species, _PRESENT, _comment(event), self.site.name, self.site.latitude,
            self.site.longitude, f"{began:%m/%d/%Y}", f"{began:%H:%M}", self.site.state, self.site.country, _PROTOCOL,
            "1", "", "N", "", "", "Seen by an unattended camera (vitcam)",
        )  # fmt: skip


def left_out(written: WrittenBirds) -> str:
    """What was left out and why, as the middle of a sentence; empty if nothing was."""
    said = ""
    if written.unreviewed:
        said += f"left out, as a model alone has named them: {written.unreviewed:,} (--unreviewed takes these, too); "
    if written.no_species:
        said += f"left out, as no species is known: {written.no_species:,}; "
    return said


def _comment(event: StoredEvent) -> str:
    if event.corrected:
        return f"Named by a person from the picture; event {event.id}"
    second = event.shown.detail
    p, model = (second.p, second.model) if second and second.label else (event.shown.p, event.model)
    return f"NOT REVIEWED: named by the model {model}, {p:.0%}; event {event.id}"
