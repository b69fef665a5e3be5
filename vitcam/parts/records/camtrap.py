"""Writes a Camera Trap Data Package (Camtrap DP) 1.0.1: `datapackage.json`, three tables, pictures and films.

The columns are those of the schemas in the folder `standard/`, which are the standard's own.
"""

import csv
import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vitcam._version import __version__
from vitcam.config.identity import Identity
from vitcam.errors import UsageError
from vitcam.history.stored import StoredEvent
from vitcam.parts.records.events import RecordedEvent
from vitcam.parts.records.output import Package, new_package
from vitcam.parts.records.people import PeopleTimes
from vitcam.parts.records.site import Site
from vitcam.parts.records.taxa import Taxa, Taxon
from vitcam.text import slug_of

STANDARD = Path(__file__).with_name("standard")
TABLES = ("deployments", "media", "observations")
ADDRESS = "https://raw.githubusercontent.com/tdwg/camtrap-dp/1.0.1"
PROFILE = "camtrap-dp-profile.json"


def schema_name(table: str) -> str:
    """Its file below `STANDARD` and below `ADDRESS`."""
    return f"{table}-table-schema.json"


@dataclass(frozen=True, slots=True)
class PackageWishes:
    """What a person says of a package."""

    media: bool
    """Whether it has pictures and films."""
    public: bool
    """Whether they may be shown to everybody; those of people never are."""
    publisher: str
    deployed_ms: int | None
    """When the camera was put up; None: with its first event."""
    retrieved_ms: int | None
    """When it was taken down; None: with its last event."""


