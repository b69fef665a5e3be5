"""What is made of the pictures of a camera that rests: whole ones, small ones to compare, and none of most."""

import cv2
import numpy as np
import pytest

from tests.frames import SECOND, frame
from vitcam.frames import Image
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import NO_AREAS, Areas
from vitcam.look.motion import GateOptions, MotionGate
from vitcam.look.resting import Resting, Spot
from vitcam.pictures.view import Region
from vitcam.rects import Rect

HEIGHT, WIDTH, FPS = 720, 1280, 30


def small(seed: int, thing: tuple[int, int] | None = None) -> Image:
    """(90, 160, 3): the view at an eighth, with a little noise; `thing`: where something stands."""
    coarse = np.random.default_rng(1).integers(60, 180, (9, 16, 3)).astype(np.uint8)
    picture = cv2.resize(coarse, (160, 90), interpolation=cv2.INTER_CUBIC) + np.random.default_rng(seed).normal(
        0, 0.5, (90, 160, 3)
    )
    if thing is not None:
        picture[thing[1] : thing[1] + 10, thing[0] : thing[0] + 10] = (220, 40, 40)
    return np.asarray(picture.clip(0, 255), np.uint8)


def rested(areas: Areas = NO_AREAS, *spots: Spot) -> Resting:
    resting = Resting(ActiveAreas(areas))
    whole = Spot(None, Rect(0, 0, WIDTH, HEIGHT), MotionGate(GateOptions()))
    resting.rest(frame(0, np.zeros((HEIGHT, WIDTH, 3), np.uint8)), spots or (whole,), areas)
    return resting


def play(
    resting: Resting,
    seconds: float,
    thing: tuple[int, int] | None = None,
    begin_s: float = 100,
    is_watched: bool = False,
) -> list[str]:
    """What is made of each picture until it wakes."""
    made = []
    for number in range(round(seconds * FPS)):
        now_ns = round((begin_s + number / FPS) * SECOND)
        wanted = resting.wants(now_ns, is_watched)
        made.append("none" if not wanted else "small" if resting.compares else "whole")
        if made[-1] == "small" and resting.moves(small(number, thing), now_ns):
            break
    return made


@pytest.mark.parametrize(("is_watched", "whole"), [(False, 8), (True, 15)])
def test_ten_pictures_a_second_are_compared_two_are_whole_or_four_for_a_viewer(is_watched: bool, whole: int) -> None:
    resting = rested()
    play(resting, 1)
    made = play(resting, 4, begin_s=101, is_watched=is_watched)

    assert made.count("whole") == whole
    assert 30 <= made.count("small") <= 40
    assert made.count("none") >= 65
    assert resting.since_ns is not None


def test_a_source_that_makes_no_small_pictures_makes_ten_whole_ones_a_second() -> None:
    resting = rested()
    wanted = [resting.wants(round((100 + number / FPS) * SECOND), False) for number in range(5 * FPS)]

    assert 35 <= sum(wanted[2 * FPS :]) <= 39  # in three seconds


def test_what_moves_wakes_it_within_a_tenth_of_a_second_and_only_where_it_is_looked_at() -> None:
    left = Spot("left", Rect(0, 0, WIDTH // 2, HEIGHT), MotionGate(GateOptions()))
    right = Spot("right", Rect(900, 0, 300, HEIGHT), MotionGate(GateOptions()))
    resting = rested(NO_AREAS, left, right)
    play(resting, 2)
    between = play(resting, 1, (90, 40), begin_s=102)  # in neither of them
    made = play(resting, 1, (20, 40), begin_s=103)

    assert len(between) == FPS
    assert len(made) <= 4
    assert resting.since_ns is None
    assert set(resting.woken_ns) == {"left"}


def test_what_a_mask_hides_is_not_compared_and_a_new_mask_ends_the_rest() -> None:
    areas = Areas(masks=(Region(0, 0, 0.5, 1),))
    active = ActiveAreas(areas)
    resting = Resting(active)
    spot = Spot(None, Rect(0, 0, WIDTH, HEIGHT), MotionGate(GateOptions()))
    resting.rest(frame(0, np.zeros((HEIGHT, WIDTH, 3), np.uint8)), (spot,), areas)
    play(resting, 2)

    assert len(play(resting, 1, (20, 40), begin_s=102)) == FPS
    active.replace(Areas(masks=(Region(0, 0, 0.25, 1),)))
    assert resting.moves(small(1), 104 * SECOND)
