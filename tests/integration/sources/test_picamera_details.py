"""What is followed, in the camera's own px: its real process and shared memory; only picamera2 itself is a stand-in."""

from collections.abc import Iterator
from dataclasses import astuple
from itertools import islice
from typing import Any

import cv2
import numpy as np
import pytest

from tests import fake_picamera2
from tests.integration.sources.conftest import Machine, children, take
from vitcam.errors import SourceLost
from vitcam.frames import Detail, Frame
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import Orientation, Region
from vitcam.processes.shared_memory import POOL_SIZE
from vitcam.rects import Box, Rect
from vitcam.sources import SourceOptions, open_source

MODES = [
    {"size": [576, 324], "crop_limits": [288, 162, 1152, 648], "fps": 120.0, "bit_depth": 10},
    {"size": [1728, 972], "crop_limits": [0, 0, 1728, 972], "fps": 14.0, "bit_depth": 10},
]
VIEW = (288, 162, 1152, 648)


class Followed:
    """What the daemon says that it follows."""

    def __init__(self, *boxes: Box) -> None:
        self.boxes = boxes
        self.on = True

    def options(self, **others: Any) -> SourceOptions:
        return SourceOptions(
            InputSpec(128, 128), 320, 180, 10, boxes=lambda: self.boxes, follows=lambda: self.on, **others
        )


def apart_from_view(detail: Detail) -> float:
    """How much a detail differs from the same place of what the sensor sees; of any other place it is above 30."""
    rows, columns = detail.picture.shape[:2]
    seen = fake_picamera2.view_of_landscape(VIEW, 1152, 648)
    x, y, width, height = (round(3.6 * side) for side in astuple(detail.rect))
    place = cv2.resize(seen[y : y + height, x : x + width], (columns, rows), interpolation=cv2.INTER_AREA)
    return float(np.abs(place.astype(int) - detail.picture).mean())


def first_with_details(frames: Iterator[Frame], count: int) -> Frame:
    return next(frame for frame in islice(frames, 200) if len(frame.details) == count)


@pytest.mark.parametrize("is_pi_5", [True, False])
def test_what_is_followed_comes_with_the_next_frames_in_the_cameras_own_px(machine: Machine, is_pi_5: bool) -> None:
    machine.plays(modes=MODES, scales_to_rgb=is_pi_5, align=512)
    followed = Followed()
    with open_source("picamera", followed.options()) as source:
        frames = iter(source)
        before = take(frames, 2)
        followed.boxes = Box.around(Rect(40, 20, 60, 60), (320, 180)), Box.around(Rect(199, 99, 71, 71), (320, 180))
        frame = first_with_details(frames, 2)
        followed.boxes = ()
        after = first_with_details(frames, 0)

    assert not any(each.details for each in before)
    assert [detail.rect for detail in frame.details] == [Rect(40, 20, 60, 60), Rect(199, 99, 71, 71)]
    assert [detail.picture.shape for detail in frame.details] == [(216, 216, 3), (256, 256, 3)]
    assert max(apart_from_view(detail) for detail in frame.details) < 4
    assert frame.part(Rect(40, 20, 60, 60)) is frame.details[0].picture
    assert frame.preview.shape == (180, 320, 3)
    assert after.seq - frame.seq <= POOL_SIZE


@pytest.mark.parametrize("flips", [True, False])
def test_a_camera_that_hangs_on_its_side_gives_details_upright(machine: Machine, flips: bool) -> None:
    machine.plays(modes=MODES, flips=flips)
    rect = Rect(30, 200, 60, 60)
    followed = Followed(Box.around(rect, (180, 320)))
    with open_source("picamera", followed.options(orientation=Orientation.of(90, "h"))) as source:
        frame = first_with_details(iter(source), 1)
    (detail,) = frame.details
    as_taken = cv2.rotate(cv2.flip(detail.picture, 1), cv2.ROTATE_90_COUNTERCLOCKWISE)
    mirrored = Rect(180 - rect.x - rect.width, rect.y, 60, 60)
    place = Rect(mirrored.y, 180 - mirrored.x - mirrored.width, 60, 60)

    assert frame.preview.shape == (320, 180, 3)
    assert detail.rect == rect
    assert apart_from_view(Detail(place, np.asarray(as_taken, np.uint8))) < 4


def test_masks_are_black_in_details_in_their_own_memory(machine: Machine) -> None:
    machine.plays(modes=MODES)
    followed = Followed(Box.around(Rect(100, 60, 60, 60), (320, 180)))
    areas = ActiveAreas(Areas(masks=(Region(0.25, 0, 0.15, 1),)))
    with open_source("picamera", followed.options(active_areas=areas)) as source:
        frame = first_with_details(iter(source), 1)
    (detail,) = frame.details

    assert detail.picture[:, : 28 * 216 // 60].max() == 0
    assert detail.picture[:, 28 * 216 // 60 + 8 :].min() > 0
    assert detail.picture.base is frame.preview.base


def test_following_that_begins_while_the_camera_runs_sets_it_up_anew(
    machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    machine.plays(modes=MODES)
    followed = Followed(Box.around(Rect(40, 20, 60, 60), (320, 180)))
    followed.on = False
    with caplog.at_level("DEBUG", "vitcam"), open_source("picamera", followed.options()) as source:
        frames = iter(source)
        before = take(frames, 3)
        followed.on = True
        during = first_with_details(frames, 1)
        followed.on = False
        after = first_with_details(frames, 0)

    assert not any(frame.details for frame in before)
    assert before[0].model_input is not None
    assert during.model_input is None
    assert after.model_input is not None
    assert "what is followed is cut from 1152×648 px of the camera" in caplog.text
    assert "6.1 MB in 8 shared buffers" in caplog.text  # the preview, and three details of 256 × 256 px
    assert len(children()) == 0


@pytest.mark.fault(
    "the camera's larger picture shows another part of the view",
    injected="picamera2 whose scaler does not cut",
    observed="the picture stays as it is without following, so that masks stay where they are, and a sentence says why",
)
def test_a_larger_picture_of_another_view_is_not_taken(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    machine.plays(modes=MODES, zooms=False)
    followed = Followed(Box.around(Rect(40, 20, 60, 60), (320, 180)))
    with caplog.at_level("INFO", "vitcam"), open_source("picamera", followed.options()) as source:
        frame = take(iter(source), 3)[-1]
    seen = fake_picamera2.view_of_landscape(VIEW, 320, 180)

    assert np.array_equal(frame.preview, seen)
    assert not frame.details
    assert "since a larger one shows another part of the view" in caplog.text


@pytest.mark.fault(
    "the camera shows another part of the view than it was set to, while it runs",
    injected="picamera2 whose scaler cuts out another part",
    observed="none of these frames leaves its process; the camera is lost with a sentence, and opens again",
)
def test_no_frame_of_another_view_leaves_the_cameras_process(machine: Machine) -> None:
    machine.plays(modes=MODES, astray_file=str(machine.folder / "astray"))
    followed = Followed(Box.around(Rect(40, 20, 60, 60), (320, 180)))
    source, frames = open_source("picamera", followed.options()), []
    with source:
        running = iter(source)
        frames.append(first_with_details(running, 1))
        (machine.folder / "astray").touch()
        with pytest.raises(SourceLost, match="another part of its sensor"):
            frames.extend(running)
    (machine.folder / "astray").unlink()
    with source:
        frames.append(first_with_details(iter(source), 1))
    seen = fake_picamera2.view_of_landscape(VIEW, 320, 180)

    assert all(np.abs(frame.preview.astype(int) - seen).mean() < 1 for frame in frames)
