"""A camera that was moved, covered, blinded or is out of focus is reported once, and one that is well never."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.frames import picture
from tests.parts.problems.cameras import (
    FAULTS,
    CameraAtRest,
    Change,
    Hour,
    Scenes,
    blurred,
    day_and_clouds,
    fixed_camera,
)
from vitcam.frames import Image
from vitcam.sources import demo

_LEARN_S = 180.0
_DOG = range(68, 108)
"""Of every third frame of the clip."""


@pytest.fixture(scope="module")
def clip() -> Scenes:
    """The bundled clip in half its size, without its dog: photos over which the camera pans and zooms.

    The dog's photo is so soft that it hardly changes where the camera gets out of focus.
    """
    capture = cv2.VideoCapture(str(demo.CLIP))
    frames: list[Image] = []
    while capture.grab():
        if len(frames) * 3 <= capture.get(cv2.CAP_PROP_POS_FRAMES):
            half = cv2.resize(capture.retrieve()[1], (640, 360), interpolation=cv2.INTER_AREA)
            frames.append(np.asarray(cv2.cvtColor(half, cv2.COLOR_BGR2RGB), np.uint8))
    return Scenes([*frames[: _DOG.start], *frames[_DOG.stop :]])


@pytest.fixture(scope="module")
def hung_still(clip: Scenes) -> Scenes:
    """A camera that always sees the same place, where things pass by."""
    things = [frame[:200, 200:330] for frame in clip.frames[::44]]
    return Scenes([*fixed_camera(clip.frames[80], things)], fps=2.0)


def new_labels(hour: Hour) -> list[str]:
    return [event.label for _, event in hour.events if event.phase == "new"]


@pytest.mark.parametrize(("change", "label"), FAULTS.values(), ids=FAULTS)
def test_what_happens_to_a_camera_is_found_within_ten_seconds(clip: Scenes, change: Change, label: str) -> None:
    hour = Hour(clip)
    before = hour.passes(_LEARN_S)
    said = hour.passes(10, fault=change)

    assert not before
    assert [(event.label, event.phase, event.kind) for _, event in said] == [(label, "new", "problem")]


@pytest.mark.parametrize("fault", ["turned by 90°", "blurred, 12 px", "covered by a hand", "darkened to 5 %"])
def test_the_same_is_found_where_a_camera_hangs_still(hung_still: Scenes, fault: str) -> None:
    change, label = FAULTS[fault]
    hour = Hour(hung_still)
    hour.passes(_LEARN_S)
    hour.passes(10, fault=change)

    assert new_labels(hour) == [label]


def test_a_problem_has_one_event_with_start_and_end_and_a_sentence_while_it_lasts(clip: Scenes) -> None:
    hour = Hour(clip)
    hour.passes(_LEARN_S)
    hour.passes(120, fault=FAULTS["darkened to 5 %"][0])
    during = hour.watch.problem
    hour.passes(60)
    (_, begun), (_, over) = hour.events

    assert during == "the camera sees almost nothing: it is covered, or there is no light"
    assert hour.watch.problem is None
    assert (begun.phase, over.phase, begun.id) == ("new", "end", over.id)
    assert begun.start_ns / 1e9 == pytest.approx(_LEARN_S, abs=10)
    assert over.end_ns is not None
    assert over.end_ns / 1e9 == pytest.approx(_LEARN_S + 120, abs=10)


@pytest.mark.long
@pytest.mark.parametrize("light", [None, day_and_clouds], ids=["as it is", "changing light"])
def test_a_camera_that_is_well_has_no_problem(clip: Scenes, hung_still: Scenes, light: object) -> None:
    slides, still = Hour(clip), Hour(hung_still)
    for hour in (slides, still):
        hour.passes(900, light)  # type: ignore[arg-type]

    assert not slides.events
    assert not still.events


@pytest.mark.parametrize(("fault", "begun"), [("turned by 90°", 2), ("covered by a hand", 0)])
def test_what_follows_begins_again_where_the_camera_was_moved_and_when_it_is_back(
    clip: Scenes, fault: str, begun: int
) -> None:
    hour = Hour(clip)
    hour.passes(_LEARN_S)
    hour.passes(30, fault=FAULTS[fault][0])
    hour.passes(30)

    assert [event.phase for _, event in hour.events] == ["new", "end"]
    assert hour.follower.begun == begun


def test_a_problem_that_becomes_another_one_ends_before_the_other_begins(clip: Scenes) -> None:
    hour = Hour(clip)
    hour.passes(_LEARN_S)
    hour.passes(20, fault=blurred(8))
    hour.passes(20, fault=FAULTS["covered by a cap"][0])

    assert [(event.label, event.phase) for _, event in hour.events] == [
        ("camera out of focus", "new"),
        ("camera out of focus", "end"),
        ("camera covered", "new"),
    ]


@pytest.mark.long
def test_a_new_view_becomes_the_usual_one_after_ten_minutes(clip: Scenes) -> None:
    hour = Hour(clip)
    hour.passes(_LEARN_S)
    hour.passes(700, fault=lambda image: image[::-1, ::-1])
    hour.passes(10, fault=FAULTS["covered by a cap"][0])

    assert [(event.label, event.phase) for _, event in hour.events] == [
        ("camera moved", "new"),
        ("camera moved", "end"),
        ("camera covered", "new"),
    ]


@pytest.mark.long
def test_a_covered_camera_stays_a_problem_however_long_it_lasts(clip: Scenes) -> None:
    hour = Hour(clip)
    hour.passes(_LEARN_S)
    hour.passes(1800, fault=np.zeros_like)

    assert [event.phase for _, event in hour.events] == ["new"]


@pytest.mark.long
def test_scenes_that_never_come_again_are_no_moved_camera() -> None:
    rng = np.random.default_rng(0)

    def scene() -> Image:
        coarse = rng.integers(0, 256, (9, 16, 3), np.uint8)
        return np.asarray(cv2.resize(coarse, (320, 180), interpolation=cv2.INTER_CUBIC), np.uint8)

    ever_new: Sequence[Image] = [scene() for _ in range(300)]
    hour = Hour(Scenes(ever_new, fps=0.25))
    hour.passes(1200)

    assert not hour.events


def test_somebody_before_half_of_the_view_is_no_moved_camera(hung_still: Scenes) -> None:
    hour = Hour(hung_still)
    hour.passes(_LEARN_S)
    hour.passes(60, fault=lambda image: np.concatenate([np.full_like(image[:, :320], 90), image[:, 320:]], axis=1))

    assert not hour.events


def test_nothing_is_reported_in_the_first_minute(clip: Scenes) -> None:
    hour = Hour(clip)
    hour.passes(30)
    hour.passes(20, fault=FAULTS["covered by a cap"][0])

    assert not hour.events


def test_the_end_of_a_run_ends_its_problem(clip: Scenes) -> None:
    hour = Hour(clip)
    hour.passes(_LEARN_S)
    hour.passes(20, fault=FAULTS["covered by a cap"][0])
    hour.watch.close(())

    assert [event.phase for _, event in hour.events] == ["new", "end"]


def test_a_pause_of_the_pictures_is_not_counted_as_time_of_a_problem(clip: Scenes) -> None:
    hour = Hour(clip)
    hour.passes(_LEARN_S)
    cap = FAULTS["covered by a cap"][0]
    for _ in range(4):
        hour.passes(1, fault=cap)
        hour.now_s += 60

    assert not hour.events


def test_thirty_frames_per_second_are_looked_at_twice_a_second() -> None:
    hour = Hour(Scenes([picture()]))
    looked = []
    judge = hour.watch._judge
    take = judge.take
    judge.take = lambda look: looked.append(look) or take(look)  # type: ignore[method-assign,func-returns-value]
    for step in range(300):
        frame, predicted = hour.scenes.at(step / 30)
        hour.watch.saw(frame, replace(predicted, seq=step), ())

    assert len(looked) == 20


def test_a_camera_that_is_covered_moved_or_blinded_is_noticed_while_it_rests(clip: Scenes) -> None:
    camera = CameraAtRest(clip.frames[80])
    camera.passes(_LEARN_S)
    for fault in ("covered by a hand", "shifted by 30 %", "blinded"):
        camera.passes(15, FAULTS[fault][0])
        camera.passes(15)

    assert [(event.label, event.phase) for event in camera.events] == [
        (label, phase) for label in ("camera covered", "camera moved", "camera blinded") for phase in ("new", "end")
    ]
    assert camera.rested == [True] * 6
    assert camera.looks < camera.taken / 10  # once a minute, and for some seconds after each change
