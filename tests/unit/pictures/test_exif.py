"""The time in a photo: of both orders of bytes, and nothing of what is damaged."""

from datetime import datetime

import pytest

from tests.exif import exif
from vitcam.pictures.exif import orientation_of, taken_at

TAKEN = "2026:01:02 03:04:05"


@pytest.mark.parametrize("order", ["<", ">"])
def test_the_time_and_the_orientation_are_read_in_both_orders_of_bytes(order: str) -> None:
    data = exif(6, TAKEN, order)

    assert orientation_of(data) == 6
    assert taken_at(data) == datetime(2026, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"II*\0",
        exif(1, ""),
        exif(1, "0000:00:00 00:00:00"),
        exif(1, "2026:01:02 03:04"),
        exif(1, "\x00\xff yesterday"),
        *(exif(1, TAKEN)[:length] for length in range(8, 74, 3)),
        b"II*\0\xff\xff\xff\xff",
        b"II*\0\x08\0\0\0" + b"\xff" * 4000,
        b"II*\0\x08\0\0\0\xe8\x03"
        + b"\x69\x87\x04\0\x01\0\0\0\x08\0\0\0" * 1000,  # directories that lead to themselves
    ],
)
def test_no_time_is_read_from_damaged_data(data: bytes) -> None:
    assert taken_at(data) is None
