"""The pair of frame and predictions that viewers get, where something is followed."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests import frames
from vitcam.frames import Detail, Frame, Place, Prediction, Shown
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas
from vitcam.pictures.view import Region
from vitcam.pipeline.beats import Beats
from vitcam.pipeline.latest_frame import ClassifiedFrame, LatestFrame
from vitcam.pipeline.limits import PaceLimits
from vitcam.rects import Rect
from vitcam.slot import Slot

BOX = Rect(20, 10, 30, 30)
VIEW, BIRD = Place(), Place(track=7)


@pytest.fixture
def slot() -> Slot[ClassifiedFrame]:
    return Slot()


@pytest.fixture
def areas() -> ActiveAreas:
    return ActiveAreas()


@pytest.fixture
def latest(slot: Slot[ClassifiedFrame], areas: ActiveAreas) -> LatestFrame:
    return LatestFrame(slot, 0, PaceLimits(), Beats(), areas)


def numbered(value: int, *details: Detail) -> Frame:
    frame = frames.frame(value, frames.picture(value=value))
    return replace(frame, captured_ns=value * frames.SECOND, details=details)


def look(value: int, track: int | None = 7) -> Prediction:
    return replace(frames.prediction(at_ns=value * frames.SECOND, seq=value), track=track, crop=BOX)


def shown(slot: Slot[ClassifiedFrame]) -> ClassifiedFrame:
    found = slot.peek()
    assert found is not None
    return found


def test_what_the_model_saw_stays_with_its_look_while_newer_frames_are_shown(
    latest: LatestFrame, slot: Slot[ClassifiedFrame]
) -> None:
    latest.classified_place(numbered(100), look(100), [VIEW, BIRD])
    latest.captured(numbered(101))
    latest.classified_place(numbered(102), look(102, None), [VIEW, BIRD])
    found = shown(slot)

    assert found.frame.seq == 102
    assert found.seen[7].shape == (30, 30, 3)
    assert (found.seen[7] == 100).all()


def test_it_is_the_detail_that_the_camera_gave_and_a_copy_of_it(
    latest: LatestFrame, slot: Slot[ClassifiedFrame]
) -> None:
    detail = np.full((90, 90, 3), 33, np.uint8)
    latest.classified_place(numbered(100, Detail(BOX, detail)), look(100), [VIEW, BIRD])
    detail[:] = 0

    assert shown(slot).seen[7].shape == (90, 90, 3)
    assert (shown(slot).seen[7] == 33).all()


def test_it_is_forgotten_with_its_place_and_when_masks_are_drawn(
    latest: LatestFrame, slot: Slot[ClassifiedFrame]
) -> None:
    latest.classified_place(numbered(100), look(100), [VIEW, BIRD])
    latest.classified_place(numbered(101), look(101, 8), [VIEW, Place(track=8)])
    tracks = set(shown(slot).seen)
    latest.drop_pixels()

    assert tracks == {8}
    assert shown(slot).seen == {}


def test_no_px_from_below_a_mask_is_in_it_although_the_look_began_before_the_mask(
    latest: LatestFrame, slot: Slot[ClassifiedFrame], areas: ActiveAreas
) -> None:
    areas.replace(Areas(masks=(Region(0, 0, 1, 1),)))
    detail = Detail(BOX, np.full((90, 90, 3), 33, np.uint8))
    latest.classified_place(numbered(100, detail), look(100), [VIEW, BIRD])

    assert not shown(slot).seen[7].any()


def test_masks_that_are_drawn_just_before_a_pair_is_put_are_black_in_it(areas: ActiveAreas) -> None:
    class Late(Slot[ClassifiedFrame]):
        def revise(self, make: Callable[[ClassifiedFrame | None], ClassifiedFrame | None]) -> None:
            areas.replace(Areas(masks=(Region(0, 0, 1, 1),)))
            super().revise(make)

    slot = Late()
    LatestFrame(slot, 0, PaceLimits(), Beats(), areas).classified_place(numbered(100), look(100), [VIEW, BIRD])

    assert not shown(slot).frame.preview.any()
    assert not shown(slot).seen[7].any()


def named(track: int | None, label: str | None, p: float, value: int = 100) -> Prediction:
    shown = Shown(label, p, "none" if label is None else "label")
    return replace(look(value, track), headline=shown)


@pytest.mark.parametrize(
    ("view", "boxes", "front"),
    [
        (named(None, "fence", 0.9), [named(7, "robin", 0.6)], "robin"),
        (named(None, "fence", 0.6), [named(7, None, 0.4)], "fence"),
        (named(None, "fence", 0.6), [replace(named(7, "feeder", 0.9), at_rest=True)], "fence"),
        (named(None, "fence", 0.9), [named(7, "robin", 0.6), named(8, "cat", 0.7)], "cat"),
        (named(None, None, 0.4), [replace(named(7, "feeder", 0.9), at_rest=True)], None),
    ],
    ids=[
        "a named box",
        "a box without a name",
        "a box at rest",
        "the surest box",
        "nothing but a box at rest",
    ],
)
def test_a_named_box_is_in_front_of_the_view_however_probable_that_is(
    latest: LatestFrame, slot: Slot[ClassifiedFrame], view: Prediction, boxes: list[Prediction], front: str | None
) -> None:
    looks = [view, *boxes]
    for each in looks:
        latest.classified_place(numbered(100), each, [one.place for one in looks])
    found = shown(slot)

    assert found.prediction is not None
    assert found.prediction.told.label == front
    assert [each.place for each in found.looks] == [each.place for each in looks]


def test_the_view_of_before_anything_was_followed_stays_beside_the_first_box(
    latest: LatestFrame, slot: Slot[ClassifiedFrame]
) -> None:
    latest.classified(numbered(100), look(100, None))
    latest.classified_place(numbered(101), look(101), [VIEW, BIRD])

    assert [each.place for each in shown(slot).looks] == [VIEW, BIRD]


def test_a_box_that_is_not_looked_at_for_long_is_not_shown_with_newer_frames(
    latest: LatestFrame, slot: Slot[ClassifiedFrame]
) -> None:
    latest.classified_place(numbered(100), look(100), [VIEW, BIRD])
    latest.captured(numbered(104))

    assert shown(slot).looks == ()
