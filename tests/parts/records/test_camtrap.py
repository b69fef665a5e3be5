"""A package is valid, says what the history knows, and is there as a whole or not at all."""

import os
import tracemalloc
import zipfile
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.histories import START_MS, change
from tests.parts.records.made import (
    BERLIN,
    BIRD,
    EVENTS,
    HOUR_MS,
    JPEG,
    exported,
    made_history,
    stored_history,
    with_film,
)
from tests.parts.records.validated import descriptor, problems, rows
from vitcam.errors import UsageError, VitcamError
from vitcam.parts.records import output
from vitcam.parts.records.camtrap import PackageWishes

WITH_MEDIA = PackageWishes(True, False, "", None, None)


def test_made_events_of_every_kind_are_exported_valid_and_read_back(tmp_path: Path) -> None:
    written = exported(made_history(tmp_path / "state"), tmp_path / "out")

    assert problems(tmp_path / "out") == []
    found = rows(tmp_path / "out")
    told = [
        (row["observationType"], row["scientificName"], row["classificationMethod"])
        for row in sorted(found["observations"], key=lambda row: str(row["observationID"]))
    ]
    assert told == [
        ("animal", "Felis catus", "machine"),
        ("human", "Homo sapiens", "machine"),
        ("animal", "Carduelis carduelis", "machine"),
        ("animal", "Aves", "machine"),
        ("animal", "Carduelis carduelis", "human"),
        ("unclassified", None, "human"),
        ("unclassified", None, "machine"),
        ("vehicle", None, "machine"),
        ("unknown", None, "machine"),
        ("unknown", None, "machine"),
        ("animal", "Vulpes vulpes", "machine"),
    ]
    assert (written.observations, written.media, written.gone) == (11, 11, 0)
    assert len(found["deployments"]) == 2
    assert {row["observationID"] for row in found["observations"]} == {row["mediaID"] for row in found["media"]}


def test_an_observation_says_when_how_surely_and_by_what_it_was_classified(tmp_path: Path) -> None:
    exported(made_history(tmp_path / "state"), tmp_path / "out")
    found = {row["observationID"]: row for row in rows(tmp_path / "out")["observations"]}

    cat, bird, named = (found[f"01JM{hour:022}"] for hour in (0, 2, 5))
    assert cat["eventStart"].isoformat() == "2026-01-01T01:00:00+01:00"
    assert cat["eventEnd"].isoformat() == "2026-01-01T01:00:02+01:00"
    assert (cat["observationLevel"], cat["mediaID"], cat["eventID"]) == ("event", None, cat["observationID"])
    assert (float(cat["classificationProbability"]), cat["count"]) == (0.9, None)
    assert cat["classifiedBy"] == "vitcam, model everyday (SHA-256 abc)"
    assert (bird["classifiedBy"], float(bird["classificationProbability"])) == ("vitcam, model birds", 0.83)
    assert bird["observationTags"] == "label:bird | second label:European Goldfinch"
    assert (named["classifiedBy"], named["classificationProbability"]) == ("the owner of the camera", None)
    assert named["observationTags"] == 'label:=Mimi, "unsere" Katze / groß | model label:tabby cat'


def test_no_cell_begins_as_a_formula_does(tmp_path: Path) -> None:
    events = [
        {"label": text, "zone": text, "camera": text, "corrected": text} for text in ("=1+1", "+1", "-1", "@SUM(A1)")
    ]
    exported(made_history(tmp_path / "state", events), tmp_path / "out")

    for table in rows(tmp_path / "out").values():
        texts = [value for row in table for value in row.values() if isinstance(value, str)]
        assert texts
        assert not [text for text in texts if text.startswith(("=", "+", "-", "@"))]


