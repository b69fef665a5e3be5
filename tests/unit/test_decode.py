"""Bytes that claim to be a picture."""

import struct
import zlib

import cv2
import numpy as np
import pytest

from vitcam.decode import MAX_PIXELS, decode_image, is_image
from vitcam.errors import UsageError
from vitcam.frames import Image

SUFFIXES = (".jpg", ".png", ".webp", ".bmp")


def photo(height: int = 60, width: int = 90) -> Image:
    """(height, width, 3) uint8, RGB: smooth colours, red on the left and blue on the right."""
    ramp = np.linspace(0, 255, width, dtype=np.uint8)
    picture = np.zeros((height, width, 3), np.uint8)
    picture[..., 0], picture[..., 2] = ramp[::-1], ramp
    return picture


def encoded(suffix: str, *parameters: int, picture: Image | None = None) -> bytes:
    done, data = cv2.imencode(
        suffix, cv2.cvtColor(photo() if picture is None else picture, cv2.COLOR_RGB2BGR), parameters
    )
    assert done
    return bytes(data)


def with_exif(jpeg: bytes, orientation: int, thumbnail: bytes = b"") -> bytes:
    """Put an EXIF segment with an orientation, and a thumbnail behind it, after the JPEG's SOI."""
    entry = struct.pack("<HHIHH", 0x0112, 3, 1, orientation, 0)
    tiff = b"II*\0" + struct.pack("<IH", 8, 1) + entry + struct.pack("<I", 0) + thumbnail
    body = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_each_kind_of_picture_comes_out_as_rgb(suffix: str) -> None:
    decoded = decode_image(encoded(suffix))

    assert decoded.shape == (60, 90, 3)
    assert decoded.dtype == np.uint8
    assert decoded[30, 2, 0] > 200 > 50 > decoded[30, 2, 2]
    assert decoded[30, -3, 2] > 200 > 50 > decoded[30, -3, 0]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_picture_cut_off_anywhere_is_refused(suffix: str) -> None:
    data = encoded(suffix)
    for length in [*range(1, 64), *range(64, len(data), max(1, len(data) // 50)), len(data) - 1]:
        with pytest.raises(UsageError, match="not an image"):
            decode_image(data[:length])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_sentence_says_after_how_many_bytes_it_ends(suffix: str) -> None:
    data = encoded(suffix, picture=np.random.default_rng(0).integers(0, 255, (200, 200, 3), np.uint8))

    with pytest.raises(UsageError) as refused:
        decode_image(data[:1024])

    assert str(refused.value) == "not an image: truncated after 1,024 bytes"


def test_a_thumbnail_does_not_hide_that_the_photo_is_cut_off() -> None:
    data = with_exif(encoded(".jpg"), 1, thumbnail=encoded(".jpg", picture=photo(8, 8)))

    assert decode_image(data).shape == (60, 90, 3)
    with pytest.raises(UsageError, match="truncated"):
        decode_image(data[:-20])


def test_bytes_after_the_end_of_a_photo_do_no_harm() -> None:
    assert decode_image(encoded(".jpg") + b"a motion photo's video").shape == (60, 90, 3)
    assert decode_image(encoded(".png") + b"\0" * 100).shape == (60, 90, 3)


def test_a_progressive_jpeg_is_whole_too() -> None:
    data = encoded(".jpg", cv2.IMWRITE_JPEG_PROGRESSIVE, 1)

    assert decode_image(data).shape == (60, 90, 3)


def test_a_photo_taken_upright_is_turned_upright() -> None:
    turned = decode_image(with_exif(encoded(".jpg"), 6))

    assert turned.shape == (90, 60, 3)
    assert turned[2, 30, 0] > 200  # what was left is on top


def test_grey_and_transparent_pictures_become_rgb() -> None:
    grey = cv2.imencode(".png", np.full((4, 5), 200, np.uint8))[1]
    clear = cv2.imencode(".png", np.full((4, 5, 4), 100, np.uint8))[1]
    deep = cv2.imencode(".png", np.full((4, 5, 3), 0x8000, np.uint16))[1]

    assert decode_image(bytes(grey)).tolist() == [[[200, 200, 200]] * 5] * 4
    assert decode_image(bytes(clear)).shape == (4, 5, 3)
    assert decode_image(bytes(deep)).dtype == np.uint8


def test_a_png_with_a_wrong_checksum_is_refused_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    data = bytearray(encoded(".png"))
    data[len(data) // 2] ^= 0xFF

    with pytest.raises(UsageError, match="checksum is wrong at byte"):
        decode_image(bytes(data))
    assert capfd.readouterr().err == ""


def huge_png(width: int, height: int) -> bytes:
    """A complete PNG of a few dozen bytes that claims to be enormous."""
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"")),
        (b"IEND", b""),
    ]
    framed = [struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


def test_a_picture_that_would_fill_the_memory_is_refused_unread() -> None:
    with pytest.raises(UsageError, match="10,000 megapixels; at most 100 are allowed"):
        decode_image(huge_png(100_000, 100_000))
    assert MAX_PIXELS == 100_000_000


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty"),
        (b"hello, I am a text" * 50, "unknown kind; JPEG, PNG, WebP and BMP can be read"),
        (b"GIF89a" + b"\0" * 50, "a GIF picture"),
        (b"II*\0" + b"\0" * 50, "a TIFF picture"),
        (b"\0\0\0\x18ftypheic" + b"\0" * 50, "HEIC"),
        (huge_png(0, 5), "0×5 px"),
        (huge_png(10, 10), "damaged"),
        (b"\xff\xd8" + b"\xff\xd0" * 20_000, "never ends"),
        (b"\xff\xd8\xff\xda" + b"junk" * 50 + b"\xff\xd9", "0×0 px"),
    ],
)
def test_what_is_no_picture_is_named_in_a_sentence(data: bytes, says: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError) as refused:
        decode_image(data)

    assert says in str(refused.value)
    assert refused.value.exit_code == 2
    assert "OpenCV" not in capfd.readouterr().err


def outcome(data: bytes) -> str:
    """The refusal, or the shape of what came out."""
    try:
        return str(decode_image(data).shape)
    except UsageError as refused:
        return str(refused)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_noise_behind_a_true_beginning_gives_a_picture_or_one_sentence(suffix: str) -> None:
    noise = np.random.default_rng(7)
    data = encoded(suffix)
    for _ in range(100):
        at = int(noise.integers(12, len(data) - 8))
        said = outcome(data[:at] + noise.bytes(8) + data[at + 8 :])

        assert said == "(60, 90, 3)" or said.startswith(("not an image: ", "the picture is "))


def test_a_file_is_known_by_how_it_begins() -> None:
    assert all(is_image(encoded(suffix)[:16]) for suffix in SUFFIXES)
    assert not is_image(b"\0\0\0\x20ftypisom" + b"\0" * 8)
    assert not is_image(b"")
