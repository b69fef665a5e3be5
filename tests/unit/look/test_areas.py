import pytest

from tests.refusals import naming
from vitcam.errors import SourceError
from vitcam.look.areas import mask_rect, zone_rect
from vitcam.pictures.view import Region
from vitcam.rects import Rect


def test_a_zone_in_fractions_lies_in_the_same_part_of_every_picture() -> None:
    left_half = Region(0, 0, 0.5, 1)

    assert zone_rect(left_half, 720, 1280) == Rect(0, 0, 640, 720)
    assert zone_rect(left_half, 72, 128) == Rect(0, 0, 64, 72)


def test_a_zone_that_reaches_outside_a_smaller_picture_is_cut_off_and_never_empty() -> None:
    assert zone_rect(Region(100, 10, 400, 300), 120, 160) == Rect(100, 10, 60, 110)
    assert zone_rect(Region(500, 500, 40, 40), 120, 160) == Rect(159, 119, 1, 1)


def test_a_mask_covers_every_pixel_that_it_touches() -> None:
    assert mask_rect(Region(0.1004, 0.1, 0.2, 0.3), 100, 100) == Rect(10, 10, 21, 30)
    assert mask_rect(Region(10.5, 10, 3, 4.5), 100, 100) == Rect(10, 10, 4, 5)


def test_six_digits_of_a_fraction_do_not_make_a_mask_larger() -> None:
    assert mask_rect(Region(0.333333, 0, 0.333334, 1), 720, 1200) == Rect(400, 0, 400, 720)
    assert mask_rect(Region(0.5, 0.5, 0.5, 0.5), 720, 1280) == Rect(640, 360, 640, 360)


def test_a_mask_that_does_not_fit_the_picture_shows_no_picture_at_all() -> None:
    with pytest.raises(SourceError, match=naming("mask 600,0,200,480", "640×480 px")):
        mask_rect(Region(600, 0, 200, 480), 480, 640)
