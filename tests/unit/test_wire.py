import json
import time
from dataclasses import replace
from datetime import UTC, datetime

from tests.frames import prediction
from vitcam.frames import Event, Group, Unreadable
from vitcam.rects import Box, Rect
from vitcam.wire import error_record, event_record, frame_record, prediction_record, summary_record, wall_time


def test_a_prediction_line_has_exactly_the_promised_fields() -> None:
    record = json.loads(json.dumps(prediction_record(prediction())))

    place = ["zone", "track", "box"]
    said = ["top", "group", "shown", "known", "blank", "unfamiliar", "familiarity"]
    assert list(record) == ["type", "source", "path", *place, "seq", "time", *said, "ms"]
    assert record["top"][0] == {"label": "cup", "p": 0.9}
    assert list(record["ms"]) == ["capture", "preprocess", "infer", "total"]


def test_where_a_model_looked_leaves_in_fractions_of_its_own_frame() -> None:
    record = frame_record(replace(prediction(), size=(640, 480), crop=Rect(80, 0, 480, 480)))

    assert record == {"width": 640, "height": 480, "crop": [0.125, 0.0, 0.75, 1.0]}


def test_a_model_that_cannot_tell_familiarity_says_null() -> None:
    assert prediction_record(replace(prediction(), familiarity=None))["familiarity"] is None
    assert prediction_record(replace(prediction(), familiarity=0.123456))["familiarity"] == 0.1235


def test_what_is_displayed_is_named_with_its_probability_and_level() -> None:
    dog = Group("dog", 0.83000001)
    unsure = prediction("collie", 0.31)

    cup = {"label": "cup", "p": 0.9, "level": "label", "kind": "cup", "detail": None}
    assert prediction_record(prediction())["shown"] == cup
    assert prediction_record(replace(unsure, groups=(dog,)))["shown"] == {
        "label": "dog",
        "p": 0.83,
        "level": "group",
        "detail": None,
        "kind": "dog",
    }
    nothing = {"label": None, "p": 0.31, "level": "none", "kind": None, "detail": None}
    assert prediction_record(unsure)["shown"] == nothing


def test_the_group_of_an_unsure_guess_is_named_as_a_guess_is() -> None:
    now = time.monotonic_ns()
    dog = Group("dog", 0.83000001)

    assert prediction_record(prediction())["group"] is None
    assert prediction_record(replace(prediction("collie", 0.31), groups=(dog,)))["group"] == {"label": "dog", "p": 0.83}
    assert event_record(Event("01J", "new", "cup", 0.95, now, None, "demo"))["group"] is None
    assert event_record(Event("01J", "new", "collie", 0.31, now, None, "demo", dog))["group"] == {
        "label": "dog",
        "p": 0.83,
    }


def test_monotonic_times_leave_as_utc_with_milliseconds() -> None:
    text = wall_time(time.monotonic_ns())
    parsed = datetime.fromisoformat(text)

    assert text.endswith("Z")
    assert len(text) == len("2026-01-02T03:04:05.678Z")
    assert abs((datetime.now(UTC) - parsed).total_seconds()) < 1


def test_a_box_leaves_as_fractions_of_the_picture_with_its_track() -> None:
    whole = replace(prediction(), size=(1280, 720), crop=Rect(320, 180, 320, 320))
    box = Box(0.25, 0.25, 0.25, 4 / 9)
    event = Event("01J", "new", "robin", 0.9, time.monotonic_ns(), None, "demo", track=7, box=box)

    records = [prediction_record(replace(whole, track=7)), event_record(event)]
    without = [prediction_record(whole), event_record(replace(event, track=None, box=None))]

    assert [(each["track"], each["box"]) for each in records] == [(7, "0.25,0.25,0.25,0.444444")] * 2
    assert [(each["track"], each["box"]) for each in without] == [(None, None)] * 2


def test_an_event_that_lasts_has_no_end() -> None:
    now = time.monotonic_ns()

    assert event_record(Event("01J", "update", "cup", 0.95, now, now, "demo"))["end"] is None, "it may come again"
    assert event_record(Event("01J", "new", "cup", 0.95, now, None, "demo"))["end"] is None
    assert event_record(Event("01J", "end", "cup", 0.95, now, now, "demo"))["end"] is not None


def test_errors_and_the_summary_are_records_of_their_own() -> None:
    assert error_record(Unreadable("a.jpg", "why")) == {"type": "error", "path": "a.jpg", "error": "why"}
    assert summary_record(3, 1, 0, 1.23456)["seconds"] == 1.235