def test_the_place_is_rounded_and_says_how_far_the_camera_may_be(tmp_path: Path) -> None:
    exported(made_history(tmp_path / "state"), tmp_path / "out")
    first, *_ = rows(tmp_path / "out")["deployments"]

    assert (str(first["latitude"]), str(first["longitude"])) == ("52.52", "13.38")
    assert first["coordinateUncertainty"] == 654
    assert first["locationName"] == BERLIN.name
    said = descriptor(tmp_path / "out")
    assert said["coordinatePrecision"] == 0.01
    assert said["spatial"]["coordinates"] == [13.38, 52.52]
    assert "52.516" not in (tmp_path / "out" / "datapackage.json").read_text()
    assert "camera:8554" not in (tmp_path / "out" / "deployments.csv").read_text()


def test_deployments_last_from_the_first_event_to_the_last_or_as_given(tmp_path: Path) -> None:
    store = made_history(tmp_path / "state")
    exported(store, tmp_path / "out")
    here = max(rows(tmp_path / "out")["deployments"], key=lambda row: row["deploymentEnd"] - row["deploymentStart"])
    assert here["deploymentStart"].isoformat() == "2026-01-01T01:00:00+01:00"
    assert here["deploymentEnd"].isoformat() == "2026-01-01T10:00:02+01:00"

    day = replace(WITH_MEDIA, deployed_ms=START_MS - 24 * HOUR_MS, retrieved_ms=START_MS + 24 * HOUR_MS)
    exported(store, tmp_path / "given", wishes=day)
    assert problems(tmp_path / "given") == []
    assert {row["deploymentStart"].isoformat() for row in rows(tmp_path / "given")["deployments"]} == {
        "2025-12-31T01:00:00+01:00"
    }
    assert descriptor(tmp_path / "given")["temporal"] == {"start": "2025-12-31", "end": "2026-01-02"}
    late = replace(WITH_MEDIA, deployed_ms=START_MS + HOUR_MS)
    with pytest.raises(UsageError, match=r"--deployed is after the first event, of 2026-01-01T01:00:00\+01:00"):
        exported(store, tmp_path / "late", wishes=late)
    early = replace(WITH_MEDIA, retrieved_ms=START_MS + HOUR_MS)
    with pytest.raises(UsageError, match="--retrieved is before the last event ends"):
        exported(store, tmp_path / "early", wishes=early)


def test_pictures_and_films_lie_beside_and_are_public_only_where_asked_and_without_people(tmp_path: Path) -> None:
    store = with_film(made_history(tmp_path / "state", [EVENTS[0] | {"favourite": True}, EVENTS[1]]), 0)
    exported(store, tmp_path / "out")
    found = {row["mediaID"]: row for row in rows(tmp_path / "out")["media"]}

    cat, film = found[f"01JM{0:022}"], found[f"01JM{0:022}-clip"]
    assert (tmp_path / "out" / cat["filePath"]).read_bytes() == JPEG
    assert (tmp_path / "out" / film["filePath"]).read_bytes() == b"film"
    assert (film["fileMediatype"], film["captureMethod"]) == ("video/mp4", "activityDetection")
    assert [row["filePublic"] for row in found.values()] == [False] * 3

    exported(store, tmp_path / "public", wishes=replace(WITH_MEDIA, public=True))
    public = {row["mediaID"]: row["filePublic"] for row in rows(tmp_path / "public")["media"]}
    assert public == {f"01JM{0:022}": True, f"01JM{0:022}-clip": True, f"01JM{1:022}": False}
    assert problems(tmp_path / "public") == []


@pytest.mark.parametrize(("label", "p"), [("person", 0.9), ("scuba diver", 0.3)])
def test_pictures_in_which_the_model_saw_a_person_are_not_public_whatever_a_person_named_them(
    tmp_path: Path, label: str, p: float
) -> None:
    seen = {"label": label, "p": p, "model": "everyday"}
    named = [seen | {"corrected": word} for word in ("Anna", "postman", "tabby cat")]
    exported(
        made_history(tmp_path / "state", [*named, EVENTS[6] | {"corrected": "person"}, seen]),
        tmp_path / "out",
        wishes=replace(WITH_MEDIA, public=True),
    )

    assert [row["filePublic"] for row in rows(tmp_path / "out")["media"]] == [False] * 5


