"""What is computed from a part of the picture, however absurd the part is."""

import pytest

from tests.refusals import naming
from vitcam.errors import UsageError
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone, mask_rect, zone_rect
from vitcam.pictures.decode import Limits
from vitcam.pictures.resize import InputSpec, crop_of, rect_of
from vitcam.pictures.view import Region, check_size, is_region
from vitcam.sources.active_crop import ActiveCrop
from vitcam.sources.source import SourceOptions, live_limits

SPEC = InputSpec(224, 224)
NOTHING = [5e-324, 1e-320, 1e-300, 1e-17, 1e-9, 1e-5]
SIZES = [(1, 1), (1, 4000), (16, 16), (480, 640), (720, 1280), (6000, 6500), (65535, 600)]
PLACES = [0.0, 1e-320, 1 / 3, 0.5, 0.999999, 1 - 2**-53, 1.0]


def regions() -> list[Region]:
    return [
        Region(x, y, width, height)
        for x, y in zip(PLACES, reversed(PLACES), strict=True)
        for width in NOTHING
        for height in (width, 1e-320)
        if x + width <= 1 and y + height <= 1
    ]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_part_next_to_nothing_still_lies_inside_every_picture(size: tuple[int, int]) -> None:
    height, width = size
    for region in regions():
        for rect in (
            rect_of(region, height, width),
            zone_rect(region, height, width),
            mask_rect(region, height, width),
            crop_of(SPEC, height, width, rect_of(region, height, width)),
        ):
            assert rect.width >= 1, region
            assert rect.height >= 1, region
            assert 0 <= rect.x <= width - rect.width, region
            assert 0 <= rect.y <= height - rect.height, region


def test_a_part_next_to_nothing_asks_for_no_more_than_a_picture_can_have() -> None:
    for region in regions():
        for options in (
            SourceOptions(input=SPEC, active_crop=ActiveCrop(region)),
            SourceOptions(input=SPEC, active_areas=ActiveAreas(Areas((Zone("door", region),)))),
        ):
            enough = live_limits(options).enough
            assert enough is None or all(0 < side <= 65535 for side in enough)


def test_a_model_with_a_larger_input_that_is_chosen_later_gets_pictures_that_are_large_enough() -> None:
    chosen = SPEC
    options = SourceOptions(SPEC, 320, 240, input_now=lambda: chosen)
    before = live_limits(options)
    chosen = InputSpec(512, 512)

    assert live_limits(options).enough == live_limits(SourceOptions(chosen, 320, 240)).enough != before.enough


def test_where_something_may_be_followed_a_picture_of_4k_is_decoded_whole() -> None:
    followed = False
    options = SourceOptions(input=SPEC, follows=lambda: followed)
    before = live_limits(options)
    followed = True

    assert before.enough is not None
    assert live_limits(options) == Limits(before.most_pixels, (2160, 3840))


@pytest.mark.parametrize("side", NOTHING)
def test_a_mask_too_small_to_see_covers_the_px_that_it_touches(side: float) -> None:
    for x in (0.0, 0.25, 0.5, 0.123456, 1 - max(side, 2**-53)):
        covered = mask_rect(Region(x, 0, side, 1), 100, 640)
        assert covered.x <= int(x * 640) < covered.x + covered.width, x
        assert covered.width <= 2, x


def test_a_part_that_no_picture_can_have_is_no_region() -> None:
    assert not is_region("1e308,0,1e308,5")
    assert not is_region("0,0,1e300,1e300")
    assert is_region("320,0,640,720")


@pytest.mark.parametrize(("size", "least"), [(None, 4 / 65535), ((480, 640), 4 / 480), ((2, 2), 1.0)], ids=str)
def test_a_part_that_is_chosen_has_a_least_size_in_px(size: tuple[int, int] | None, least: float) -> None:
    check_size("the crop", Region(0, 0, 1, least), size)
    with pytest.raises(UsageError, match=naming("the crop", "at least 4 px")):
        check_size("the crop", Region(0, 0, 1, 0.9 * least), size)


def test_the_whole_picture_is_no_crop() -> None:
    saved: list[Region | None] = []

    def save(region: Region | None) -> str:
        saved.append(region)
        return ""

    crop = ActiveCrop(Region(0, 0, 1, 1), save)
    before = crop.region
    crop.replace(Region(0, 0, 1, 1))

    assert before is None
    assert crop.region is None
    assert saved == [None]
