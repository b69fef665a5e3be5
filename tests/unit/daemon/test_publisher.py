import errno
import io
import json
from dataclasses import replace

import pytest

from tests.eventually import eventually
from tests.frames import SECOND, frame, prediction
from tests.pipelines import Numbered, answer
from vitcam.daemon.publisher import Publisher, event_id
from vitcam.errors import VitcamError
from vitcam.events import Rules
from vitcam.frames import Event, Frame, Prediction, Unreadable
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline
from vitcam.run.kinds import Sees
from vitcam.sinks.jsonl import JsonLines
from vitcam.sinks.sink import Summary


class Writer(io.StringIO):
    def __init__(self, error: OSError) -> None:
        super().__init__()
        self._error = error

    def write(self, text: str) -> int:
        raise self._error


def published(every: bool) -> list[dict[str, object]]:
    out = io.StringIO()
    publisher = Publisher(Rules(), lambda: None)
    publisher.connect(JsonLines(out, every))
    for i in range(20):
        publisher.prediction(frame(), prediction("cup" if i < 10 else "pagoda", 0.95, i * SECOND // 5, i))
    publisher.unreadable(Unreadable("a/b.jpg", "not an image: truncated after 1,024 bytes"))
    publisher.close(Summary(20, publisher.errors, 0, 4.0))
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_every_prediction_is_a_line_when_asked_for() -> None:
    lines = published(every=True)

    assert [line["type"] for line in lines] == ["prediction"] * 20 + ["error", "summary"]
    assert lines[-1] == {"type": "summary", "frames": 20, "errors": 1, "dropped": 0, "seconds": 4.0}


def test_only_changes_of_the_smoothed_label_are_lines_otherwise() -> None:
    lines = published(every=False)
    changes = [line["top"] for line in lines if line["type"] == "prediction"]

    assert [top[0]["label"] for top in changes] == ["cup", "pagoda"]  # type: ignore[index]
    phases = [(line["phase"], line["label"]) for line in lines if line["type"] == "event"]
    assert phases == [("new", "cup"), ("end", "cup"), ("new", "pagoda"), ("end", "pagoda")]


def test_updates_of_a_lasting_event_stay_rare_while_another_zone_has_one_too() -> None:
    out = io.StringIO()
    publisher = Publisher(Rules(), lambda: None)
    publisher.connect(JsonLines(out, every=False))
    for i in range(300):
        for zone, label in (("door", "cup"), ("road", "dog")):
            publisher.prediction(frame(), replace(prediction(label, 0.95, i * SECOND, i), zone=zone))
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    told = [(line["zone"], line["phase"]) for line in lines if line["type"] == "event"]

    assert told[:2] == [("door", "new"), ("road", "new")]
    assert len(told) < 20


def test_a_reader_who_went_away_ends_the_run_without_a_word() -> None:
    ended: list[bool] = []
    publisher = Publisher(Rules(), lambda: ended.append(True))
    publisher.connect(JsonLines(Writer(BrokenPipeError()), True))
    publisher.prediction(frame(), prediction())

    assert ended == [True]


def test_a_full_disk_is_said_in_one_sentence() -> None:
    full = Writer(OSError(errno.ENOSPC, "No space left on device"))
    publisher = Publisher(Rules(), lambda: None)
    publisher.connect(JsonLines(full, True))

    with pytest.raises(VitcamError, match="No space left"):
        publisher.prediction(frame(), prediction())


class Album(Sees):
    """Keeps what it was shown."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, int, list[str]]] = []
        self.ended: list[str] = []

    def saw(self, frame: Frame, prediction: Prediction, events: tuple[Event, ...]) -> None:
        self.seen.append((frame.seq, prediction.seq, [event.phase for event in events]))

    def unseen(self, events: tuple[Event, ...]) -> None:
        self.ended += [event.phase for event in events]

    def drop_pixels(self) -> None: ...

    def close(self, events: tuple[Event, ...]) -> None:
        self.ended += [event.phase for event in events]


def test_who_sees_gets_each_frame_with_its_prediction_and_the_events_it_caused() -> None:
    album, publisher = Album(), Publisher(Rules(), lambda: None)
    publisher.attach(album)
    for i in range(8):
        publisher.prediction(frame(i), prediction("cup", 0.95, i * SECOND // 5, i))
    publisher.close(None)

    assert [(one, other) for one, other, _ in album.seen] == [(i, i) for i in range(8)]
    assert [phases for *_, phases in album.seen if phases] == [["new"]]
    assert album.ended == ["end"]


def test_in_a_pause_of_a_camera_what_lasts_ends_at_its_last_sighting_and_everybody_is_told() -> None:
    sink, album, publisher = Sink(), Album(), Publisher(Rules(gap_s=0.3), lambda: None)
    publisher.connect(sink)
    publisher.attach(album)
    options = PipelineOptions("test", "model", unseen=publisher.unseen)
    pipeline = Pipeline(options, answer, publisher.prediction)
    pipeline.start(lambda: Numbered(100_000, live=True, every_s=0.01))
    assert eventually(lambda: len(publisher.lasting) == 1)

    pipeline.pause(True)
    assert eventually(lambda: not publisher.lasting and bool(album.ended))
    assert sink.seen.count("end") == 1
    pipeline.pause(False)
    assert eventually(lambda: len(publisher.lasting) == 1)
    pipeline.stop(1)

    assert album.ended == ["end"]
    assert sink.seen.count("new") == 2


def test_event_ids_are_ulids_that_sort_by_time() -> None:
    ids = [event_id() for _ in range(50)]

    assert all(len(one) == 26 and one[0] in "01234567" for one in ids)
    assert len(set(ids)) == 50
    assert ids[0][:9] <= ids[-1][:9]


class Sink:
    """Keeps the phases of events, and whether it was closed."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def serving(self, url: str) -> None: ...
    def prediction(self, prediction: Prediction, changed: bool) -> None: ...
    def unreadable(self, bad: Unreadable) -> None: ...

    def event(self, event: Event) -> None:
        self.seen.append(event.phase)

    def close(self, summary: Summary | None) -> None:
        self.seen.append("closed")


class ClosedPipe(Sink):
    def event(self, event: Event) -> None:
        if event.phase == "end":
            raise BrokenPipeError

    def close(self, summary: Summary | None) -> None:
        raise BrokenPipeError


class BrokenAlbum(Album):
    def close(self, events: tuple[Event, ...]) -> None:
        raise RuntimeError("a bug")


def test_at_the_end_what_one_part_does_wrong_keeps_no_other_from_the_last_events() -> None:
    stopped: list[bool] = []
    publisher = Publisher(Rules(), lambda: stopped.append(True))
    last, album = Sink(), Album()
    publisher.connect(ClosedPipe(), last)
    publisher.attach(BrokenAlbum(), album)
    for i in range(8):
        publisher.prediction(frame(i), prediction("cup", 0.95, i * SECOND // 5, i))
    publisher.close(None)

    assert last.seen == ["new", "end", "closed"]
    assert album.ended == ["end"]
    assert stopped == [True]


def test_who_sees_and_fails_keeps_nothing_from_the_others() -> None:
    seen: list[str] = []

    class Failing(Sees):
        def saw(self, frame: Frame, prediction: Prediction, events: tuple[Event, ...]) -> None:
            seen.append("failing")
            raise KeyError("oh")

        def drop_pixels(self) -> None: ...

        def close(self, events: tuple[Event, ...]) -> None: ...

    class Good(Failing):
        def saw(self, frame: Frame, prediction: Prediction, events: tuple[Event, ...]) -> None:
            seen.append("good")

    publisher = Publisher(Rules(), lambda: None)
    publisher.attach(Failing(), Good())

    with pytest.raises(KeyError):
        publisher.prediction(frame(), prediction())
    assert seen == ["failing", "good"]
