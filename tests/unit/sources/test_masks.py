"""Masked parts are black in whatever leaves a source, and nothing is copied where that can be avoided."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Self

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.frames import frame
from tests.refusals import naming
from vitcam.errors import MasksUnknown, SourceError, VitcamError
from vitcam.frames import Frame, Image
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam.pictures.view import UPRIGHT, Orientation, Region
from vitcam.rects import Rect
from vitcam.run.kinds import HoldsPixels
from vitcam.sources import SourceOptions, open_source, v4l2
from vitcam.sources.active_crop import ActiveCrop
from vitcam.sources.masks import masked as with_masks
from vitcam.sources.transform import OrientedSource

SPEC = InputSpec(8, 8)
LEFT = Region(0, 0, 0.25, 1)


class Bright:
    """White pictures of 64 × 40 px, the same again and again, with the model's input beside them."""

    def __init__(self, image: Image, options: SourceOptions) -> None:
        self.live = True
        crop = options.crop(*image.shape[:2])
        self.given = replace(frame(0, image), model_input=to_model_size(image, SPEC).copy(), crop=crop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def stop(self) -> None: ...

    def __iter__(self) -> Iterator[Frame]:
        while True:
            yield self.given


def bright(height: int = 40, width: int = 64, writable: bool = True) -> Image:
    picture = np.full((height, width, 3), 255, np.uint8)
    picture.setflags(write=writable)
    return picture


def masked(
    *masks: Region, picture: Image | None = None, orientation: Orientation = UPRIGHT, areas: ActiveAreas | None = None
) -> tuple[Frame, Iterator[Frame]]:
    """What the source gives, and what leaves it."""
    active = areas or ActiveAreas(Areas(masks=masks))
    options = SourceOptions(input=SPEC, active_crop=ActiveCrop(), active_areas=active)
    inner = Bright(bright() if picture is None else picture, options)
    return inner.given, iter(OrientedSource(inner, orientation, options))


def test_masked_parts_are_black_and_all_others_stay_as_they_are() -> None:
    _, frames = masked(LEFT, Region(0.5, 0.5, 0.25, 0.25))
    preview = next(frames).preview

    assert preview[:, :16].max() == preview[20:30, 32:48].max() == 0
    assert preview[:, 16:32].min() == preview[:20].max() == preview[30:, 16:].min() == 255


def test_a_mask_lies_where_it_was_drawn_on_the_upright_picture() -> None:
    _, frames = masked(LEFT, orientation=Orientation.of(90, "none"))
    preview = next(frames).preview

    assert preview.shape == (64, 40, 3)
    assert preview[:, :10].max() == 0
    assert preview[:, 10:].min() == 255


def test_a_picture_is_masked_in_its_own_memory_where_the_source_allows_that() -> None:
    given, frames = masked(Region(0, 0, 0.1, 1))
    first = next(frames)

    assert first.preview is given.preview
    assert not first.preview.flags.writeable


def test_a_picture_that_the_source_keeps_is_masked_in_a_copy() -> None:
    given, frames = masked(LEFT, picture=bright(writable=False))
    preview = next(frames).preview

    assert preview[:, :16].max() == 0
    assert given.preview.min() == 255


def test_without_masks_a_frame_passes_untouched_and_is_not_copied() -> None:
    given, frames = masked()

    assert next(frames) is given


def test_the_scalers_picture_is_dropped_where_a_mask_touches_what_it_shows() -> None:
    _, touching = masked(Region(0, 0, 0.2, 1))
    _, beside = masked(Region(0, 0, 0.18, 1))
    first, second = next(touching), next(beside)

    assert (first.model_input, first.crop) == (None, Rect(12, 0, 40, 40))
    assert second.model_input is not None


def test_masks_hold_from_the_next_frame_on_and_come_off_again() -> None:
    areas = ActiveAreas()
    _, frames = masked(picture=bright(writable=False), areas=areas)
    least = [int(next(frames).preview[:, :16].max())]
    for masks in ((LEFT,), (Region(0, 0, 0.5, 1),), ()):
        areas.replace(Areas(masks=masks))
        least.append(int(next(frames).preview[:, :16].max()))

    assert least == [255, 0, 0, 255]


@pytest.mark.fault(
    "a privacy mask does not fit the camera's picture",
    injected="a mask in px, and a smaller picture",
    observed="no picture is shown, and a sentence says why",
)
def test_a_mask_that_does_not_fit_lets_no_picture_through() -> None:
    _, frames = masked(Region(0, 0, 640, 480))

    with pytest.raises(SourceError, match=naming("mask 0,0,640,480", "64×40 px")):
        next(frames)


def test_a_zone_outside_the_picture_is_named() -> None:
    _, frames = masked(areas=ActiveAreas(Areas((Zone("door", Region(100, 0, 50, 50)),))))

    with pytest.raises(SourceError, match=naming("zone door", "100,0,50,50", "outside", "64×40 px")):
        next(frames)


class Capture:
    """What OpenCV gives of a V4L2 camera: white pictures."""

    def grab(self) -> bool:
        return True

    def retrieve(self) -> tuple[bool, NDArray[np.uint8]]:
        return True, np.full((40, 64, 3), 255, np.uint8)

    def get(self, _: int) -> float:
        return 0.0

    def release(self) -> None: ...


def test_a_v4l2_camera_is_masked_without_a_further_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(v4l2, "_check", lambda _: None)
    monkeypatch.setattr(v4l2, "_open", lambda *_: Capture())
    options = SourceOptions(active_areas=ActiveAreas(Areas(masks=(LEFT,))))
    with open_source(f"v4l2:{tmp_path}/video0", options) as source:
        preview = next(iter(source)).preview

    assert preview[:, :16].max() == 0
    assert preview[:, 16:].min() == 255
    assert preview.base is None


@pytest.mark.parametrize("realtime", [True, False])
def test_a_photo_that_is_shown_again_and_again_follows_the_masks(tmp_path: Path, realtime: bool) -> None:
    cv2.imwrite(str(tmp_path / "white.png"), bright())
    areas = ActiveAreas(Areas(masks=(LEFT,)))
    options = SourceOptions(realtime=realtime, loop=True, active_areas=areas)
    with open_source(str(tmp_path), options) as source:
        frames = iter(source)
        before = next(frames).preview
        areas.replace(Areas())
        after = next(frames).preview
        source.stop()

    assert before[:, :16].max() == 0
    assert after.min() == 255


def test_a_frame_of_before_gets_new_masks_and_its_scaled_copy_goes_with_what_they_hide() -> None:
    before = replace(frame(image=bright()), model_input=bright()[:32, :32])
    after = with_masks(before, (LEFT,))
    beside = with_masks(replace(before, crop=Rect(60, 0, 4, 4)), (LEFT,))

    assert after.preview[:, :16].max() == 0
    assert before.preview.min() == 255
    assert after.model_input is None
    assert beside.model_input is before.model_input
    assert with_masks(after, (LEFT,)) is after
    assert with_masks(after, ()) is after


def test_new_masks_reach_every_holder_and_one_that_fails_keeps_none_from_the_others() -> None:
    called: list[str] = []

    class Holder(HoldsPixels):
        def __init__(self, name: str, why: str = "") -> None:
            self.name, self.why = name, why

        def drop_pixels(self) -> None:
            called.append(self.name)
            if self.why:
                raise VitcamError(self.why)

    saved: list[Areas] = []

    def save(areas: Areas) -> str:
        saved.append(areas)
        return ""

    active = ActiveAreas(save=save)
    active.attach(Holder("first"), Holder("second", "too slow"), Holder("third"))
    wanted = Areas(masks=(LEFT,))
    active.replace(wanted)
    warned = active.warning
    only_zones = replace(wanted, zones=(Zone("door", LEFT),))
    active.replace(only_zones)
    active.replace(Areas())

    assert called == ["first", "second", "third"]
    assert "too slow" in warned
    assert active.warning == ""
    assert saved == [wanted, only_zones, Areas()]


def test_where_nobody_knows_the_masks_there_is_no_picture_until_some_are_set() -> None:
    active = ActiveAreas(unknown="zones.json cannot be read")
    _, frames = masked(areas=active)
    with pytest.raises(MasksUnknown, match="cannot be read"):
        next(frames)
    active.replace(Areas(masks=(LEFT,)))
    _, again = masked(areas=active)

    assert next(again).preview[:, :16].max() == 0
