"""`vitcam events`, beside a store that writes meanwhile, and when nothing else runs."""

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.command import Result, vitcam
from tests.eventually import eventually
from tests.frames import picture
from tests.histories import START_MS, SUMMARY, change, is_sound
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import Query
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_jpeg
from vitcam.rects import Box, Rect

JPEG = encode_jpeg(picture(), 80)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    made = EventStore(tmp_path / "vitcam", RetentionRules())
    made.start()
    for number in range(6):
        label = "cup" if number % 2 else "cat/dog"
        made.put(change(f"event-{number}", "end", label, JPEG, start_ms=START_MS + 1000 * number))
    made.put(change("lasting", "new", "cup", JPEG, start_ms=START_MS + 10_000))
    assert eventually(lambda: len(made.find(Query()).events) == 7)
    yield made
    made.stop(10)


@pytest.fixture
def ended(store: EventStore) -> EventStore:
    """As a daemon left it that has ended."""
    store.stop(10)
    return store


def events(store: EventStore, *arguments: str) -> Result:
    return vitcam("events", *arguments, XDG_STATE_HOME=str(store.folder.parent), TZ="UTC")


def test_the_list_is_for_people_and_for_machines(ended: EventStore) -> None:
    plain = events(ended, "list", "--limit", "2").out.splitlines()
    table = [*csv.DictReader(io.StringIO(events(ended, "list", "--label", "cup", "--csv").out))]

    assert [line.split()[-1] for line in plain] == ["lasting", "event-5"]
    assert "2026-01-01 00:00:05" in plain[1]
    assert [row["id"] for row in table] == ["lasting", "event-5", "event-3", "event-1"]
    assert [line["id"] for line in events(ended, "list", "--text", "DOG", "--json").lines] == [
        "event-4", "event-2", "event-0",
    ]  # fmt: skip


def test_an_event_of_a_box_says_where_and_writes_its_box(store: EventStore, tmp_path: Path) -> None:
    summary = replace(SUMMARY, crop=Rect(0, 0, 32, 36), detail=(96, 108))
    one = change("boxed", "end", "robin", JPEG, track=7, box=Box(0, 0, 0.25, 0.5), summary=summary)
    store.put(replace(one, detail=encode_jpeg(picture(108, 96), 90)))
    assert eventually(lambda: store.get("boxed"))
    out = tmp_path / "box.jpg"

    found = events(store, "show", "boxed", "--out", str(out), "--box")
    without = events(store, "show", "event-1", "--out", str(out.with_name("none.jpg")), "--box")

    assert "in the box 0,0,0.25,0.5 of the picture, track 7" in found.out
    assert [line.endswith(".box.jpg") for line in found.out.splitlines()].count(True) == 1
    assert decode_image(out.read_bytes()).shape == (108, 96, 3)
    assert (without.code, "leave out --box" in without.err) == (2, True)


def test_one_event_is_shown_with_its_picture(store: EventStore, tmp_path: Path) -> None:
    out = tmp_path / "seen.jpg"
    shown = events(store, "show", "event-1", "-o", str(out), "--json")

    assert shown.lines[0]["label"] == "cup"
    assert shown.lines[0]["curve"] == []
    assert decode_image(out.read_bytes()).shape == (72, 128, 3)


def test_pictures_are_exported_as_a_data_set_of_one_folder_a_label(store: EventStore, tmp_path: Path) -> None:
    done = events(store, "export", str(tmp_path / "set"))
    again = events(store, "export", str(tmp_path / "set"))

    assert done.code == 0, done.err
    assert sorted(path.name for path in (tmp_path / "set").iterdir()) == ["cat_dog", "cup"]
    assert len([*(tmp_path / "set").glob("*/*.jpg")]) == 7
    assert (again.code, "is there already" in again.sentence) == (2, True)


def test_lines_are_exported_to_a_file(ended: EventStore, tmp_path: Path) -> None:
    events(ended, "export", str(tmp_path / "seen.csv"), "--until", "2026-01-01T00:00:02Z")

    assert len((tmp_path / "seen.csv").read_text().splitlines()) == 3


@pytest.mark.parametrize("running", [True, False])
def test_all_of_a_label_is_deleted_and_an_event_that_lasts_does_not_come_back(store: EventStore, running: bool) -> None:
    if not running:
        store.stop(10)
    unsure = events(store, "delete", "--label", "cup")
    done = events(store, "delete", "--label", "cup", "--yes")
    if running:
        store.put(change("lasting", "update", "cup", JPEG + b"better"))
        store.put(change("another", "new", "cat"))
        assert eventually(lambda: store.get("another"))

    assert (unsure.code, "4 event(s) would be deleted" in unsure.sentence) == (2, True)
    assert done.code == 0, done.err
    assert "cup" not in {event.label for event in store.find(Query()).events}
    assert not [path for path in store.folder.rglob("*.jpg") if "lasting" in path.name]
    assert is_sound(store.folder)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("delete",), "say which events to delete"),
        (("delete", "event-1", "--label", "cup"), "say which events to delete"),
        (("delete", "none"), "there is no event 'none'"),
        (("show", "none"), "there is no event 'none'"),
        (("list", "--since", "tomorrow"), "must be a time"),
    ],
)
def test_a_wrong_use_is_refused_in_a_sentence(ended: EventStore, arguments: tuple[str, ...], sentence: str) -> None:
    refused = events(ended, *arguments)

    assert (refused.code, sentence in refused.sentence) == (2, True), refused.sentence


def test_a_machine_that_keeps_nothing_says_so(tmp_path: Path) -> None:
    refused = vitcam("events", "list", XDG_STATE_HOME=str(tmp_path))

    assert refused.code == 2
    assert "there is no history" in refused.sentence
