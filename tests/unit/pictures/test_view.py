"""Crops and turns as people write them."""

import itertools
from typing import get_args

import cv2
import numpy as np
import pytest

from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec, crop_of, rect_of
from vitcam.pictures.view import Flip, Orientation, Region, is_region
from vitcam.rects import Rect
from vitcam.sources.active_crop import ActiveCrop
from vitcam.sources.transform import reorient, reorient_rect

TURNS = list(itertools.product((0, 90, 180, 270), get_args(Flip)))
BY_HAND = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


def picture() -> Image:
    return np.random.default_rng(0).integers(0, 256, (12, 20, 3), np.uint8)


def step_by_step(image: Image, rotate: int, flip: str) -> Image:
    out = np.asarray(cv2.rotate(image, BY_HAND[rotate]), np.uint8) if rotate else image
    for axis, letter in ((1, "h"), (0, "v")):
        out = np.flip(out, axis) if letter in flip else out
    return out


@pytest.mark.parametrize(("rotate", "flip"), TURNS)
def test_one_pass_turns_as_rotating_and_then_flipping_does(rotate: int, flip: Flip) -> None:
    orientation = Orientation.of(rotate, flip)

    assert np.array_equal(reorient(orientation, picture()), step_by_step(picture(), rotate, flip))
    assert np.array_equal(
        reorient(orientation.without_flips, reorient(Orientation(orientation.hflip, orientation.vflip), picture())),
        reorient(orientation, picture()),
    )


@pytest.mark.parametrize(("rotate", "flip"), TURNS)
def test_a_rectangle_is_turned_to_where_its_pixels_go(rotate: int, flip: Flip) -> None:
    orientation, rect = Orientation.of(rotate, flip), Rect(3, 1, 7, 4)
    marked = np.zeros((12, 20, 3), np.uint8)
    marked[1:5, 3:10] = 255
    seen = reorient_rect(orientation, rect, 12, 20)
    found = reorient(orientation, marked)

    assert found[seen.y : seen.y + seen.height, seen.x : seen.x + seen.width].min() == 255
    assert (found > 0).sum() == 3 * 7 * 4


def test_fractions_hold_for_every_size_and_pixels_are_pixels() -> None:
    assert rect_of(Region.parse("0.25,0,0.5,1"), 720, 1280) == Rect(320, 0, 640, 720)
    assert rect_of(Region.parse("0.25,0,0.5,1"), 480, 640) == Rect(160, 0, 320, 480)
    assert rect_of(Region.parse("320,10,640,700"), 720, 1280) == Rect(320, 10, 640, 700)
    assert rect_of(Region(0.9999, 0.9999, 0.0001, 0.0001), 100, 100) == Rect(99, 99, 1, 1)


@pytest.mark.parametrize("third", [1 / 3, 0.1, 0.7, 0.123456])
def test_no_fraction_ever_reaches_outside_a_picture(third: float) -> None:
    rect = rect_of(Region(third, third, 1 - third, 1 - third), 481, 641)

    assert (rect.x + rect.width, rect.y + rect.height) == (641, 481)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not a rectangle"),
        ("1,2,3", "not a rectangle"),
        ("a,b,c,d", "not a rectangle"),
        ("nan,0,1,1", "not a rectangle"),
        ("0,0,inf,1", "not a rectangle"),
        ("0.1,0.1,0,0.5", "is empty"),
        ("10,10,-5,20", "is empty"),
        ("10,10,5,0", "is empty"),
        ("0.5,0,0.6,1", "outside"),
        ("0,0.5,1,0.6", "outside"),
        ("-1,0,100,100", "outside"),
    ],
)
def test_what_cannot_be_a_crop_is_refused_in_one_sentence(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as refused:
        Region.parse(text)

    assert "0.25,0,0.5,1" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not is_region(text)


def test_a_region_is_written_as_it_can_be_read_again() -> None:
    region = Region(1 / 3, 0.125, 0.5, 0.875)

    assert str(region) == "0.333333,0.125,0.5,0.875"
    assert is_region(str(region))
    assert Region.parse(str(Region(0, 0, 1920, 1080))) == Region(0, 0, 1920, 1080)


@pytest.mark.parametrize("text", ["0.333333333,0,0.666666667,1", "0.8333333,0.1666667,0.1666667,0.8333333"])
def test_a_region_at_the_border_survives_being_written_down(text: str) -> None:
    again = Region.parse(str(Region.parse(text)))

    assert rect_of(again, 720, 1280) == rect_of(Region.parse(text), 720, 1280)


def test_the_model_s_own_mode_holds_inside_a_chosen_part() -> None:
    part = Rect(100, 50, 400, 200)

    assert crop_of(InputSpec(224, 224), 720, 1280, part) == Rect(200, 50, 200, 200)
    assert crop_of(InputSpec(224, 224, crop_fraction=0.5), 720, 1280, part) == Rect(250, 100, 100, 100)
    assert crop_of(InputSpec(224, 224, resize="squash"), 720, 1280, part) == part


def test_an_aim_says_whether_it_will_be_remembered() -> None:
    left = Region(0, 0, 0.5, 0.5)
    active_crop = ActiveCrop(save=lambda region: "" if region else "the disk is full")
    answers = [
        (active_crop.region, active_crop.replace(left)),
        (active_crop.region, active_crop.replace(None)),
        (active_crop.region, ""),
    ]

    assert answers == [(None, ""), (left, "the disk is full"), (None, "")]


def test_pixels_outside_a_smaller_picture_name_its_size() -> None:
    with pytest.raises(UsageError, match="1280×720"):
        rect_of(Region.parse("700,0,640,720"), 720, 1280)
