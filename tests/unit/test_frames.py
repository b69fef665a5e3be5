from dataclasses import replace

import numpy as np

from tests.frames import prediction
from vitcam.frames import Detail, Frame, Group, Guess, ModelIdentity, Place, Shown
from vitcam.rects import Box, Rect


def test_a_box_is_the_crop_of_what_is_followed_in_fractions() -> None:
    whole = replace(prediction(), size=(640, 480), crop=Rect(320, 120, 160, 160))
    followed = replace(whole, zone="door", track=7)

    assert whole.box is None
    assert followed.box == Box(0.5, 0.25, 0.25, 1 / 3)
    assert str(followed.box) == "0.5,0.25,0.25,0.333333"
    assert (whole.place, followed.place) == (Place(), Place("door", 7))


def test_a_box_lies_again_where_it_was_in_the_picture() -> None:
    for size in ((640, 480), (1, 1), (1279, 719), (4608, 2592)):
        for rect in (
            Rect(0, 0, 1, 1),
            Rect(size[0] // 3, size[1] // 7, -(-size[0] // 3), -(-size[1] // 2)),
            Rect(0, 0, *size),
        ):
            assert Box.around(rect, size).rect(size) == rect


def test_a_part_of_a_frame_has_the_px_of_its_detail_where_there_is_one() -> None:
    preview = np.arange(6 * 8 * 3, dtype=np.uint8).reshape(6, 8, 3)
    detail = Detail(Rect(2, 2, 4, 4), np.zeros((16, 16, 3), np.uint8))
    frame = Frame(preview, None, Rect(0, 0, 8, 6), 0, 0, "test", details=(detail,))

    assert frame.part(Rect(2, 2, 4, 4)) is detail.picture
    assert np.array_equal(frame.part(Rect(1, 2, 4, 3)), preview[2:5, 1:5])
    assert np.shares_memory(frame.part(Rect(1, 2, 4, 3)), preview)


def test_a_name_is_displayed_from_the_probability_on_that_the_model_says() -> None:
    groups = (Group("cat", 0.65), Group("animal", 0.9))
    unsure = replace(prediction(), top=(Guess("tabby", 0.55),), groups=groups)
    strict = replace(unsure, model=ModelIdentity("m", "", 0.7))

    assert unsure.shown == Shown("tabby", 0.55, "label")
    assert unsure.group is None
    assert strict.shown == Shown("animal", 0.9, "group")
    assert strict.group == groups[1]
    assert replace(strict, groups=groups[:1]).shown == Shown(None, 0.55, "none")
    assert replace(strict, top=(Guess("tabby", 0.7),)).shown == Shown("tabby", 0.7, "label")
