"""Where boxes lie, whatever they are around."""

import numpy as np

from vitcam.look.boxes import box_around, least_of, steady_box
from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect

VIEW = Rect(0, 0, 1280, 720)


def inside(box: Rect, bounds: Rect) -> bool:
    return box.common(bounds) == box


def test_a_box_is_a_quarter_larger_than_its_thing_and_square() -> None:
    assert box_around(Rect(600, 300, 200, 120), VIEW, (224, 224)) == Rect(575, 235, 250, 250)


def test_what_is_small_is_enlarged_at_most_twice_for_the_model() -> None:
    least = least_of(InputSpec(224, 224))

    assert box_around(Rect(640, 360, 20, 20), VIEW, least) == Rect(594, 314, 112, 112)


def test_a_camera_with_more_px_than_its_picture_has_smaller_boxes() -> None:
    assert least_of(InputSpec(224, 224), 1.8) == (63, 63)
    assert least_of(None) == (1, 1)


def test_a_model_that_wants_another_shape_gets_boxes_of_that_shape() -> None:
    box = box_around(Rect(600, 300, 100, 100), VIEW, (100, 200))

    assert (box.width, box.height) == (250, 125)


def test_a_box_stays_while_its_thing_moves_a_little_and_goes_on_when_it_leaves_the_middle() -> None:
    thing = Rect(600, 300, 60, 60)
    box = box_around(thing, VIEW, (224, 224))

    assert steady_box(box, Rect(620, 310, 60, 60), VIEW, (224, 224)) is box
    assert steady_box(box, Rect(660, 310, 60, 60), VIEW, (224, 224)) == Rect(578, 228, 224, 224)


def test_a_box_that_a_thing_has_outgrown_is_replaced() -> None:
    box = box_around(Rect(600, 300, 100, 100), VIEW, (64, 64))

    assert steady_box(box, Rect(580, 280, 140, 140), VIEW, (64, 64)).width == 175
    assert steady_box(box, Rect(625, 325, 50, 50), VIEW, (50, 50)).width == 62


def test_every_box_lies_inside_its_bounds_whatever_it_is_around() -> None:
    rng = np.random.default_rng(45)

    def any_rect(most: int, outside: int) -> Rect:
        x, y = (int(each) for each in rng.integers(-outside, most, 2))
        width, height = (int(each) for each in rng.integers(1, most, 2))
        return Rect(x, y, width, height)

    for _ in range(10_000):
        height, width = (int(each) for each in rng.integers(1, 2400, 2))
        zone = any_rect(2400, 0)
        bounds = Rect.between(zone.x, zone.y, zone.x + zone.width, zone.y + zone.height, height, width)
        least = tuple(int(each) for each in rng.integers(1, 600, 2))
        thing, later = any_rect(2400, 300), any_rect(2400, 300)
        box = box_around(thing, bounds, (least[0], least[1]))
        after = steady_box(box, later, bounds, (least[0], least[1]))

        assert inside(box, bounds)
        assert inside(after, bounds)
        assert min(box.width, box.height) >= 1


def test_how_much_two_rectangles_have_in_common() -> None:
    whole, half, beside = Rect(0, 0, 10, 10), Rect(5, 0, 10, 10), Rect(10, 0, 10, 10)

    assert [whole.likeness(each) for each in (whole, half, beside)] == [1, 1 / 3, 0]
    assert [whole.overlaps(each) for each in (whole, half, beside)] == [True, True, False]
    assert [whole.common(each) for each in (whole, half, beside)] == [whole, Rect(5, 0, 5, 10), None]
