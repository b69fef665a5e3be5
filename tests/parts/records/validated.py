"""Packages as those who get them validate and read them: with frictionless, and without a network."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import frictionless
from frictionless.metadata.metadata import Metadata

from vitcam.parts.records.camtrap import ADDRESS, PROFILE, STANDARD, TABLES, schema_name

_OF_FRICTIONLESS = Path(frictionless.__file__).parent / "assets" / "profiles"
_RETRIEVE = Metadata.metadata_retrieve.__func__  # type: ignore[attr-defined]


def problems(place: Path) -> list[str]:
    """Why frictionless finds a folder or a zip file invalid; none where it is valid."""
    path = place / "datapackage.json" if place.is_dir() else place
    kept = mock.patch("atexit.register")  # of a zip file it would remove a folder that has gone with those of the tests
    with kept, mock.patch.object(Metadata, "metadata_retrieve", classmethod(_retrieve)):
        report = frictionless.validate(str(path), type="package")
    errors = [*report.errors, *(error for task in report.tasks for error in task.errors)]
    return [error.message for error in errors]


def rows(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Every table, with values of its own types."""
    with mock.patch.object(Metadata, "metadata_retrieve", classmethod(_retrieve)):
        package: Any = frictionless.Package(str(folder / "datapackage.json"))
        return {name: [row.to_dict() for row in package.get_resource(name).read_rows()] for name in TABLES}


def descriptor(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "datapackage.json").read_text("utf-8"))
    return found


def _retrieve(cls: type[Metadata], named: str | Path | Mapping[str, Any], /, **options: Any) -> Any:
    """What lies at the addresses of the standard is that of the repository.

    The general profile of data packages is that of frictionless, which it also checks by itself.
    """
    kept = {f"{ADDRESS}/{name}": STANDARD / name for name in (PROFILE, *map(schema_name, TABLES))}
    kept["http://json.schemastore.org/geojson.json"] = _OF_FRICTIONLESS / "geojson.json"
    if named == "https://specs.frictionlessdata.io/schemas/data-package.json":
        return frictionless.Package.metadata_profile
    assert not str(named).startswith("http") or named in kept, f"{named} would be fetched"
    return _RETRIEVE(cls, kept.get(named, named) if isinstance(named, str) else named, **options)
