"""Cameras of the guide: which one is in use, and a picture of one, taken by a process of its own."""

import cv2
import numpy as np
import pytest

from vitcam.errors import SourceError
from vitcam.parts.guide.cameras import FoundCamera, found_cameras, still, used_of
from vitcam.pictures.address_code import svg_code, text_code

PI, USB, DEMO = FoundCamera("picamera", "imx708"), FoundCamera("v4l2:/dev/video7", "C920"), FoundCamera("demo", "demo")


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("auto", PI),
        ("picamera:0", PI),
        ("/dev/video7", USB),
        ("v4l2:/dev/video7", USB),
        ("demo", DEMO),
        ("rtsp://a", None),
    ],
)
def test_the_camera_in_use_is_known_by_any_of_its_names(source: str, used: FoundCamera | None) -> None:
    assert used_of([PI, USB, DEMO], source) is used


def test_a_picture_of_the_demo_is_taken() -> None:
    picture = cv2.imdecode(np.frombuffer(still("demo", found_cameras()[0]), np.uint8), cv2.IMREAD_COLOR)

    assert picture.shape[1] == 480
    assert picture.std() > 10, "it shows something"


@pytest.mark.parametrize("source", ["/etc/passwd", "http://192.168.0.1/", "v4l2:/dev/video99", ""])
def test_only_what_was_found_is_opened(source: str) -> None:
    with pytest.raises(SourceError, match="none of the cameras"):
        still(source, [PI, DEMO])


def test_a_camera_that_is_gone_says_why() -> None:
    gone = FoundCamera("v4l2:/dev/video99", "gone")
    with pytest.raises(SourceError, match="video99"):
        still(gone.source, [gone])


def test_the_code_is_read_back_as_the_address() -> None:
    address = "http://192.168.1.20:8420/cameras/vitcam/"
    half_blocks = text_code(address).splitlines()
    pixels = [[[255 * (mark in above) for mark in line] for above in ("█▀", "█▄")] for line in half_blocks]
    rows = np.array([row for pair in pixels for row in pair], np.uint8)
    picture = cv2.resize(rows, None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
    read = [cv2.QRCodeDetector().detectAndDecode(each)[0] for each in (picture, 255 - picture)]

    assert address in read
    assert svg_code(address).startswith("<svg")
