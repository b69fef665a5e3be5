"""`/api/events…` and the events among the server-sent ones: a real store behind a real server."""

import builtins
import csv
import io
import json
import os
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.eventually import eventually
from tests.frames import picture
from tests.histories import START_MS, SUMMARY, change
from tests.integration.web.camera import Camera, Client
from tests.integration.web.lines import connected
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import FrameSummary, Query
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_jpeg
from vitcam.rects import Box, Rect
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

JPEG = encode_jpeg(picture(), 80)
DAY_MS = 86_400_000


def event_id(number: int) -> str:
    return f"01{number:024}"


@pytest.fixture
def serving(camera: Camera, store: EventStore) -> Iterator[WebServer]:
    running = WebServer(camera.parts(history=store), Binding())
    running.start()
    running.wait_until_serving()
    yield running
    running.stop(2)


def fill(store: EventStore) -> EventStore:
    """Twelve events of two labels in two zones, an hour apart."""
    for number in range(12):
        label, zone = ("cup", "desk") if number % 2 else ("cat", "door")
        begun = START_MS + number * 3_600_000
        store.put(change(event_id(number), "end", label, JPEG, zone=zone, start_ms=begun, end_ms=begun + 1000))
    assert eventually(lambda: len(store.find(Query()).events) == 12)
    return store


