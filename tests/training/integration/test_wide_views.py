"""The synthetic clips of wide views, and the daemon that plays them."""

from itertools import islice

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.bench.wide_views import things
from tests.bench.wide_views.clips import FPS, MOVES, Plan, Shot, drawn, shots_of
from tests.bench.wide_views.figures import MODES, Clip, Outcome, missed, ratio, table
from tests.bench.wide_views.play import Mode, Picture, play
from tests.bench.wide_views.scenes import scene_of
from tests.bench.wide_views.things import Thing
from tests.bench.wide_views.weather import weather_of
from vitcam.rects import Rect

pytestmark = pytest.mark.slow("vitcam/look", "tests/bench/wide_views")


def disc(side: int = 60) -> NDArray[np.float32]:
    """(side, side): 1 inside a disc."""
    found = np.zeros((side, side), np.float32)
    cv2.circle(found, (side // 2, side // 2), side // 2 - 1, 1.0, -1)
    return found


def red_thing() -> Thing:
    return Thing("red.jpg", "ball", np.full((60, 60, 3), (250, 20, 20), np.uint8), disc())


def plan(move: str = "crossing", weather: str = "calm", size: float = 2.0, number: int = 0) -> Plan:
    return Plan("choose", number, size, weather, move, 720)


def shots(what: Plan, first_s: float, count: int) -> list[Shot]:
    start = round(first_s * FPS)
    return list(islice(shots_of(what, red_thing()), start, start + count))


@pytest.mark.parametrize("weather", ["wind", "rain", "clouds", "night"])
def test_two_calls_make_the_same_clip(weather: str) -> None:
    one, other = (shots(plan(weather=weather), 6, 2) for _ in range(2))

    assert [shot.box for shot in one] == [shot.box for shot in other]
    assert all(np.array_equal(a.picture, b.picture) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("move", MOVES)
def test_the_thing_is_drawn_where_the_truth_says(move: str) -> None:
    what = plan(move)
    (shot,) = shots(what, 7, 1)
    scene, weather = scene_of("choose", 0, 720, 1280), weather_of("calm", 0, 720, 1280)

    empty = drawn(scene, weather, shot.t, swings=move == "feeder")

    assert shot.box is not None
    assert shot.in_view
    box = shot.box
    x, y = (min(1.0, max(0.0, at)) for at in (box.x + box.width / 2, box.y + box.height / 2))
    middle = np.s_[round(y * 719), round(min(0.99, max(0.01, x)) * 1279)]
    assert shot.picture[middle][0] > 180
    assert shot.picture[middle][1] < 90
    outside = np.ones((720, 1280), bool)
    left, top = round((box.x - 0.05) * 1280), round((box.y - 0.05) * 720)
    right, bottom = round((box.x + box.width + 0.05) * 1280), round((box.y + box.height + 0.1) * 720)
    outside[max(0, top) : bottom, max(0, left) : right] = False
    assert np.abs(shot.picture[outside].astype(int) - empty[outside]).mean() < 4


def test_the_final_clips_have_no_photo_and_no_scene_of_those_that_choose() -> None:
    from vitcam_training.data.published.everyday_photos import listed_parts

    photos = {kind: {path for part in parts for path in listed_parts()[part]} for kind, parts in things.PARTS.items()}

    assert not photos["choose"] & photos["final"]
    for number in range(4):
        pictures = [scene_of(kind, number, 180, 320).still for kind in ("choose", "final")]
        assert np.abs(pictures[0].astype(int) - pictures[1]).mean() > 10


def test_a_thing_that_crosses_faster_is_in_view_for_a_shorter_time_at_every_rate() -> None:
    for speed, fps in ((0.45, 15.0), (2.0, 30.0)):
        what = Plan("choose", 0, 5.0, "calm", "crossing", 720, "square", fps, speed, 1.0)
        seen = [shot for shot in shots_of(what, red_thing()) if shot.in_view]

        assert len(seen) / fps == pytest.approx(1 / speed, abs=2 / fps)
        assert seen[0].t < 1.0 + 0.2 / speed


@pytest.mark.parametrize("mode", ["off", "hand"])
def test_the_daemon_plays_the_same_each_time_and_looks_at_every_second_picture(mode: Mode) -> None:
    def digits() -> list[Picture]:
        noise = np.random.default_rng(0).integers(0, 40, (20, 120, 160, 3)).astype(np.uint8)
        return [Picture(n / FPS, image, Rect(40, 40, 60, 60) if n > 9 else None) for n, image in enumerate(noise)]

    one, other = (play(digits(), mode, FPS, "mnist") for _ in range(2))

    assert one.displays == other.displays
    assert len(one.displays) == 20
    assert [look.seq for look in one.looks] == [*range(0, 20, 2), 19]  # the last one is always looked at
    assert {look.crop for look in one.looks if look.seq > 9} == {Rect(40, 40, 60, 60)} if mode == "hand" else True


def made(size: float, off: int, on: int, hand: int) -> Clip:
    """A clip of 100 frames in view."""
    outcomes = (
        Outcome(mode, 100, n, 0, 0, 50, 40, 0, 0, 0, 0, 0, ()) for mode, n in zip(MODES, (off, on, hand), strict=True)
    )
    return Clip(plan(size=size), "ball", "red.jpg", tuple(outcomes))


def test_what_following_gains_is_compared_with_what_a_box_by_hand_gains() -> None:
    clips = [made(1.0, 0, 80, 100), made(2.0, 20, 40, 100), made(0.5, 0, 0, 100)]

    assert ratio(clips[:1]) == pytest.approx(0.8)
    assert missed(clips) == [(2.0, "cut-out")]
    assert "| 80.0 % (80 to 80) |" in table(clips, ("off", "on", "hand"))
