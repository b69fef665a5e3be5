from dataclasses import replace

import numpy as np

from tests.frames import picture, prediction
from vitcam.frames import Prediction, Rect
from vitcam.pictures.zone_overlay import draw_zones

LEFT, RIGHT = Rect(0, 0, 300, 360), Rect(340, 0, 300, 360)


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


def test_an_unknown_zone_shows_no_guess() -> None:
    cup, dog = (draw_zones(picture(360, 640), [(LEFT, zone("door", each, known=False))], "grid") for each in "ab")

    assert np.array_equal(cup, dog)


def test_a_zone_without_weights_still_has_its_frame_and_name() -> None:
    drawn = draw_zones(picture(360, 640), [(LEFT, replace(zone("door"), attention=None))], "attention")

    assert (drawn[180, 0] == 255).all()
    assert (drawn[180, 10:290] == 128).all()


def test_nothing_is_drawn_where_nobody_wants_an_overlay() -> None:
    image = picture(360, 640)

    assert draw_zones(image, [(LEFT, zone("door"))], "none") is image


def test_zones_too_small_for_words_and_at_the_edge_are_drawn_without_them() -> None:
    tiny = [(Rect(0, 0, 1, 1), zone("a")), (Rect(630, 350, 10, 10), zone("b")), (Rect(600, 357, 40, 3), zone("c"))]

    assert draw_zones(picture(360, 640), tiny, "attention").shape == (360, 640, 3)
