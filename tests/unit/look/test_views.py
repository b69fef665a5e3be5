"""What another view, another light and another clock do to what is followed, and what places show at rest."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from tests.frames import SECOND
from tests.moving_scenes import Clip, Floats, Thing, circling, crossing, frame_at, resting, swinging, textured, told
from vitcam.frames import Detail, Frame
from vitcam.look.areas import NO_AREAS, Areas, Zone
from vitcam.look.follower import Followed, Follower
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import Region
from vitcam.rects import Rect

SPEC = InputSpec(56, 56)
BIRD = Thing(circling(160, 90, 30, 4))


def follow(
    frames: Iterable[Frame], follower: Follower | None = None, areas: Areas = NO_AREAS
) -> list[tuple[Followed, ...]]:
    """What is followed with each frame."""
    follower = follower or Follower("motion", SPEC)
    found = []
    for each in frames:
        follower.take(each, areas)
        found.append(follower.followed)
    return found


def frames_of(clip: Clip) -> list[Frame]:
    return [each for each, _ in clip]


def later(frames: list[Frame], by_s: float) -> list[Frame]:
    """The same frames at another time."""
    return [replace(each, captured_ns=each.captured_ns + round(by_s * SECOND)) for each in frames]


def tracks(found: Iterable[tuple[Followed, ...]]) -> set[int]:
    return {each.place.track or 0 for following in found for each in following}


class Rain:
    """Streaks that are elsewhere in each frame."""

    def __init__(self, drops: int) -> None:
        self._drops = drops
        self._rng = np.random.default_rng(3)

    def __call__(self, picture: Floats, _: float) -> Floats:
        picture = picture.copy()
        height, width = picture.shape[:2]
        for x, y in zip(
            self._rng.integers(0, width, self._drops), self._rng.integers(0, height, self._drops), strict=True
        ):
            picture[y : y + 9, x] += 60
        return picture


@pytest.mark.parametrize("drops", [20, 60, 600])
def test_rain_is_no_thing(drops: int) -> None:
    found = follow(frames_of(Clip(12, light=Rain(drops))))

    assert np.mean([len(each) for each in found]) < 0.5


def test_a_thing_is_followed_in_the_rain() -> None:
    found = follow(frames_of(Clip(12, (Thing(crossing(6, 90, 40)),), light=Rain(40))))

    assert np.mean([len(each) for each in found[80:]]) > 0.8


def test_what_fills_the_view_is_seen_in_the_whole_view() -> None:
    found = follow(frames_of(Clip(8, (Thing(resting(3, 9, 160, 90), side=178),))))

    assert tracks(found) == set()


def test_a_camera_that_was_moved_begins_anew_and_gives_new_numbers() -> None:
    before = frames_of(Clip(6, (BIRD,)))
    after = later(frames_of(Clip(14, (BIRD,), background=textured(8))), 6)
    follower = Follower("motion", SPEC)
    found = follow(before, follower)
    moved = follow(after, follower)

    assert tracks(found) == {1}
    assert moved[0] == ()
    assert min(tracks(moved)) > 1
    assert len(moved[-1]) == 1


def test_what_is_told_that_the_camera_was_moved_forgets_at_once() -> None:
    follower = Follower("motion", SPEC)
    found = follow(frames_of(Clip(5, (BIRD,))), follower)
    follower.begin_anew()

    assert found[-1] != ()
    assert not follower.followed
    assert not follower.boxes()
    assert follower.moved_ns(None) is None


def test_the_switch_to_infrared_begins_anew() -> None:
    frames = frames_of(Clip(8, (BIRD,)))
    grey = [
        replace(each, preview=np.repeat(each.preview.mean(2, keepdims=True), 3, 2).astype(np.uint8)) for each in frames
    ]
    found = follow([*frames, *later(grey, 8)])

    assert tracks(found[:96]) == {1}
    assert found[96] == found[100] == ()
    assert min(tracks(found[97:])) > 1


def test_another_crop_other_masks_other_zones_and_another_model_begin_anew() -> None:
    frames, regions = frames_of(Clip(20, (BIRD,))), [Region(0, 0, 1, 1)]
    follower = Follower("motion", SPEC, lambda: regions[-1])
    areas = NO_AREAS
    for second in range(20):
        if second == 4:
            regions.append(Region(0.1, 0.1, 0.8, 0.8))
        elif second == 8:
            areas = Areas(masks=(Region(0, 0, 0.1, 0.1),))
        elif second == 12:
            areas = Areas((Zone("all", Region(0, 0, 1, 1)),))
        elif second == 16:
            follower.spec = InputSpec(40, 40)
        found = follow(frames[12 * second : 12 * second + 12], follower, areas)
        assert (found[0] == ()) == (second % 4 < 1), "it takes half a second to know the scene"
    assert tracks(found) == {5}


def test_boxes_lie_inside_the_part_that_was_chosen_for_the_model() -> None:
    found = follow(
        frames_of(Clip(8, (Thing(crossing(2, 90, 40)),))), Follower("motion", SPEC, lambda: Region(0.25, 0, 0.5, 1))
    )
    boxes = [each.rect for following in found for each in following]

    assert boxes
    assert all(box.x >= 80 and box.x + box.width <= 240 for box in boxes)


@pytest.mark.parametrize("jump_s", [-100, -1, 3600, 1e9])
def test_a_clock_that_jumps_ends_nothing(jump_s: float) -> None:
    frames = frames_of(Clip(5, (BIRD,)))
    found = follow([*frames, *later(frames, 5 + jump_s)])

    assert len(found[59]) == 1
    assert found[-1]


def test_frames_of_another_size_begin_anew() -> None:
    small = [
        replace(each, preview=np.ascontiguousarray(each.preview[::2, ::2])) for each in frames_of(Clip(5, (BIRD,)))
    ]
    follower = Follower("motion", SPEC)
    found = follow([*frames_of(Clip(5, (BIRD,))), *later(small, 5)], follower)

    assert tracks(found[60:]) == {2}
    assert follower.looks(frames_of(Clip(1))[0]) == [], "a frame of another size has no boxes"
    assert found[-1][0].size == (160, 90)


def test_frames_of_any_size_are_taken() -> None:
    rng = np.random.default_rng(5)
    for size in ((1, 1), (1, 500), (500, 1), (3, 7), (90, 1600)):
        pictures = [rng.integers(0, 255, (*size, 3), dtype=np.uint8) for _ in range(30)]
        found = follow(frame_at(picture, seq, seq / 10) for seq, picture in enumerate(pictures))
        for following in found:
            for each in following:
                assert each.rect.x + each.rect.width <= size[1]
                assert each.rect.y + each.rect.height <= size[0]


def test_a_camera_with_more_px_gives_smaller_boxes_that_are_looked_at_where_its_details_are() -> None:
    follower = Follower("motion", SPEC)
    small = Thing(resting(2, 9, 160, 90), side=12)
    for each in frames_of(Clip(5, (small,))):
        details = [
            Detail(box.rect, np.zeros((2 * box.rect.height, 2 * box.rect.width, 3), np.uint8))
            for box in follower.followed
        ]
        given = replace(each, details=tuple(details))
        follower.take(given, NO_AREAS)
    (followed,), beside = follower.followed, Rect(152, 82, 16, 16)
    (look,) = follower.looks(replace(each, details=(Detail(beside, np.ones((32, 32, 3), np.uint8)),)))

    assert followed.rect.width < 28
    assert look.frame.crop == beside
    assert look.frame.part(look.frame.crop).shape == (32, 32, 3)


def test_a_parked_car_fades_into_what_its_place_shows_at_rest() -> None:
    car = Thing(resting(3, 500, 160, 90), side=24, name="car")
    leaf = Thing(
        lambda at_s: swinging(166, 90, 6, 2)(at_s) if at_s > 330 else None, side=10, level=-70, name=None, seed=4
    )
    follower, late, followed_s = Follower("motion", SPEC), [], []
    for shot, things in Clip(350, (car, leaf), fps=3):
        at_s = (shot.captured_ns - SECOND) / SECOND
        follower.take(shot, NO_AREAS)
        if follower.followed:
            followed_s.append(at_s)
        for look in follower.looks(shot):
            if look.of_rest:
                follower.record_background(told(look.frame, look.place, things if at_s > 330 else {}))
            elif look.is_due:
                prediction = follower.record_look(told(look.frame, look.place, things))
                if at_s > 330:
                    late.append(prediction)

    assert {round(at_s) for at_s in followed_s} >= {10, 100, 200, 300}
    assert not [at_s for at_s in followed_s if 310 < at_s < 330]
    assert late
    assert all(each.at_rest for each in late if each.shown.label == "car")


def test_what_was_there_before_anything_was_known_may_begin_an_event() -> None:
    follower = Follower("motion", SPEC)
    cat = Thing(lambda at_s: (160, 90) if at_s < 6 else (160 + 8 * (at_s - 6), 90), name="cat", side=24)
    predictions = []
    for shot, things in Clip(7, (cat,)):
        follower.take(shot, NO_AREAS)
        for look in follower.looks(shot):
            if look.of_rest:
                follower.record_background(told(look.frame, look.place, {}))
            else:
                predictions.append(follower.record_look(told(look.frame, look.place, things)))

    assert predictions
    assert not predictions[0].at_rest
