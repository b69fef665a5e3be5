"""Whole pictures out of bytes, however they come and whatever stands between them."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vitcam.errors import SourceLost
from vitcam.sources.jpeg_stream import MAX_PICTURE, JpegStream


def jpeg(seed: int = 0) -> bytes:
    """Noise, another with each seed."""
    noise = np.random.default_rng(seed).integers(0, 256, (24, 32, 3), np.uint8)
    return bytes(cv2.imencode(".jpg", noise)[1].tobytes())


def with_thumbnail(picture: bytes) -> bytes:
    """The picture with another, whole one in its head, as cameras write it into EXIF."""
    thumbnail = jpeg(99)
    return picture[:2] + b"\xff\xe1" + (len(thumbnail) + 2).to_bytes(2, "big") + thumbnail + picture[2:]


PICTURES = [jpeg(0), with_thumbnail(jpeg(1)), jpeg(2)]
HEAD = b"\r\n--frame\r\nContent-Type: image/jpeg\r\nContent-Length: 1234\r\n\r\n"


@given(
    st.lists(st.integers(1, 4000), min_size=1, max_size=30),
    st.sampled_from([b"", HEAD, b"\xff", b"\xff\xd8\0", b"\0" * 999]),
)
@settings(deadline=None)
def test_pictures_come_whole_however_the_bytes_are_cut(sizes: list[int], between: bytes) -> None:
    data = b"".join(between + picture for picture in PICTURES)
    stream, found = JpegStream(), []
    for size in sizes:
        found += stream.feed(data[:size])
        data = data[size:]
    found += stream.feed(data)

    assert found == PICTURES
    assert stream.cut_off == 0


@given(st.binary(max_size=3000))
@settings(deadline=None)
def test_after_any_garbage_the_second_picture_at_the_latest_is_found(garbage: bytes) -> None:
    stream = JpegStream()
    found = stream.feed(garbage + PICTURES[0] * 60 + PICTURES[2])  # a false head may claim to be 64 kB long

    assert found[-1] == PICTURES[2]


def test_a_picture_cut_off_by_the_next_is_counted_and_passed_over() -> None:
    stream = JpegStream()
    found = stream.feed(PICTURES[0][:-100] + PICTURES[2] + PICTURES[0][:30] + PICTURES[0])

    assert found == [PICTURES[2], PICTURES[0]]
    assert stream.cut_off == 2


def test_a_picture_that_never_ends_fills_no_memory() -> None:
    stream = JpegStream()
    stream.feed(PICTURES[0][:-2])

    with pytest.raises(SourceLost, match="does not end"):
        stream.feed(b"\0" * MAX_PICTURE)


def test_beginnings_without_end_are_passed_over_in_reasonable_time() -> None:
    assert JpegStream().feed(b"\xff\xd8\xff" * 100_000) == []


def part(picture: bytes, length: int | None = None) -> bytes:
    """A part of multipart as most servers write it, with any length."""
    length = len(picture) if length is None else length
    return b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % length + picture + b"\r\n"


def with_an_end_inside(picture: bytes) -> bytes:
    """The picture with its marker of the end in the middle of it as well, as in what a maker adds to it."""
    return picture[:-2] + b"\xff\xd9" + jpeg(98)[:-2] + picture[-2:]


SHAPES = {
    "whole ones": PICTURES,
    "with an end inside": [with_an_end_inside(picture) for picture in PICTURES],
    "without their end": [picture[:-2] for picture in PICTURES],
    "filled up behind their end": [picture + b"\0" * 100 for picture in PICTURES],
}


@pytest.mark.parametrize("shape", SHAPES)
@given(sizes=st.lists(st.integers(1, 4000), min_size=1, max_size=30))
@settings(deadline=None, max_examples=30)
def test_a_picture_is_as_long_as_its_part_says(shape: str, sizes: list[int]) -> None:
    pictures = SHAPES[shape]
    data = b"".join(map(part, pictures))
    stream, found = JpegStream(), []
    for size in sizes:
        found += stream.feed(data[:size])
        data = data[size:]
    found += stream.feed(data) + stream.finish()

    assert [each[: len(picture)] for each, picture in zip(found, pictures, strict=True)] == pictures
    assert all(each.endswith(b"\xff\xd9") for each in found)
    assert stream.cut_off == 0


@pytest.mark.parametrize("length", [0, 7, 300, 2 * len(jpeg()), 10_000_000, 999_999_999])
def test_a_length_that_is_wrong_costs_no_picture(length: int) -> None:
    stream, found = JpegStream(), []
    for picture in PICTURES * 10:
        found += stream.feed(part(picture, length))

    assert found == PICTURES * 10


def test_a_picture_with_its_length_is_not_delayed_until_the_next_one_comes() -> None:
    stream = JpegStream()
    first = stream.feed(part(jpeg(0)[:-2]) + part(jpeg(1)[:-2]))
    later = stream.feed(part(jpeg(2)[:-2])[:-2])

    assert [len(first), len(later)] == [2, 1]
