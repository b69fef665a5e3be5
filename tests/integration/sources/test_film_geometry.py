"""Films are shown as they are meant to be seen: upright, with square pixels, each frame in its own size."""

import gc
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.videos import encode_film
from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect
from vitcam.sources import SourceOptions, open_source

FAST = SourceOptions(realtime=False)
HEIGHT, WIDTH = 96, 128
ONE = 1 << 16
CORNERS = {"red": (230, 30, 30), "green": (30, 200, 30), "blue": (30, 30, 230), "white": (230, 230, 230)}
STORED = "red green / blue white"
UPRIGHT = {
    (ONE, 0, 0, ONE): STORED,
    (0, ONE, -ONE, 0): "blue red / white green",
    (-ONE, 0, 0, -ONE): "white blue / green red",
    (0, -ONE, ONE, 0): "green white / red blue",
    (-ONE, 0, 0, ONE): "green red / white blue",
    (ONE, 0, 0, -ONE): "blue white / red green",
    (0, ONE, ONE, 0): "red blue / green white",
    (0, -ONE, -ONE, 0): "white green / blue red",
}
"""a, b, c, d of a display matrix -> the corners, row after row, as somebody should see them."""


def cornered(height: int = HEIGHT, width: int = WIDTH) -> NDArray[np.uint8]:
    """A grey picture with a colour in each corner, (height, width, 3) uint8, RGB."""
    picture = np.full((height, width, 3), 90, np.uint8)
    rows, columns = (slice(0, 32), slice(-32, None)), (slice(0, 32), slice(-32, None))
    places = [(row, column) for row in rows for column in columns]
    for place, colour in zip(places, CORNERS.values(), strict=True):
        picture[place] = colour
    return picture


def corners_of(picture: Image) -> str:
    """The colours of its corners, row after row."""

    def name(y: int, x: int) -> str:
        there = picture[y, x].astype(int)
        return min(CORNERS, key=lambda colour: int(abs(there - CORNERS[colour]).sum()))

    return f"{name(12, 12)} {name(12, -12)} / {name(-12, 12)} {name(-12, -12)}"


def frames_of(path: Path, options: SourceOptions = FAST) -> list[Image]:
    with open_source(str(path), options) as source:
        return [frame.preview for frame in source]


def matrix(a: int, b: int, c: int, d: int) -> Sequence[int]:
    return (a, b, 0, c, d, 0, 0, 0, 1 << 30)


@pytest.mark.parametrize("turned", UPRIGHT)
def test_films_come_upright_also_where_they_are_mirrored(tmp_path: Path, turned: tuple[int, int, int, int]) -> None:
    film = encode_film(tmp_path / "phone.mp4", [cornered()] * 3, matrix=matrix(*turned))
    with open_source(str(film), SourceOptions(realtime=False, input=InputSpec(64, 64))) as source:
        frames = list(source)
    middle, size = (WIDTH - HEIGHT) // 2, (WIDTH, HEIGHT) if turned[1] else (HEIGHT, WIDTH)

    assert [frame.preview.shape[:2] for frame in frames] == [size] * 3
    assert {corners_of(frame.preview) for frame in frames} == {UPRIGHT[turned]}
    assert frames[0].crop == (Rect(0, middle, HEIGHT, HEIGHT) if turned[1] else Rect(middle, 0, HEIGHT, HEIGHT))


@pytest.mark.parametrize("name", ["film.mp4", "film.mkv", "film.mpg"])
@pytest.mark.parametrize(
    ("size", "aspect", "shown"),
    [
        ((576, 720), Fraction(16, 15), (576, 768)),
        ((576, 720), Fraction(64, 45), (576, 1024)),
        ((480, 720), Fraction(8, 9), (480, 640)),
        ((240, 320), Fraction(1), (240, 320)),
    ],
)
def test_pixels_that_are_not_square_are_made_square(
    tmp_path: Path, name: str, size: tuple[int, int], aspect: Fraction, shown: tuple[int, int]
) -> None:
    codec = "mpeg2video" if name.endswith(".mpg") else "libx264"
    film = encode_film(tmp_path / name, [cornered(*size)] * 2, codec=codec, fps=25, pixel_aspect=aspect)
    frames = frames_of(film)

    assert [frame.shape[:2] for frame in frames] == [shown] * len(frames)
    assert corners_of(frames[0]) == STORED


def test_a_pixel_that_is_absurdly_wide_is_taken_for_a_square(tmp_path: Path) -> None:
    film = encode_film(tmp_path / "film.mkv", [cornered()], pixel_aspect=Fraction(200, 1))

    assert [frame.shape[:2] for frame in frames_of(film)] == [(HEIGHT, WIDTH)]


@pytest.mark.fault(
    "the size of a film's pictures changes in the middle",
    injected="two recordings in one file",
    observed="every frame comes whole and in its own size",
)
@pytest.mark.parametrize("ending", ["ts", "h264", "mjpeg"])
def test_a_size_that_changes_in_the_middle_is_followed(tmp_path: Path, ending: str) -> None:
    codec = "mjpeg" if ending == "mjpeg" else "libx264"
    sizes = [(96, 128), (240, 320), (320, 240), (64, 96)]
    parts = [
        encode_film(tmp_path / f"{number}.{ending}", [cornered(*size)] * 5, codec=codec).read_bytes()
        for number, size in enumerate(sizes)
    ]
    film = tmp_path / f"film.{ending}"
    film.write_bytes(b"".join(parts))
    frames = frames_of(film)

    assert [frame.shape[:2] for frame in frames] == [size for size in sizes for _ in range(5)]
    assert {corners_of(frame) for frame in frames} == {STORED}


def test_no_frame_stays_in_memory_after_its_turn(tmp_path: Path) -> None:
    film = encode_film(tmp_path / "phone.mp4", [cornered()] * 60, matrix=matrix(0, ONE, -ONE, 0))
    gc.collect()
    gc.disable()  # what only the collector frees piles up until it comes: 300 MB of a film
    try:
        with open_source(str(film), FAST) as source:
            count = sum(1 for _ in source)
        left = sum(isinstance(each, av.VideoFrame) for each in gc.get_objects())
    finally:
        gc.enable()

    assert count == 60
    assert left < 10
