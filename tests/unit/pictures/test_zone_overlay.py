from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.frames import picture, prediction
from vitcam.frames import Prediction
from vitcam.pictures.zone_overlay import draw_zones
from vitcam.rects import Rect

LEFT, RIGHT = Rect(0, 0, 300, 360), Rect(340, 0, 300, 360)


VIEW, BOX = Rect(140, 0, 360, 360), Rect(400, 200, 60, 60)


def zone(name: str, label: str = "cup", known: bool = True) -> Prediction:
    return replace(prediction(label), zone=name, known=known, unfamiliar=not known)


def test_each_zone_gets_its_overlay_and_nothing_outside_of_them_changes() -> None:
    image = picture(360, 640)
    drawn = draw_zones(image, [(LEFT, zone("door")), (RIGHT, zone("road"))], "heat")

    assert (drawn[:, :300] != 128).any()
    assert (drawn[:, 340:] != 128).any()
    assert (drawn[:, 300:340] == 128).all()
    assert (image == 128).all()


def test_the_name_of_a_zone_and_its_label_stand_in_its_corner() -> None:
    one, other = (draw_zones(picture(360, 640), [(LEFT, zone("door", label))], "grid") for label in ("cup", "pagoda"))

    assert one[:20, :20].min() < 40  # the plate behind the words
    assert (one[:24, :200] != other[:24, :200]).any()


def test_zones_too_small_for_words_and_at_the_edge_are_drawn_without_them() -> None:
    tiny = [(Rect(0, 0, 1, 1), zone("a")), (Rect(630, 350, 10, 10), zone("b")), (Rect(600, 357, 40, 3), zone("c"))]

    assert draw_zones(picture(360, 640), tiny, "attention").shape == (360, 640, 3)


def box(label: str = "cup", track: int = 7, **others: Any) -> Prediction:
    return replace(prediction(label), track=track, **others)


def unsure(what: Prediction) -> Prediction:
    return replace(what, known=False)


def test_a_box_gets_its_overlay_and_the_view_around_it_gives_way_to_its_name() -> None:
    drawn = draw_zones(picture(360, 640), [(VIEW, prediction()), (BOX, box())], "heat")

    assert (drawn[205:255, 405:455] != 128).any()
    assert (drawn[300:, 140:500] == 128).all()


@pytest.mark.parametrize("what", [unsure(box()), box(at_rest=True)], ids=["nothing", "what is always there"])
def test_the_view_keeps_its_overlay_while_no_box_has_a_name_of_its_own(what: Prediction) -> None:
    drawn = draw_zones(picture(360, 640), [(VIEW, prediction("dog")), (BOX, what)], "heat")

    assert (drawn[300:, 140:500] != 128).any()
    assert (drawn[300:, :140] == 128).all()


def test_what_lies_in_a_box_is_drawn_as_if_nothing_lay_under_it() -> None:
    looks = [(VIEW, unsure(prediction())), (BOX, unsure(box()))]
    inside = np.s_[205:255, 405:455]

    assert np.array_equal(
        draw_zones(picture(360, 640), looks, "attention")[inside],
        draw_zones(picture(360, 640), looks[1:], "attention")[inside],
    )


def test_a_box_has_a_thin_frame_and_its_name_stands_above_it() -> None:
    plain = unsure(box())
    named, other, framed = (
        draw_zones(picture(360, 640), [(BOX, each)], "evidence") for each in (box("cup"), box("pagoda"), plain)
    )

    assert (framed[230, 400] == 255).all()
    assert (framed[230, 399] < 40).all()
    assert (framed[:198] == 128).all()
    assert (named[180:199] != other[180:199]).any()


@pytest.mark.parametrize(
    "place", [Rect(0, 0, 640, 360), Rect(600, 0, 40, 40), Rect(0, 330, 1, 30), Rect(630, 0, 10, 360)]
)
def test_the_name_of_a_box_stays_in_the_picture_wherever_the_box_lies(place: Rect) -> None:
    long = box("a name that is far longer than any picture is wide, so that it has to be shortened somewhere")
    drawn = draw_zones(picture(360, 640), [(place, long)], "evidence")

    assert drawn.shape == (360, 640, 3)
    assert ((drawn < 40).all(axis=2).sum(axis=1) > 300).any(), "there is a plate with the name"


def test_nothing_is_drawn_where_nobody_wants_an_overlay() -> None:
    image = picture(360, 640)

    assert draw_zones(image, [(LEFT, zone("door"))], "none") is image


def test_an_unknown_zone_shows_no_guess() -> None:
    cup, dog = (draw_zones(picture(360, 640), [(LEFT, zone("door", each, known=False))], "grid") for each in "ab")

    assert np.array_equal(cup, dog)
