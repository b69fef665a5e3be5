"""What wakes the motion gate, and what must not."""

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.frames import SECOND, frame
from vitcam.frames import Frame, Image
from vitcam.look.motion import GateOptions, MotionDetector, MotionGate
from vitcam.rects import Rect

FPS = 30
HEIGHT, WIDTH = 360, 640


def scene() -> Image:
    """A room: soft shapes with edges, nowhere quite flat."""
    rng = np.random.default_rng(1)
    coarse = rng.integers(40, 200, (9, 16, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC), np.uint8)


def with_noise(image: Image, sigma: float, rng: np.random.Generator) -> Image:
    return np.clip(image + sigma * rng.standard_normal(image.shape, np.float32), 0, 255).astype(np.uint8)


def with_cup(image: Image, x: int, side: int = 40) -> Image:
    out = image.copy()
    out[200 : 200 + side, x : x + side] = (210, 40, 40)
    return out


def filmed(images: Iterator[Image] | list[Image], begin: int = 0) -> Iterator[Frame]:
    for seq, image in enumerate(images, begin):
        yield replace(frame(seq, image), captured_ns=(seq + 1) * SECOND // FPS)


def noisy(count: int, sigma: float = 4.0, seed: int = 0) -> list[Image]:
    rng = np.random.default_rng(seed)
    return [with_noise(scene(), sigma, rng) for _ in range(count)]


def moving(images: list[Image]) -> list[bool]:
    """What a watch says of each frame, the first one left out."""
    watch = MotionDetector(6.0)
    return [watch.moved(each) for each in filmed(images)][1:]


@pytest.mark.long
@pytest.mark.parametrize("sigma", [0.0, 2.0, 6.0, 12.0])
def test_the_noise_of_a_sensor_does_not_count_as_motion(sigma: float) -> None:
    found = moving(noisy(150, sigma))

    assert sum(found[30:]) == 0  # how noisy a camera is in the dark shows within a second


def test_an_object_wakes_it_with_the_very_frame_that_shows_it() -> None:
    images = noisy(120)
    found = moving([*images[:90], *(with_cup(image, 300) for image in images[90:])])

    assert not any(found[:89])
    assert found[89]


def test_an_object_that_stays_is_part_of_the_scene_after_some_seconds() -> None:
    images = noisy(60)
    found = moving([*images, *(with_cup(image, 300) for image in noisy(210, seed=2))])

    assert found[59]
    assert not any(found[-30:])


def test_an_object_that_moves_slowly_is_seen_all_the_way() -> None:
    rng = np.random.default_rng(3)
    images = [with_noise(with_cup(scene(), 180 + seq), 4.0, rng) for seq in range(200)]  # 30 px/s

    assert all(moving(images)[10:])


def test_daylight_that_fades_and_exposure_that_follows_do_not_wake_it() -> None:
    rng = np.random.default_rng(4)
    base = scene().astype(np.float32)
    light = np.concatenate([np.linspace(1, 0.6, 150), np.linspace(0.6, 0.9, 15), np.full(60, 0.9)])  # 5 s, then 0.5 s
    images = [with_noise((base * level).astype(np.uint8), 2.0, rng) for level in light]

    assert sum(moving(images)) == 0


def test_one_pixel_that_flickers_is_no_motion() -> None:
    images = noisy(120, 2.0)
    for seq, image in enumerate(images):
        image[HEIGHT // 2, WIDTH // 2] = 255 * (seq % 2)

    assert sum(moving(images)) == 0


def test_what_happens_outside_the_crop_is_none_of_its_business() -> None:
    images = noisy(90)
    found = moving([*images[:60], *(with_cup(image, 20) for image in images[60:])])  # the model sees 140 to 500

    assert sum(found) == 0


def test_a_new_crop_is_looked_at_at_once() -> None:
    watch = MotionDetector(6.0)
    frames = list(filmed(noisy(40)))
    for each in frames[:30]:
        watch.moved(each)
    elsewhere = Rect(0, 0, 100, 100)

    assert watch.moved(replace(frames[30], crop=elsewhere))
    assert not watch.moved(replace(frames[31], crop=elsewhere))


def test_a_lamp_that_goes_on_in_the_dark_is_seen() -> None:
    rng = np.random.default_rng(5)
    dark = [with_noise(np.full((HEIGHT, WIDTH, 3), 6, np.uint8), 2.0, rng) for _ in range(60)]
    found = moving([*dark, *noisy(2)])

    assert not any(found[:59])
    assert found[59]


def test_the_model_s_own_picture_is_used_where_the_source_delivers_it() -> None:
    watch = MotionDetector(6.0)
    dull = np.full((224, 224, 3), 90, np.uint8)
    frames = [replace(each, model_input=dull) for each in filmed(noisy(30))]
    changed = replace(frames[-1], model_input=with_cup(dull, 60), captured_ns=2 * SECOND)

    assert [watch.moved(each) for each in frames] == [True] + 29 * [False]
    assert watch.moved(changed)


def test_a_still_scene_is_classified_for_a_while_and_then_once_a_second() -> None:
    gate = MotionGate(GateOptions(hold_s=2, rest_s=1))
    passed = [gate(each) for each in filmed(noisy(30 * 8))]

    assert all(passed[:60])
    assert 5 <= sum(passed[60:]) <= 6


def test_the_gate_opens_for_the_frame_that_moved_and_stays_open() -> None:
    gate = MotionGate(GateOptions(hold_s=1, rest_s=10))
    still = noisy(150)
    images = [*still[:100], with_cup(still[100], 300), *still[101:]]
    passed = [gate(each) for each in filmed(images)]

    assert not any(passed[35:100])
    assert all(passed[100:130])


def test_frames_that_come_seldom_leave_the_gate_as_it_was() -> None:
    watch = MotionDetector(6.0)
    begin = noisy(90)
    for each in filmed(begin):
        watch.moved(each)
    images = noisy(8)
    seldom = [replace(frame(i, images[i % 8]), captured_ns=(3 + 40 * (i + 1)) * SECOND) for i in range(200)]
    for each in seldom:
        watch.moved(each)
    again = [replace(each, captured_ns=each.captured_ns + 10_000 * SECOND) for each in filmed(noisy(60, seed=3))]
    still = [watch.moved(each) for each in again]
    cup = replace(frame(1000, with_cup(scene(), 300)), captured_ns=again[-1].captured_ns + SECOND // FPS)

    assert np.isfinite(watch.noise).all()
    assert sum(still[30:]) == 0
    assert watch.moved(cup)