def test_what_was_seen_elsewhere_in_the_picture_while_somebody_was_there_is_not_public(tmp_path: Path) -> None:
    spans = {"cat": (0, 20), "someone": (10, 60), "fox": (100, 110), "later": (200, 210), "elsewhere": (30, 40)}
    labels = {"cat": "tabby cat", "someone": "person", "fox": "red fox", "later": "red fox", "elsewhere": "red fox"}
    store = stored_history(
        tmp_path / "state",
        [
            change(
                f"01JM{number:022}", "end", jpeg=JPEG, label=labels[name], model="everyday",
                start_ms=START_MS + begin * 1000, end_ms=START_MS + end * 1000,
                camera="rtsp://camera:8554/street" if name == "elsewhere" else "test",
            )
            for number, (name, (begin, end)) in enumerate(spans.items())
        ],
    )  # fmt: skip
    exported(store, tmp_path / "out", wishes=replace(WITH_MEDIA, public=True))
    found = {row["mediaID"]: row["filePublic"] for row in rows(tmp_path / "out")["media"]}

    assert [found[f"01JM{number:022}"] for number in range(5)] == [False, False, False, True, True]


def test_without_media_and_without_pictures_a_package_is_valid_too(tmp_path: Path) -> None:
    store = made_history(tmp_path / "state")
    assert exported(store, tmp_path / "out", wishes=replace(WITH_MEDIA, media=False)).media == 0
    assert problems(tmp_path / "out") == []
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "datapackage.json", "deployments.csv", "media.csv", "observations.csv",
    ]  # fmt: skip
    for path in (tmp_path / "state" / "frames").rglob("*.jpg"):
        path.unlink()
    assert exported(store, tmp_path / "gone").gone == 11
    assert problems(tmp_path / "gone") == []
    assert exported(made_history(tmp_path / "bare", jpeg=None), tmp_path / "none").gone == 0
    assert problems(tmp_path / "none") == []


def test_a_picture_and_a_film_that_cannot_be_read_are_named_and_counted_as_gone_and_all_others_are_exported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    state = tmp_path / "state"
    store = with_film(made_history(state, EVENTS[:3]), 2)
    event = store.get(f"01JM{1:022}")
    assert event is not None
    assert event.frame is not None
    for path in (state / event.frame, state / "clips" / "a.mp4"):
        path.unlink()
        path.symlink_to(path.name)  # its own end: reading it fails, also for root

    written = exported(store, tmp_path / "out")
    assert (written.observations, written.media, written.gone) == (3, 2, 2)
    assert problems(tmp_path / "out") == []
    assert [f"{event.frame} cannot be read" in caplog.text, "a.mp4 cannot be read" in caplog.text] == [True] * 2


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati"])
def test_times_are_those_of_the_place_with_their_offset(tmp_path: Path, zone: str) -> None:
    exported(made_history(tmp_path / "state"), tmp_path / "out", place=replace(BERLIN, time_zone=zone))

    assert problems(tmp_path / "out") == []
    starts = {row["observationID"]: row["eventStart"] for row in rows(tmp_path / "out")["observations"]}
    for hour in range(10):
        moment = datetime.fromisoformat("2026-01-01T00:00:00+00:00") + timedelta(hours=hour)
        assert starts[f"01JM{hour:022}"] == moment
    assert zone == "UTC" or starts[f"01JM{0:022}"].utcoffset() != timedelta(0)


def test_both_sides_of_the_hour_that_summer_time_repeats_are_told_apart(tmp_path: Path) -> None:
    october = int(datetime.fromisoformat("2026-10-25T00:30:00+00:00").timestamp() * 1000)
    changes = [
        change(f"01JM{n:022}", "end", start_ms=october + n * HOUR_MS, end_ms=october + n * HOUR_MS) for n in range(2)
    ]
    exported(stored_history(tmp_path / "state", changes), tmp_path / "out")

    found = sorted((tmp_path / "out" / "observations.csv").read_text().splitlines()[1:])
    assert "2026-10-25T02:30:00+02:00" in found[0]
    assert "2026-10-25T02:30:00+01:00" in found[1]


