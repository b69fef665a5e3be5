"""What a second model says, from predictions to events and their history."""

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from tests.frames import SECOND, frame, prediction
from vitcam.events import Rules
from vitcam.frames import Event, Group, Prediction, SecondAnswer, Shown
from vitcam.history.export import as_text, header
from vitcam.history.recorder import Recorder
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import EventChange, Query
from vitcam.pipeline.headlines import Headlines
from vitcam.pipeline.place_events import PlaceEvents
from vitcam.wire import event_record, prediction_record

FINCH, ROBIN = SecondAnswer("goldfinch", 0.83, "birds", "Carduelis carduelis"), SecondAnswer("robin", 0.9, "birds")
UNSURE = SecondAnswer(None, 0.2, "birds")


def seen(seconds: float, second: SecondAnswer | None, label: str = "wren", group: str = "bird") -> Prediction:
    """A label that is not likely, of a group that is."""
    found = prediction(label, 0.4, round(seconds * SECOND))
    return replace(found, groups=(Group(group, 0.9),), second=second)


def reports(*predictions: Prediction) -> list[Event]:
    events, numbers = PlaceEvents(Rules()), map(str, count(1))
    made = [event for each in predictions for event in events.step(each, lambda: next(numbers))[0]]
    return [*made, *events.finish(predictions[-1].captured_ns)]


def test_the_first_name_stays_and_the_second_goes_with_it() -> None:
    record = prediction_record(seen(0, FINCH))["shown"]

    assert (record["label"], record["level"]) == ("bird", "group")
    assert record["detail"] == {"label": "goldfinch", "p": 0.83, "model": "birds", "scientific": "Carduelis carduelis"}
    assert prediction_record(seen(0, None))["shown"]["detail"] is None


def test_a_headline_has_the_answer_about_the_name_that_it_says() -> None:
    headlines = Headlines(dict)

    assert headlines.add_to(seen(0, FINCH)).told == Shown("bird", 0.9, "group")
    assert headlines.add_to(seen(0.1, FINCH)).told.detail == FINCH
    assert headlines.add_to(replace(seen(0.2, ROBIN, "car", "vehicle"))).told.detail is None


def test_an_event_keeps_the_surest_answer_and_reports_another_name_at_once() -> None:
    told = reports(*(seen(i / 10, UNSURE if i < 20 else FINCH if i < 25 else ROBIN) for i in range(30)))

    assert [(each.phase, each.second) for each in told[:3]] == [("new", UNSURE), ("update", FINCH), ("update", ROBIN)]
    assert told[-1].phase == "end"
    assert event_record(told[-1])["shown"]["detail"]["label"] == "robin"


def test_an_answer_about_another_thing_does_not_go_into_an_event() -> None:
    told = reports(*(seen(i / 10, None) for i in range(20)), seen(2, ROBIN, "car", "vehicle"), seen(2.1, None))

    assert {each.second for each in told} == {None}


@pytest.mark.parametrize("answer", [FINCH, UNSURE])
def test_the_history_keeps_it_and_a_correction_takes_it_away(tmp_path: Path, answer: SecondAnswer) -> None:
    changes: list[EventChange] = []
    recorder, events, numbers = Recorder(changes.append), PlaceEvents(Rules()), map(str, count(1))
    for i in range(20):
        each = seen(i / 10, answer)
        recorder.saw(replace(frame(), captured_ns=each.captured_ns), each, events.step(each, lambda: next(numbers))[0])
    recorder.close(events.finish(2 * SECOND))
    store = EventStore(tmp_path, RetentionRules(0, 0))
    store.start()
    for change in changes:
        store.put(change)
    store.stop(5)

    [event] = store.find(Query(), 10, None).events
    assert event.shown.detail == answer
    assert replace(event, corrected="hen").shown.detail is None
    cells = dict(zip(header("csv").strip().split(","), as_text([event], "csv").strip().split(","), strict=True))
    assert [cells[name] for name in ("detail", "detail_p", "detail_model")] == [
        answer.label or "", str(answer.p), "birds",
    ]  # fmt: skip
