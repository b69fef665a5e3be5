import json
import time
from datetime import UTC, datetime

from tests.frames import prediction
from vitcam.frames import Event, Unreadable
from vitcam.wire import error_record, event_record, prediction_record, summary_record, wall_time


def test_a_prediction_line_has_exactly_the_promised_fields() -> None:
    record = json.loads(json.dumps(prediction_record(prediction())))

    assert list(record) == ["type", "source", "path", "seq", "time", "top", "known", "ms"]
    assert record["top"][0] == {"label": "cup", "p": 0.9}
    assert list(record["ms"]) == ["capture", "preprocess", "infer", "total"]


def test_monotonic_times_leave_as_utc_with_milliseconds() -> None:
    text = wall_time(time.monotonic_ns())
    parsed = datetime.fromisoformat(text)

    assert text.endswith("Z")
    assert len(text) == len("2026-01-02T03:04:05.678Z")
    assert abs((datetime.now(UTC) - parsed).total_seconds()) < 1


def test_an_event_that_lasts_has_no_end() -> None:
    now = time.monotonic_ns()

    assert event_record(Event("01J", "new", "cup", 0.95, now, None, "demo"))["end"] is None
    assert event_record(Event("01J", "end", "cup", 0.95, now, now, "demo"))["end"] is not None


def test_errors_and_the_summary_are_records_of_their_own() -> None:
    assert error_record(Unreadable("a.jpg", "why")) == {"type": "error", "path": "a.jpg", "error": "why"}
    assert summary_record(3, 1, 0, 1.23456)["seconds"] == 1.235
