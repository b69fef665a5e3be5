"""A camera within a program: its newest answer, and errors where somebody asks."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.frames import frame
from tests.pipelines import Numbered
from vitcam import (
    Classifier,
    Event,
    Frame,
    LiveCamera,
    Prediction,
    SourceError,
    SourceLost,
    Summary,
    Unreadable,
    UsageError,
    VitcamError,
)

DIGITS = Path(__file__).parents[3] / "models" / "golden" / "digits"


class OnCommand(Numbered):
    """A live source that gives a frame each time it is told to, or fails."""

    def __init__(self) -> None:
        super().__init__(0, live=True)
        self._told = threading.Condition()
        self._next: Exception | int | None = None
        self.opened = 0

    def give(self, seq: int) -> None:
        self._tell(seq)

    def fail(self, error: Exception) -> None:
        self._tell(error)

    def _tell(self, what: Exception | int) -> None:
        with self._told:
            assert self._told.wait_for(lambda: self._next is None, 60)
            self._next = what
            self._told.notify_all()

    def __iter__(self) -> Iterator[Frame]:
        self.opened += 1
        while not self._stopped:
            with self._told:
                self._told.wait_for(lambda: self._next is not None, 0.05)
                what, self._next = self._next, None
                self._told.notify_all()
            if isinstance(what, Exception):
                raise what
            if what is not None:
                yield frame(what)


class Kept:
    """A sink that keeps all it gets."""

    def __init__(self) -> None:
        self.seqs: list[int] = []
        self.ends: list[Summary | None] = []

    def serving(self, url: str) -> None:
        pass

    def prediction(self, prediction: Prediction, changed: bool) -> None:
        self.seqs.append(prediction.seq)

    def event(self, event: Event) -> None:
        pass

    def unreadable(self, bad: Unreadable) -> None:
        pass

    def close(self, summary: Summary | None) -> None:
        self.ends.append(summary)


@pytest.fixture(scope="module")
def digits() -> Classifier:
    return Classifier("mnist", threads=1)


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert [thread.name for thread in set(threading.enumerate()) - before if thread.name.endswith("_stage")] == []


@pytest.mark.smoke
def test_the_newest_answer_is_given_again_and_again_and_each_by_iterating_once(digits: Classifier) -> None:
    source = OnCommand()
    with LiveCamera(source, digits) as camera:
        source.give(7)
        first = camera.newest(60)
        again = camera.newest(60)
        answers = iter(camera)
        taken = next(answers)
        source.give(8)
        later = next(answers)

    assert first is again is taken
    assert (first.frame.seq, first.prediction.seq, later.frame.seq) == (7, 7, 8)
    assert 0 <= later.age_s < 60


def test_what_came_while_nobody_asked_is_left_out(digits: Classifier) -> None:
    kept = Kept()
    source = OnCommand()
    with LiveCamera(source, digits, sinks=[kept]) as camera:
        for seq in range(5):
            source.give(seq)
            eventually(lambda seq=seq: seq in kept.seqs, 60)  # type: ignore[misc]

        assert next(iter(camera)).frame.seq == 4

    assert kept.seqs == [0, 1, 2, 3, 4]
    assert [summary.frames for summary in kept.ends if summary] == [5]


def test_a_camera_that_is_lost_is_said_to_who_asks_and_asking_again_gives_its_new_picture(digits: Classifier) -> None:
    source = OnCommand()
    with LiveCamera(source, digits) as camera:
        source.give(0)
        camera.newest(60)
        source.fail(SourceLost("the cable is out"))
        with pytest.raises(SourceLost, match="the cable is out"):
            eventually(lambda: camera.newest(60) is None, 60)
        with pytest.raises(SourceLost, match="the cable is out"):
            list(camera)
        source.give(5)
        eventually(lambda: source.opened == 2, 60)
        assert eventually(lambda: _seq(camera) == 5, 60)


def _seq(camera: LiveCamera) -> int | None:
    try:
        return camera.newest(60).frame.seq
    except SourceLost:
        return None


def test_a_camera_that_cannot_be_opened_is_said_each_time_somebody_asks(digits: Classifier) -> None:
    refused = Numbered(0, live=True, then=SourceError("another program uses it"))
    with LiveCamera(refused, digits) as camera:
        for _ in range(2):
            with pytest.raises(SourceError, match="another program uses it"):
                camera.newest(60)
        with pytest.raises(SourceError):
            list(camera)
        assert camera.over


class Broken(Classifier):
    """Fails at every picture."""

    def __call__(self, frame: Frame, explain: bool = False, teach: bool = True) -> Prediction:
        raise ZeroDivisionError("in the model")


def test_a_model_that_fails_is_said_to_who_asks() -> None:
    source = OnCommand()
    with LiveCamera(source, Broken("mnist", threads=1)) as camera:
        source.give(0)
        with pytest.raises(VitcamError, match="in the model"):
            camera.newest(60)


def test_a_source_that_gives_nothing_and_one_that_is_over_are_told_apart(digits: Classifier) -> None:
    with LiveCamera(OnCommand(), digits) as camera, pytest.raises(SourceError, match=r"within 0\.1 s"):
        camera.newest(0.1)
    with LiveCamera(Numbered(0), digits) as camera, pytest.raises(SourceError, match="ended"):
        camera.newest(60)


def test_of_files_every_picture_is_classified_and_the_last_answer_stays(digits: Classifier) -> None:
    kept = Kept()
    with LiveCamera(Numbered(20), digits, sinks=[kept]) as camera:
        eventually(lambda: camera.over, 60)

        assert camera.newest().frame.seq == 19
        assert [answer.frame.seq for answer in camera] == [19]
    assert kept.seqs == [*range(20)]


def test_it_is_asked_inside_its_with_only_and_may_be_entered_again(digits: Classifier) -> None:
    camera = LiveCamera(str(DIGITS), digits)
    with pytest.raises(UsageError):
        camera.newest()
    for _ in range(2):
        with camera, pytest.raises(UsageError):
            camera.__enter__()
    with camera:
        assert camera.newest(60).prediction.model.name == "mnist"
    with pytest.raises(UsageError):
        list(camera)


def test_a_wrong_address_is_refused_where_it_is_entered(digits: Classifier) -> None:
    with pytest.raises(UsageError, match="nowhere"), LiveCamera("nowhere", digits):
        pass


def test_a_sink_that_cannot_write_is_said_to_who_asks(digits: Classifier) -> None:
    class Full(Kept):
        def prediction(self, prediction: Prediction, changed: bool) -> None:
            raise OSError(28, "No space left on device")

    source = OnCommand()
    with LiveCamera(source, digits, sinks=[Full()]) as camera:
        source.give(0)
        with pytest.raises(VitcamError, match="No space left"):
            eventually(lambda: camera.newest(60) is None, 60)


def test_the_classifier_that_was_given_can_be_used_beside_the_camera(digits: Classifier) -> None:
    source = OnCommand()
    with LiveCamera(source, digits) as camera:
        for seq in range(10):
            source.give(seq)
            assert replace(digits(frame(seq)), seq=seq).seq == seq
        assert camera.newest(60).prediction.model.name == "mnist"
