"""eBird's record format has its 19 columns, and only birds that a person has named, unless more is asked for."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from tests.parts.records.made import BERLIN, EVENTS, made_history
from vitcam.errors import UsageError
from vitcam.history.query_text import as_written
from vitcam.history.stored import Query
from vitcam.parts.records.ebird import COLUMNS, EbirdWriter, WrittenBirds, left_out
from vitcam.parts.records.events import recorded_events
from vitcam.parts.records.site import Site
from vitcam.parts.records.taxa import Taxa


def written(folder: Path, unreviewed: bool) -> tuple[WrittenBirds, list[dict[str, str]]]:
    """What was written, and the lines by the names that eBird gives the columns."""
    site = Site.of(replace(BERLIN, country="DE", state="BE"), "")
    target = folder / f"birds-{unreviewed}.csv"
    said = EbirdWriter(site, Taxa({}, as_written), unreviewed).write(
        recorded_events(made_history(folder / "state"), Query(), False), target
    )
    with target.open(newline="", encoding="utf-8") as file:
        return said, [dict(zip(COLUMNS, row, strict=True)) for row in csv.reader(file)]


def test_a_bird_that_a_person_has_named_is_a_line_of_nineteen_columns(tmp_path: Path) -> None:
    said, lines = written(tmp_path, False)

    assert len(COLUMNS) == 19
    assert lines == [
        {
            "Common Name": "European Goldfinch",
            "Genus": "Carduelis",
            "Species": "carduelis",
            "Number": "X",
            "Species Comments": f"Named by a person from the picture; event 01JM{4:022}",
            "Location Name": BERLIN.name,
            "Latitude": "52.52",
            "Longitude": "13.38",
            "Date": "01/01/2026",
            "Start Time": "05:00",
            "State/Province": "BE",
            "Country Code": "DE",
            "Protocol": "Incidental",
            "Number of Observers": "1",
            "Duration": "",
            "All observations reported?": "N",
            "Effort Distance Miles": "",
            "Effort area acres": "",
            "Submission Comments": "Seen by an unattended camera (vitcam)",
        }
    ]
    assert said == WrittenBirds(birds=1, unreviewed=1, no_species=1)
    assert left_out(said) == (
        "left out, as a model alone has named them: 1 (--unreviewed takes these, too); "
        "left out, as no species is known: 1; "
    )


def test_what_a_model_alone_has_named_is_marked(tmp_path: Path) -> None:
    _, lines = written(tmp_path, True)

    assert [line["Species Comments"][:44] for line in lines] == [
        "Named by a person from the picture; event 01",
        "NOT REVIEWED: named by the model birds, 83%;",
    ]


def test_without_a_bird_nothing_is_written(tmp_path: Path) -> None:
    writer = EbirdWriter(Site.of(BERLIN, ""), Taxa({}, as_written), False)
    store = made_history(tmp_path / "state", [EVENTS[0], EVENTS[2]])
    with pytest.raises(UsageError, match=r"there is no bird to export; left out, as a model alone .*; nothing was"):
        writer.write(recorded_events(store, Query(), False), tmp_path / "birds.csv")
    assert not (tmp_path / "birds.csv").exists()
