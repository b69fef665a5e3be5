"""What answers photos that are sent over HTTP, and what is given back where nobody asks."""

import threading
import weakref
from dataclasses import replace

import numpy as np
import pytest

from tests import frames
from vitcam.daemon import classifiers
from vitcam.daemon.classifiers import CameraClassifier, OwnInterpreter, PhotoClassifier, StoredPictureClassifier
from vitcam.explain.explained import explain
from vitcam.explain.figure import draw_figure
from vitcam.history.stored import FrameSummary, StoredEvent
from vitcam.model.classifier import Classifier
from vitcam.pictures.decode import Decoded
from vitcam.pictures.encode import encode_jpeg
from vitcam.pictures.resize import frame_of_picture
from vitcam.pipeline.limits import PaceLimits
from vitcam.rects import Rect
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.web.stream.variant import Demand, Variant


def test_the_figure_is_the_one_that_vitcam_explain_draws_and_the_model_is_left_as_it_was() -> None:
    classifier = Classifier("mnist", threads=1, top_k=3)
    photo = Decoded(frames.picture(100, 200), 2000, 1000)
    photos = PhotoClassifier(Current(RunModel.of(classifier)))

    figure = photos.explain(photo)

    assert (figure == draw_figure(explain(classifier, photo, "the photo that was sent", 3, 0.85))).all()
    assert classifier.top_k == 3
    assert len(photos.classify(photo.image).top) == 3


def test_the_figure_names_the_size_of_the_photo_itself_where_it_was_decoded_reduced() -> None:
    photos, image = PhotoClassifier(Current(RunModel.of(Classifier("mnist", threads=1)))), frames.picture(100, 200)

    reduced, whole = (photos.explain(Decoded(image, width, width // 2)) for width in (1600, 200))

    assert not np.array_equal(reduced, whole)


class Clock:
    """Stands in for the module's clock."""

    now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(classifiers, "time", clock)
    return clock


@pytest.fixture
def own(clock: Clock) -> OwnInterpreter:
    return OwnInterpreter(Current(RunModel.of(Classifier("mnist", threads=1))))


def used(own: OwnInterpreter) -> "weakref.ref[Classifier]":
    with own.ready() as classifier:
        return weakref.ref(classifier)


def test_an_interpreter_that_nobody_has_used_for_ten_minutes_is_given_back_and_made_again(
    own: OwnInterpreter, clock: Clock
) -> None:
    own.give_back_unused()
    first = used(own)
    clock.now_s += 599
    own.give_back_unused()
    assert used(own)() is first() is not None
    clock.now_s += 599
    own.give_back_unused()
    assert first() is not None

    clock.now_s += 2
    own.give_back_unused()

    assert first() is None
    assert used(own)() is not None


def test_one_in_use_is_neither_taken_away_nor_waited_for(own: OwnInterpreter, clock: Clock) -> None:
    with own.ready() as classifier:
        clock.now_s += 100_000
        asks = threading.Thread(target=own.give_back_unused)
        asks.start()
        asks.join(60)
        assert not asks.is_alive()
    with own.ready() as again:
        assert again is classifier


def test_threads_that_share_one_use_it_one_after_the_other(own: OwnInterpreter) -> None:
    at_once, most, barrier = 0, 0, threading.Barrier(4)

    def ask() -> None:
        nonlocal at_once, most
        barrier.wait(60)
        for _ in range(20):
            with own.ready() as classifier:
                at_once += 1
                most = max(most, at_once)
                classifier.classify_image(frames.picture(30, 30))
                at_once -= 1

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert most == 1


def test_a_frame_waits_while_the_history_asks_about_a_picture_and_gets_the_same_answer() -> None:
    classifier = Classifier("mnist", threads=1)
    camera = CameraClassifier(Current(RunModel.of(classifier)), limits=PaceLimits(), demand=Demand())
    frame = frame_of_picture(frames.picture(28, 28), classifier.input, "camera")
    alone, answers = camera(frame), []
    asks = threading.Thread(target=lambda: answers.append(camera(frame)), daemon=True)

    with camera.between_frames() as between:
        asks.start()
        other = between.classify_image(np.random.default_rng(0).integers(0, 256, (28, 28, 3), np.uint8))
        assert answers == []
    asks.join(60)

    assert between is classifier
    assert [guess.p for guess in answers[0].top] == [guess.p for guess in alone.top]
    assert other.top != alone.top


def test_a_picture_of_another_model_keeps_what_its_frame_showed() -> None:
    classifier = Classifier("mnist", threads=1)
    camera = CameraClassifier(Current(RunModel.of(classifier)), limits=PaceLimits(), demand=Demand())
    jpeg = encode_jpeg(frames.picture(28, 28), 95)
    seen = FrameSummary(crop=Rect(0, 0, 28, 28))
    event = StoredEvent("1", "seen", "3", None, "demo", 0, None, 0.9, 0.9, None, "mnist", classifier.fingerprint, seen)

    asked = StoredPictureClassifier(camera)(jpeg, event)
    kept = StoredPictureClassifier(camera)(jpeg, replace(event, fingerprint="of another"))

    assert asked.top
    assert kept is seen


def test_what_explanations_take_is_given_back_ten_minutes_after_the_last_viewer_of_one(clock: Clock) -> None:
    classifier, demand = Classifier("mnist", threads=1), Demand()
    camera = CameraClassifier(Current(RunModel.of(classifier)), limits=PaceLimits(), demand=demand)
    frame = frame_of_picture(frames.picture(28, 28), classifier.input, "camera")
    loaded = []
    for watched, seconds in ((False, 0), (True, 1), (False, 599), (False, 2), (False, 1), (True, 1)):
        clock.now_s += seconds
        with demand.watching(Variant("rollout" if watched else "none")):
            assert (camera(frame).rollout is not None) is watched
        loaded.append(classifier.graph._second is not None)

    assert loaded == [False, True, True, False, False, True]