@dataclass(slots=True)
class Written:
    """What was written."""

    observations: int = 0
    media: int = 0
    gone: int = 0
    """Files of the history that are missing or cannot be read."""
    taxa: dict[str, Taxon] = field(default_factory=dict)
    """By scientific name."""
    spans_ms: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Camera -> the start of its first event and the end of its last one."""

    def add(self, one: RecordedEvent, taxon: Taxon | None) -> None:
        self.observations += 1
        self.gone += one.gone
        if taxon is not None and taxon.scientific:
            self.taxa.setdefault(taxon.scientific, taxon)
        first, last = self.spans_ms.get(one.event.camera, (one.event.start_ms, one.end_ms))
        self.spans_ms[one.event.camera] = min(first, one.event.start_ms), max(last, one.end_ms)


@dataclass(frozen=True, slots=True)
class CamtrapWriter:
    """Writes a package of the events of one place."""

    site: Site
    identity: Identity
    taxa: Taxa
    wishes: PackageWishes
    people: PeopleTimes
    """Of the history that the events are from."""

    def write(self, events: Iterable[RecordedEvent], target: Path) -> Written:
        """Write it to a new folder or zip file. One event at a time is in memory.

        raises  UsageError where there is no event, or the target is there; VitcamError if it cannot be written
        """
        with new_package(target) as (package, room):
            with ExitStack() as open_files:
                tables = {name: open_files.enter_context(_TableFile(room, name)) for name in TABLES}
                written = self._write_events(events, tables, package)
                if not written.observations:
                    raise UsageError("there is no such event in the history; nothing was written")
                for camera, span_ms in sorted(written.spans_ms.items()):
                    tables["deployments"].row(self._deployment(camera, span_ms))
            for name in TABLES:
                package.move_in(room / f"{name}.csv")
            descriptor = room / "datapackage.json"
            descriptor.write_text(json.dumps(self._descriptor(written), indent=2, ensure_ascii=False) + "\n", "utf-8")
            package.move_in(descriptor)
        return written

    def _write_events(
        self, events: Iterable[RecordedEvent], tables: Mapping[str, "_TableFile"], package: Package
    ) -> Written:
        written = Written()
        for one in events:
            taxon = self.taxa.of(one.event)
            written.add(one, taxon)
            tables["observations"].row(self._observation(one, taxon))
            for ending, kind, data in (("", "image/jpeg", one.picture), ("-clip", "video/mp4", one.film)):
                if data is not None:
                    row = self._medium(one, ending, kind)
                    package.put(row["filePath"], data)
                    tables["media"].row(row)
                    written.media += 1
        return written

    def _deployment_id(self, camera: str) -> str:
        """The same in every export of this camera, and not its address, which may tell of a network."""
        return f"{self.identity.serial}-{hashlib.sha256(camera.encode()).hexdigest()[:6]}"

    def _span_ms(self, span_ms: tuple[int, int]) -> tuple[int, int]:
        """From putting up to taking down. Raises UsageError where events lie outside."""
        start = span_ms[0] if self.wishes.deployed_ms is None else self.wishes.deployed_ms
        end = span_ms[1] if self.wishes.retrieved_ms is None else self.wishes.retrieved_ms
        if start > span_ms[0]:
            first = self.site.time(span_ms[0]).isoformat()
            raise UsageError(f"--deployed is after the first event, of {first}; give an earlier time, or use --since")
        if end < span_ms[1]:
            last = self.site.time(span_ms[1], up=True).isoformat()
            raise UsageError(f"--retrieved is before the last event ends, {last}; give a later time, or use --until")
        return start, end

    def _deployment(self, camera: str, span_ms: tuple[int, int]) -> dict[str, Any]:
        start, end = self._span_ms(span_ms)
        return {
            "deploymentID": self._deployment_id(camera),
            "locationID": self.identity.serial,
            "locationName": self.site.name,
            "latitude": self.site.latitude,
            "longitude": self.site.longitude,
            "coordinateUncertainty": self.site.uncertainty_m,
            "deploymentStart": self.site.time(start).isoformat(),
            "deploymentEnd": self.site.time(end, up=True).isoformat(),
            "cameraID": self.identity.serial,
            "deploymentComments": "What the privacy masks of the camera cover is black in pictures and films.",
        }

    def _medium(self, one: RecordedEvent, ending: str, kind: str) -> dict[str, Any]:
        event = one.event
        name = f"{event.id}{ending}.{'jpg' if kind == 'image/jpeg' else 'mp4'}"
        return {
            "mediaID": f"{event.id}{ending}",
            "deploymentID": self._deployment_id(event.camera),
            "captureMethod": "activityDetection",
            "timestamp": self.site.time(event.start_ms).isoformat(),
            "filePath": f"media/{name}",
            "filePublic": _flag(self.wishes.public and not self.people.overlap(one)),
            "fileName": name,
            "fileMediatype": kind,
            "favorite": _flag(event.favourite),
            "mediaComments": "The time is that of the start of its event.",
        }

    def _observation(self, one: RecordedEvent, taxon: Taxon | None) -> dict[str, Any]:
        event = one.event
        return {
            "observationID": event.id,
            "deploymentID": self._deployment_id(event.camera),
            "eventID": event.id,
            "eventStart": self.site.time(event.start_ms).isoformat(),
            "eventEnd": self.site.time(one.end_ms, up=True).isoformat(),
            "observationLevel": "event",
            "observationType": _type(event, taxon),
            "scientificName": taxon.scientific if taxon else "",
            **_classification(event, taxon),
            "observationTags": _tags(event),
        }

    def _descriptor(self, written: Written) -> dict[str, Any]:
        firsts, lasts = zip(*written.spans_ms.values(), strict=True)
        start, end = self._span_ms((min(firsts), max(lasts)))
        latitude, longitude = float(self.site.latitude), float(self.site.longitude)
        now = datetime.now(UTC)
        title = f"{self.site.name}: what a camera saw"
        return {
            "resources": [_resource(name) for name in TABLES],
            "profile": f"{ADDRESS}/{PROFILE}",
            "name": f"{slug_of(self.identity.id).lower()}-{now:%Y%m%d%H%M%S}",
            "id": str(uuid.uuid4()),
            "created": now.isoformat(timespec="seconds"),
            "title": title,
            "contributors": [
                {"title": self.wishes.publisher or f"The owner of the camera {self.identity.name}", "role": "contact"}
            ],
            "sources": [{"title": "vitcam", "version": __version__}],
            "project": {
                "title": title,
                "samplingDesign": "opportunistic",
                "captureMethod": ["activityDetection"],
                "individualAnimals": False,
                "observationLevel": ["event"],
            },
            "coordinatePrecision": 10.0**-self.site.decimals,
            "spatial": {"type": "Point", "coordinates": [longitude, latitude]},
            "temporal": {
                "start": self.site.time(start).date().isoformat(),
                "end": self.site.time(end, up=True).date().isoformat(),
            },
            "taxonomic": [_taxon_record(taxon) for _, taxon in sorted(written.taxa.items())],
        }


class _TableFile:
    """A CSV file with the columns of the standard. It is a context; methods raise OSError."""

    def __init__(self, room: Path, name: str) -> None:
        schema = json.loads((STANDARD / schema_name(name)).read_text("utf-8"))
        self._file = (room / f"{name}.csv").open("x", encoding="utf-8", newline="")
        columns = [column["name"] for column in schema["fields"]]
        self._rows = csv.DictWriter(self._file, columns, lineterminator="\n")
        self._rows.writeheader()

    def __enter__(self) -> "_TableFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def row(self, values: Mapping[str, Any]) -> None:
        self._rows.writerow(values)


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _type(event: StoredEvent, taxon: Taxon | None) -> str:
    """As the standard has it: `unknown` is what the model could not say, `unclassified` what it has no word for."""
    if taxon is not None:
        return taxon.kind
    named = event.corrected or event.shown.label
    return "unclassified" if named else "unknown"


def _classification(event: StoredEvent, taxon: Taxon | None) -> dict[str, Any]:
    if event.corrected:
        return {"classificationMethod": "human", "classifiedBy": "the owner of the camera"}
    shown = event.shown
    second = shown.detail if shown.detail and shown.detail.scientific and taxon else None
    model, p = (second.model, second.p) if second else (event.model, shown.p)
    by = f"vitcam, model {_plain(model)}" if model else "vitcam"
    if not second and event.fingerprint:
        by += f" (SHA-256 {event.fingerprint[:12]})"
    return {"classificationMethod": "machine", "classifiedBy": by, "classificationProbability": f"{p:.4f}"}


def _tags(event: StoredEvent) -> str:
    """What vitcam and people called it, and where it was, as `key:value`."""
    second = event.shown.detail
    tags = {
        "label": event.displayed,
        "model label": event.label if event.corrected else "",
        "second label": (second.label or "") if second else "",
        "zone": event.zone or "",
    }
    return " | ".join(f"{key}:{_plain(value)}" for key, value in tags.items() if value)


def _plain(text: str) -> str:
    """One line without the bar that parts tags."""
    return " ".join(text.replace("|", "/").split())


def _resource(table: str) -> dict[str, str]:
    return {
        "name": table,
        "path": f"{table}.csv",
        "profile": "tabular-data-resource",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "schema": f"{ADDRESS}/{schema_name(table)}",
    }


def _taxon_record(taxon: Taxon) -> dict[str, Any]:
    record: dict[str, Any] = {"scientificName": taxon.scientific}
    if taxon.rank:
        record["taxonRank"] = taxon.rank
    if taxon.class_ and taxon.rank not in ("kingdom", "phylum"):
        record["class"] = taxon.class_
    if taxon.common:
        record["vernacularNames"] = {"eng": taxon.common}
    return record