def test_an_event_that_lasts_ends_with_the_last_that_is_known_of_it(tmp_path: Path) -> None:
    lasting = change("01JM", "update", start_ms=START_MS, end_ms=None, curve=((0, 0.9), (4000, 0.8)))
    exported(stored_history(tmp_path / "state", [lasting]), tmp_path / "out")

    (row,) = rows(tmp_path / "out")["observations"]
    assert row["eventEnd"] - row["eventStart"] == timedelta(seconds=4)


def test_names_of_ones_own_get_scientific_names_from_a_file_and_from_the_names_in_force(tmp_path: Path) -> None:
    store = made_history(
        tmp_path / "state", [{"label": "Mimi"}, {"label": "Amsel"}, {"label": "cup", "corrected": "Mimi"}]
    )

    def names_of(name: str) -> tuple[str, ...]:
        return (name, "tabby cat") if name == "Mimi" else (name,)

    exported(store, tmp_path / "out", own={"amsel": "Turdus merula"}, names_of=names_of)
    found = {row["observationID"]: row["scientificName"] for row in rows(tmp_path / "out")["observations"]}

    assert list(dict(sorted(found.items())).values()) == ["Felis catus", "Turdus merula", "Felis catus"]


def test_the_taxa_are_listed_with_ranks(tmp_path: Path) -> None:
    exported(made_history(tmp_path / "state"), tmp_path / "out")
    taxa = {taxon["scientificName"]: taxon for taxon in descriptor(tmp_path / "out")["taxonomic"]}

    assert set(taxa) == {"Felis catus", "Homo sapiens", "Carduelis carduelis", "Aves", "Vulpes vulpes"}
    assert taxa["Aves"] == {
        "scientificName": "Aves", "taxonRank": "class", "class": "Aves", "vernacularNames": {"eng": "bird"},
    }  # fmt: skip


def test_a_zip_holds_the_same_and_is_valid(tmp_path: Path) -> None:
    store = made_history(tmp_path / "state")
    exported(store, tmp_path / "out")
    exported(store, tmp_path / "out.zip")

    assert problems(tmp_path / "out.zip") == []
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == sorted(
            str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*") if path.is_file()
        )
        for name in ("observations.csv", "media.csv", "deployments.csv"):
            assert archive.read(name) == (tmp_path / "out" / name).read_bytes()


@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_nothing_is_written_over_and_nothing_half_is_left(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, target = made_history(tmp_path / "state"), tmp_path / "made" / name
    with pytest.raises(UsageError, match="there is no folder"):
        exported(store, target)
    target.parent.mkdir()
    target.write_text("mine")
    with pytest.raises(UsageError, match="is there already; name a new one"):
        exported(store, target)
    assert target.read_text() == "mine"
    target.unlink()

    put = output.ZipPackage.put if name.endswith("zip") else output.FolderPackage.put
    count = 0

    def put_until_full(self: output.Package, path: str, data: bytes) -> None:
        nonlocal count
        if (count := count + 1) > 5:
            raise OSError(28, os.strerror(28))
        put(self, path, data)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(output.ZipPackage, "put", put_until_full)
        patched.setattr(output.FolderPackage, "put", put_until_full)
        with pytest.raises(
            VitcamError, match="cannot be written: No space left on device; nothing was written; make room"
        ):
            exported(store, target)
    assert list(target.parent.iterdir()) == []
    with pytest.raises(UsageError, match="there is no such event"):
        exported(made_history(tmp_path / "none", []), target)
    assert list(target.parent.iterdir()) == []
    exported(store, target)
    assert list(target.parent.iterdir()) == [target]


def test_many_events_do_not_fill_the_memory(tmp_path: Path) -> None:
    state, jpeg = tmp_path / "state", JPEG + b"\0" * 1_000_000
    events = [{"label": "brambling", "group": BIRD, "model": "everyday"}] * 60
    store = made_history(state, events, jpeg)
    exported(made_history(tmp_path / "one", events[:1]), tmp_path / "first")  # loads what each export needs
    tracemalloc.start()
    exported(store, tmp_path / "out.zip")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (tmp_path / "out.zip").stat().st_size > 50_000_000
    assert peak < 20_000_000