@pytest.fixture
def filled(store: EventStore) -> EventStore:
    return fill(store)


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A server of these events, which no test changes."""
    kept = EventStore(tmp_path_factory.mktemp("twelve"), RetentionRules())
    kept.start()
    with Camera() as camera:
        running = WebServer(camera.parts(history=fill(kept)), Binding())
        running.start()
        running.wait_until_serving()
        yield running
        running.stop(2)
    kept.stop(10)


def ask(server: WebServer, target: str, method: str = "GET", body: Any = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.url}{target}", data, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            found = answer.read()
            kind = answer.headers.get_content_type()
            return answer.status, json.loads(found) if kind == "application/json" else found
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, json.load(refusal)["error"]


@pytest.fixture
def followed(store: EventStore) -> EventStore:
    """An event of a box in the upper left corner, of which the camera has more px, and one of the whole view."""
    summary = FrameSummary(SUMMARY.top, (128, 72), Rect(0, 0, 32, 36), np.eye(4, dtype=np.float32), 0.9, (96, 108))
    box = Box(0, 0, 0.25, 0.5)
    one = change(event_id(1), "end", "robin", JPEG, track=7, box=box, summary=summary)
    store.put(replace(one, detail=encode_jpeg(picture(108, 96, 200), 90)))
    store.put(change(event_id(0), "end", "cup", JPEG))
    assert eventually(lambda: len(store.find(Query()).events) == 2)
    return store


def test_an_event_of_a_box_says_where_it_was_and_shows_its_box(serving: WebServer, followed: EventStore) -> None:
    _, page = ask(serving, "/api/events")
    status, jpeg = ask(serving, f"/api/events/{event_id(1)}/detail.jpg")
    _, drawn = ask(serving, f"/api/events/{event_id(1)}/detail.jpg?overlay=evidence&width=48")
    robin, cup = sorted(page["events"], key=lambda event: str(event["label"]), reverse=True)

    assert (robin["track"], robin["box"]) == (7, "0,0,0.25,0.5")
    assert (robin["frame"], robin["detail"]) == tuple(
        f"/api/events/{event_id(1)}/{name}.jpg" for name in ("frame", "detail")
    )
    assert (cup["track"], cup["box"], cup["detail"]) == (None, None, None)
    assert (status, decode_image(jpeg).shape) == (200, (108, 96, 3))
    assert decode_image(drawn).shape == (54, 48, 3)
    assert ask(serving, f"/api/events/{event_id(0)}/detail.jpg")[0] == 404


def ids(answer: Any) -> list[int]:
    return [int(event["id"][2:]) for event in answer["events"]]


def test_pages_follow_each_other_from_the_newest_to_the_oldest(twelve: WebServer) -> None:
    _, first = ask(twelve, "/api/events?limit=5")
    _, second = ask(twelve, f"/api/events?limit=5&before={first['next']}")
    _, last = ask(twelve, f"/api/events?limit=5&before={second['next']}")

    assert (ids(first), ids(second), ids(last)) == ([11, 10, 9, 8, 7], [6, 5, 4, 3, 2], [1, 0])
    assert last["next"] is None


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ("label=cup", [11, 9, 7, 5, 3, 1]),
        ("zone=door&limit=2", [10, 8]),
        ("since=2026-01-01T09:00:00Z", [11, 10, 9]),
        ("until=2026-01-01T02:00:00Z", [1, 0]),
        ("text=CU&since=2026-01-01T08:00:00Z", [11, 9]),
        ("text=oo", [10, 8, 6, 4, 2, 0]),
        ("text=nothing", []),
        ("min_p=0.99", []),
        ("kind=unknown", []),
        ("favourite=1", []),
        ("corrected=1", []),
        ("corrected=0&limit=1", [11]),
        ("label=cup&zone=door", []),
    ],
)
def test_every_filter_leaves_only_what_it_names(twelve: WebServer, filters: str, found: list[int]) -> None:
    assert ids(ask(twelve, f"/api/events?{filters}")[1]) == found


@pytest.mark.parametrize(
    "filters", ["since=x", "min_p=2", "kind=x", "favourite=x", "corrected=x", "limit=0", "limit=x"]
)
def test_a_filter_that_is_invalid_is_refused_in_a_sentence(twelve: WebServer, filters: str) -> None:
    status, sentence = ask(twelve, f"/api/events?{filters}")

    assert status == 400
    assert filters.split("=")[0] in sentence
    assert "must be" in sentence


def test_a_picture_comes_whole_small_or_with_its_evidence(serving: WebServer, store: EventStore) -> None:
    evidence = np.zeros((4, 4), np.float32)
    evidence[0, 0] = 1
    summary = FrameSummary(SUMMARY.top, SUMMARY.size, SUMMARY.crop, evidence)
    store.put(change(event_id(1), "end", jpeg=JPEG, summary=summary))
    assert eventually(lambda: store.get(event_id(1)))
    where = f"/api/events/{event_id(1)}/frame.jpg"

    assert ask(serving, where)[1] == JPEG
    assert decode_image(ask(serving, f"{where}?width=64")[1]).shape == (36, 64, 3)
    assert decode_image(ask(serving, f"{where}?overlay=evidence")[1]).std() > 0
    assert ask(serving, f"{where}?overlay=rollout")[0] == 400


def test_no_request_for_the_history_makes_the_event_loop_wait_for_the_disk(
    serving: WebServer, store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = store.folder / "clips" / "1.mp4"
    clip.parent.mkdir(exist_ok=True)
    clip.write_bytes(b"a video")
    store.put(change(event_id(1), "end", jpeg=JPEG))
    store.attach_clip(event_id(1), clip)
    assert eventually(lambda: (event := store.get(event_id(1))) and event.clip)
    asked: list[tuple[str, str]] = []

    def watched(name: str, does: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *args: Any, **more: Any) -> Any:
            if str(store.folder) in os.fsdecode(path if isinstance(path, (str, bytes, os.PathLike)) else ""):
                asked.append((name, threading.current_thread().name))
            return does(path, *args, **more)

        return call

    for module, name in ((os, "stat"), (os, "open"), (io, "open"), (builtins, "open")):
        monkeypatch.setattr(module, name, watched(name, getattr(module, name)))
    base = f"/api/events/{event_id(1)}"
    for route in (f"{base}/clip.mp4", f"{base}/frame.jpg", f"{base}/frame.jpg?width=64", base, "/api/events"):
        assert ask(serving, route)[0] == 200
    monkeypatch.undo()

    assert any(name == "stat" for name, _ in asked)
    assert [name for name, thread in asked if thread == "web"] == []


def test_a_browser_that_has_a_picture_gets_it_only_once(serving: WebServer, filled: EventStore) -> None:
    url = f"{serving.url}/api/events/{event_id(1)}/frame.jpg?width=64"
    with urllib.request.urlopen(url, timeout=30) as answer:
        tag = answer.headers["ETag"]
    again = urllib.request.Request(url, headers={"If-None-Match": tag})

    with pytest.raises(urllib.error.HTTPError) as unchanged:
        urllib.request.urlopen(again, timeout=30)
    with unchanged.value as answer:
        assert answer.status == 304


def test_a_corrected_event_is_found_by_its_new_label_and_its_picture_is_filed(
    serving: WebServer, filled: EventStore
) -> None:
    status, changed = ask(serving, f"/api/events/{event_id(1)}", "PATCH", {"label": "mug"})
    filed = filled.folder / "datasets" / "corrections" / "mug" / f"{event_id(1)}.jpg"

    assert (status, changed["label"], changed["corrected"]) == (200, "cup", "mug")
    assert filed.read_bytes() == JPEG
    assert ids(ask(serving, "/api/events?label=mug")[1]) == [1]
    assert ids(ask(serving, "/api/events?corrected=1")[1]) == [1]
    assert 1 not in ids(ask(serving, "/api/events?corrected=0")[1])
    ask(serving, f"/api/events/{event_id(1)}", "PATCH", {"label": None})
    assert not filed.exists()
    assert ids(ask(serving, "/api/events?label=mug")[1]) == []


@pytest.mark.parametrize("body", [{}, [], {"label": ""}, {"label": 3}, {"label": "a\nb"}, {"favourite": 1}, {"p": 1}])
def test_a_change_that_is_invalid_is_refused(twelve: WebServer, body: Any) -> None:
    assert ask(twelve, f"/api/events/{event_id(1)}", "PATCH", body)[0] == 400


def test_everything_of_a_label_is_deleted_and_the_disk_shows_it(serving: WebServer, filled: EventStore) -> None:
    ask(serving, f"/api/events/{event_id(1)}", "PATCH", {"label": "Ms Example"})
    files = [path for path in filled.folder.rglob("*.jpg") if event_id(1) in path.name]
    assert len(files) == 2
    status, answer = ask(serving, "/api/events?label=Ms%20Example", "DELETE")

    assert (status, answer) == (200, {"deleted": 1, "more": False})
    assert not [path for path in files if path.exists()]
    assert b"Ms Example" not in b"".join(path.read_bytes() for path in filled.folder.glob("events.db*"))
    assert len(ask(serving, "/api/events")[1]["events"]) == 11


def test_nothing_is_deleted_without_a_filter(serving: WebServer, filled: EventStore) -> None:
    status, sentence = ask(serving, "/api/events", "DELETE")

    assert status == 400
    assert "at least one of" in sentence
    assert len(ask(serving, "/api/events")[1]["events"]) == 12


def test_counts_are_by_label_and_quarter_of_an_hour(serving: WebServer, filled: EventStore) -> None:
    """Event 2 begins at 02:00; a further one at 02:40, which is 08:10 in India, where hours begin at half past."""
    begun = START_MS + 160 * 60_000
    filled.put(change(event_id(20), "end", "cat", JPEG, start_ms=begun, end_ms=begun + 1000))
    assert eventually(lambda: len(filled.find(Query()).events) == 13)
    _, answer = ask(serving, "/api/events/counts?since=2026-01-01T02:00:00Z&until=2026-01-01T04:00:00Z")

    assert answer["hours"] == [
        {"hour": "2026-01-01T02:00:00.000Z", "label": "cat", "events": 1},
        {"hour": "2026-01-01T02:30:00.000Z", "label": "cat", "events": 1},
        {"hour": "2026-01-01T03:00:00.000Z", "label": "cup", "events": 1},
    ]


@pytest.mark.parametrize(("ahead", "hour"), [("0", 9), ("330", 14), ("-600", 23)])
def test_all_days_count_together_on_the_clock_that_is_asked_for(
    serving: WebServer, filled: EventStore, ahead: str, hour: int
) -> None:
    for day, number in ((1, 20), (2, 21)):
        begun = START_MS + 9 * 3_600_000 + day * DAY_MS
        filled.put(change(event_id(number), "end", "cup", JPEG, start_ms=begun, end_ms=begun + 1000))
    assert eventually(lambda: len(filled.find(Query()).events) == 14)
    times = "since=2026-01-01T09:00:00Z&until=2026-02-01T00:00:00Z"
    _, answer = ask(serving, f"/api/events/counts?{times}&label=cup&ahead_min={ahead}")
    found = {int(each["hour"][11:13]): each["events"] for each in answer["hours"] if each["label"] == "cup"}

    assert found[hour] == 3
    assert all(each["hour"].startswith("1970-01-01") for each in answer["hours"])


@pytest.mark.parametrize("ahead", ["x", "1441", "-99999", "1.5", "٣"])
def test_a_clock_that_cannot_be_is_refused(twelve: WebServer, ahead: str) -> None:
    status, answer = ask(twelve, f"/api/events/counts?ahead_min={urllib.parse.quote(ahead)}")

    assert status == 400
    assert "from -1440 to 1440" in str(answer)


COUNTED = [
    ("favourite=1", {"cat": 1}),
    ("favourite=0&label=cat", {"cat": 5}),
    ("corrected=1", {"cup": 1}),
    ("corrected=0", {"cat": 6, "cup": 5}),
    ("text=MU", {"cup": 1}),
    ("text=nowhere", {}),
    ("favourite=1&text=ca", {"cat": 1}),
    ("favourite=1&label=cup", {}),
    ("shown=CAT", {"cat": 6}),
    ("shown=mug&label=mug", {"cup": 1}),  # people say cup for it
]


def test_counts_are_of_the_events_that_the_same_filters_list(serving: WebServer, filled: EventStore) -> None:
    favourite = ask(serving, f"/api/events/{event_id(2)}", "PATCH", {"favourite": True})[1]
    filled.correct(event_id(1), "mug")
    for filters, counted in COUNTED:
        _, answer = ask(serving, f"/api/events/counts?since=2026-01-01&{filters}")
        _, listed = ask(serving, f"/api/events?{filters}")
        counts = Counter[str]()
        for hour in answer["hours"]:
            counts[hour["label"]] += hour["events"]

        assert dict(counts) == counted, filters
        assert dict(Counter(each["shown"]["kind"] for each in listed["events"])) == counted, filters
    assert favourite["favourite"]
    assert ask(serving, "/api/events/names")[1] == {"shown": ["cat", "cup"], "zones": ["desk", "door"]}


def test_a_summary_folds_a_day_and_its_parts(twelve: WebServer) -> None:
    times = "2026-01-01T00:00:00Z,2026-01-01T05:00:00Z,2026-01-01T11:00:00Z"
    _, answer = ask(twelve, f"/api/events/summary?times={times}&limit=1")
    whole, parts = answer["whole"], answer["parts"]

    assert (whole["since"], whole["until"]) == ("2026-01-01T00:00:00.000Z", "2026-01-01T11:00:00.000Z")
    assert (whole["events"], whole["things"]) == (11, 2)
    assert [(each["label"], each["events"]) for each in whole["stories"]] == [("cat", 6)]
    assert whole["stories"][0]["event"]["frame"].endswith("/frame.jpg")
    assert [(part["events"], part["stories"][0]["last"]) for part in parts] == [
        (5, "2026-01-01T04:00:00.000Z"),
        (6, "2026-01-01T10:00:00.000Z"),
    ]
    assert (answer["oldest"], answer["earlier"]) == ("2026-01-01T00:00:00.000Z", None)
    assert answer["later"] == "2026-01-01T11:00:00.000Z"


@pytest.mark.parametrize(
    ("times", "named"),
    [
        ("2026-01-01", "from 2 to 16"),
        (",".join(["2026-01-01"] * 17), "from 2 to 16"),
        ("2026-01-02,2026-01-01", "sort them"),
        ("2026-01-01,2026-01-01", "sort them"),
        ("2026-01-01,tomorrow", "'tomorrow'"),
        ("0001-01-01,9999-12-31T23:59:59Z", "0001"),
    ],
)
def test_times_that_are_invalid_are_refused_with_what_is_allowed(twelve: WebServer, times: str, named: str) -> None:
    status, answer = ask(twelve, f"/api/events/summary?times={times}")

    assert status == 400
    assert named in str(answer)


def test_the_events_beside_one_are_found_whatever_the_filters(twelve: WebServer) -> None:
    def beside(place: str, number: int, more: str = "") -> list[int]:
        return ids(ask(twelve, f"/api/events?{place}={event_id(number)}&limit=2{more}")[1])

    assert beside("after", 5) == [7, 6]
    assert beside("before", 5) == [4, 3]
    assert beside("after", 5, "&label=cat") == [8, 6]
    assert beside("after", 5, "&text=ca") == [8, 6]
    assert beside("after", 11) == []


def test_an_export_has_every_event_once(twelve: WebServer) -> None:
    lines = ask(twelve, "/api/events/export?format=jsonl")[1].decode().splitlines()
    table = [*csv.DictReader(io.StringIO(ask(twelve, "/api/events/export?label=cup")[1].decode()))]

    assert [int(json.loads(line)["id"][2:]) for line in lines] == [*range(11, -1, -1)]
    assert [int(row["id"][2:]) for row in table] == [11, 9, 7, 5, 3, 1]
    assert table[0]["start"] == "2026-01-01T11:00:00.000Z"


def test_a_stored_event_reaches_every_client_that_reads(serving: WebServer, store: EventStore) -> None:
    with Client(serving, "/api/predictions?only=events") as one, Client(serving, "/api/predictions") as other:
        other.read_event()
        for number in range(50):
            store.put(change(event_id(number), "new", jpeg=JPEG))
        found = [json.loads(one.read_event()["data"]) for _ in range(50)]
        events = (event for event in iter(other.read_event, None) if event and event["event"] == "event")
        seen = [next(events)["id"] for _ in range(50)]

    assert [event["id"] for event in found] == seen == [event_id(number) for number in range(50)]
    assert {event["phase"] for event in found} == {"new"}


def test_a_client_that_comes_back_gets_the_events_it_missed(serving: WebServer, filled: EventStore) -> None:
    with Client(serving, "/api/predictions?only=events", headers={"Last-Event-ID": event_id(8)}) as client:
        seen = [client.read_event()["id"] for _ in range(12)]

    assert seen == [event_id(number) for number in range(12)]  # 0 to 8 may have changed meanwhile


def test_only_events_have_ids_so_that_a_client_that_comes_back_misses_none(
    serving: WebServer, store: EventStore
) -> None:
    """A browser names the last id that it got, whatever had it, and reads settings where some clients want data."""
    with Client(serving, "/api/predictions") as client:
        store.put(change(event_id(1), "new", jpeg=JPEG))
        blocks = [client.read_event() for _ in range(30)]
        while not any(block["event"] == "event" for block in blocks):
            blocks.append(client.read_event())
        last_id = [block["id"] for block in blocks if "id" in block][-1]
    store.put(change(event_id(2), "new", jpeg=JPEG))
    assert eventually(lambda: store.get(event_id(2)))
    with Client(serving, "/api/predictions?only=events", headers={"Last-Event-ID": last_id}) as client:
        missed = [client.read_event()["id"] for _ in range(2)]

    assert {block["event"] for block in blocks if "id" in block} == {"event"}
    assert missed == [event_id(1), event_id(2)]


def test_no_block_is_without_data_but_comments(serving: WebServer) -> None:
    with connected(serving, b"GET /api/predictions HTTP/1.0\r\nHost: localhost\r\n\r\n") as line:
        text = b""
        while text.count(b"event: prediction") < 3:
            text += line.recv(65536)
    blocks = text.partition(b"\r\n\r\n")[2].split(b"\n\n")[:-1]

    assert len(blocks) >= 3
    assert [block for block in blocks if not block.startswith(b":") and b"data: " not in block] == []


def test_without_a_store_there_is_no_history(server: WebServer) -> None:
    assert ask(server, "/api/events")[0] == 404
    assert ask(server, f"/api/events/{event_id(1)}", "PATCH", {"favourite": True})[0] == 404
