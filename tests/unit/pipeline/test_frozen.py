"""A camera that sends the same picture to the last bit is frozen; it is opened again, ever less often."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.frames import SECOND, frame
from vitcam.frames import Image
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas
from vitcam.pictures.view import Region
from vitcam.pipeline.frozen import FrozenWatch

Sees = Callable[[float], Image]
STILL: Image = np.random.default_rng(0).integers(0, 256, (72, 128, 3), np.uint8)


def noise(seconds: float) -> Image:
    """A picture as a sensor gives it: another one each time."""
    return np.random.default_rng(round(seconds * 1000) + 1).integers(0, 256, (72, 128, 3), np.uint8)


def _new(number: int, _: float) -> Image:
    return noise(number)


def still(_: float) -> Image:
    """The same picture each time."""
    return STILL


class Camera:
    """A watch, and the time since its start."""

    def __init__(self, after_s: float = 60.0, masks: tuple[Region, ...] = (), asked: bool = False) -> None:
        self.watch = FrozenWatch(ActiveAreas(Areas(masks=masks)))
        self.watch.watch(after_s)
        self.asked = asked
        self.now_s = 1000.0

    def passes(self, seconds: float, sees: Sees, fps: float = 5.0) -> list[int]:
        """Let time pass; the seconds after which the camera was to be opened again."""
        start_s, opened = self.now_s, []
        for step in range(round(seconds * fps)):
            self.now_s = start_s + step / fps
            shown = replace(frame(step, sees(self.now_s)), captured_ns=round(self.now_s * SECOND), asked=self.asked)
            if self.watch.take(shown):
                opened.append(round(self.now_s - start_s))
        self.now_s = start_s + seconds
        return opened

    @property
    def is_frozen(self) -> bool:
        return self.watch.since_ns is not None


def test_a_camera_that_sees_is_never_frozen_however_still_the_scene_is() -> None:
    camera = Camera()

    assert camera.passes(600, noise) == []
    assert not camera.is_frozen


def test_a_camera_that_rests_is_frozen_also_where_that_is_said_after_a_second() -> None:
    camera = Camera(after_s=1)
    camera.passes(10, noise, fps=2)
    saw = not camera.is_frozen

    camera.passes(4, still, fps=2)

    assert saw
    assert camera.is_frozen


@pytest.mark.parametrize("fps", [0.1, 1, 30])
def test_the_same_picture_for_a_minute_is_a_frozen_camera_whatever_its_rate(fps: float) -> None:
    camera = Camera()
    camera.passes(100, noise, fps)
    early = camera.passes(50, still, fps)
    at_fifty = camera.is_frozen
    opened = camera.passes(30, still, fps)

    assert (early, at_fifty, len(opened), camera.is_frozen) == ([], False, 1, True)
    assert (camera.watch.since_ns or 0) / SECOND == pytest.approx(1100, abs=1)


def test_a_camera_that_stays_frozen_is_opened_again_ever_less_often() -> None:
    camera = Camera()
    opened = camera.passes(20_000, still, fps=1)

    assert opened[0] == pytest.approx(60, abs=2)
    assert np.diff(opened) == pytest.approx([60, 120, 240, 480, 960, 1920, *[3600] * 4], abs=2)
    assert camera.is_frozen


def test_one_new_picture_each_time_it_is_opened_does_not_end_the_problem() -> None:
    camera = Camera()
    camera.passes(60, still)
    opened: list[int] = []
    frozen: list[bool] = []
    for number in range(5):
        opened += camera.passes(300, partial(_new, number))
        frozen.append(camera.is_frozen)

    assert all(frozen)
    assert 3 <= len(opened) <= 8


def test_the_problem_is_over_when_the_picture_changes_for_some_seconds_and_the_next_one_is_new() -> None:
    camera = Camera()
    camera.passes(1000, still)
    soon = camera.passes(5, noise), camera.is_frozen
    later = camera.passes(10, noise), camera.is_frozen
    again = camera.passes(70, still)

    assert soon == ([], True)
    assert later == ([], False)
    assert again == [pytest.approx(60, abs=2)]


def test_a_picture_that_was_asked_for_may_be_the_same_for_ever() -> None:
    assert Camera(asked=True).passes(600, still) == []


def test_a_picture_that_is_all_mask_says_nothing_and_one_that_is_partly_masked_does() -> None:
    whole = Camera(masks=(Region.parse("0,0,1,1"),))
    part = Camera(masks=(Region.parse("0,0,1,0.5"),))

    assert whole.passes(600, lambda _: np.zeros_like(STILL)) == []
    assert part.passes(100, still) == [pytest.approx(60, abs=2)]


def test_time_without_any_picture_does_not_count() -> None:
    camera = Camera()
    camera.passes(30, still)
    camera.now_s += 300  # it was lost, and shows the same when it is back
    opened = camera.passes(50, still)

    assert (opened, camera.is_frozen) == ([], False)
