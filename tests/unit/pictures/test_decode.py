"""Bytes that claim to be a picture."""

import struct
import zlib

import cv2
import numpy as np
import pytest

from tests.hostile import animated_png, jpeg_of_many_scans, png_chunk
from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam.pictures.decode import MAX_PIXELS, Limits, decode, decode_image, is_image

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


def exif(orientation: int, order: str = "<") -> bytes:
    """EXIF that says which way up a picture is, and nothing else."""
    entry = struct.pack(order + "HHIHH", 0x0112, 3, 1, orientation, 0)
    return {"<": b"II*\0", ">": b"MM\0*"}[order] + struct.pack(order + "IH", 8, 1) + entry + bytes(4)


def with_exif(jpeg: bytes, orientation: int, thumbnail: bytes = b"") -> bytes:
    """Put an EXIF segment with an orientation, and a thumbnail behind it, after the JPEG's SOI."""
    body = b"Exif\0\0" + exif(orientation) + thumbnail
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


def png_with_exif(png: bytes, tiff: bytes) -> bytes:
    """Put a chunk eXIf behind the PNG's first chunk."""
    return png[:33] + png_chunk(b"eXIf", tiff) + png[33:]


def webp_with_exif(webp: bytes, tiff: bytes, width: int = 90, height: int = 60) -> bytes:
    """Make an extended WebP of a simple one, with a chunk EXIF behind its picture (RFC 9649, 2.7)."""
    canvas = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    chunks = [(b"VP8X", b"\x08\0\0\0" + canvas), (webp[12:16], webp[20:]), (b"EXIF", tiff)]
    body = b"".join(name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for name, data in chunks)
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


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


CORNERS = {1: "rb", 2: "br", 3: "br", 4: "rb", 5: "rr", 6: "rr", 7: "bb", 8: "bb"}  # left and right end of the top


@pytest.mark.parametrize("orientation", CORNERS)
@pytest.mark.parametrize("kind", ["jpeg", "png", "webp", "webp in JPEG's manner", "big-endian"])
def test_every_kind_of_picture_is_turned_upright_as_its_exif_says(kind: str, orientation: int) -> None:
    data = {
        "jpeg": with_exif(encoded(".jpg"), orientation),
        "png": png_with_exif(encoded(".png"), exif(orientation)),
        "webp": webp_with_exif(encoded(".webp"), exif(orientation)),
        "webp in JPEG's manner": webp_with_exif(encoded(".webp"), b"Exif\0\0" + exif(orientation)),
        "big-endian": webp_with_exif(encoded(".webp"), exif(orientation, ">")),
    }[kind]
    decoded = decode(data)
    top = decoded.image[2, [2, -3]]

    assert (decoded.height, decoded.width) == decoded.image.shape[:2] == ((60, 90) if orientation < 5 else (90, 60))
    assert "".join("r" if red > blue else "b" for red, _, blue in top) == CORNERS[orientation]


@pytest.mark.parametrize(
    "tiff",
    [
        b"",
        b"II*\0",
        b"II*\0\xff\xff\xff\xff" + bytes(20),
        exif(0),
        exif(9),
        exif(6)[:19],
        b"II*\0" + struct.pack("<IH", 8, 0xFFFF) + bytes(500),
        exif(6).replace(struct.pack("<HH", 0x0112, 3), struct.pack("<HH", 0x0112, 2)),
    ],
)
def test_a_damaged_exif_leaves_the_picture_as_it_is(tiff: bytes) -> None:
    for data in (webp_with_exif(encoded(".webp"), tiff), png_with_exif(encoded(".png"), tiff)):
        assert decode_image(data).shape == (60, 90, 3)


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


def test_an_animated_png_with_a_wrong_byte_is_damaged_and_ends_no_process() -> None:
    """OpenCV 4.11 dies of it: this test would not come back."""
    with pytest.raises(UsageError, match="the data are damaged"):
        decode_image(animated_png())
    assert decode_image(animated_png(row_filter=0)).shape == (24, 24, 3)


def test_chunks_that_pixels_do_not_need_change_no_pixel() -> None:
    clear = bytes(cv2.imencode(".png", np.random.default_rng(0).integers(0, 256, (20, 30, 4), np.uint8))[1])
    chunks = [(b"gAMA", struct.pack(">I", 20000)), (b"sRGB", b"\0"), (b"bKGD", bytes(6)), (b"tEXt", b"a\0b")]
    data = clear[:33] + b"".join(png_chunk(*chunk) for chunk in chunks) + clear[33:]

    assert np.array_equal(decode_image(data), decode_image(clear))
    assert np.array_equal(decode_image(data), cv2.imdecode(np.frombuffer(data, np.uint8), 1)[..., ::-1])


def test_a_jpeg_of_very_many_scans_is_refused_unread() -> None:
    assert decode_image(jpeg_of_many_scans(20)).shape == (240, 320, 3)
    assert decode_image(jpeg_of_many_scans(20) + b"\xff\xda\0\4" * 3000).shape == (240, 320, 3)  # a motion photo
    with pytest.raises(UsageError, match="more than 64 scans"):
        decode_image(jpeg_of_many_scans(3000))


def test_an_end_hidden_between_the_scans_hides_no_scan() -> None:
    data = jpeg_of_many_scans(3000)
    first = data.find(b"\xff\xda")
    second = data.find(b"\xff\xda", first + 2)

    with pytest.raises(UsageError, match="more than 64 scans"):
        decode_image(data[:second] + b"\xff\xfe\0\6\xff\xd9\xff\xd9" + data[second:])


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    ("enough", "shape"),
    [
        (None, (403, 602, 3)),
        ((403, 602), (403, 602, 3)),
        ((202, 10), (403, 602, 3)),  # a half would have 201 px
        ((201, 301), (202, 301, 3)),
        ((100, 150), (101, 151, 3)),
        ((1, 1), (51, 76, 3)),
    ],
)
def test_a_picture_is_reduced_while_that_is_enough(
    suffix: str, enough: tuple[int, int] | None, shape: tuple[int, int, int]
) -> None:
    data = encoded(suffix, picture=photo(403, 602))
    decoded = decode(data, Limits(enough=enough))

    assert decoded.image.shape == shape
    assert (decoded.width, decoded.height) == (602, 403)
    assert np.abs(decoded.image[10, [5, -6]].astype(int) - [[253, 0, 0], [0, 0, 253]]).max() < 20


def test_a_picture_of_a_kind_that_no_decoder_reduces_is_averaged_and_not_thinned_out() -> None:
    stripes = np.zeros((64, 64, 3), np.uint8)
    stripes[:, ::2] = 255
    reduced = decode(encoded(".png", picture=stripes), Limits(enough=(32, 32))).image

    assert reduced.shape == (32, 32, 3)
    assert set(np.unique(reduced)) <= {127, 128}


def test_a_picture_of_exactly_the_allowed_size_is_taken() -> None:
    limits = Limits(most_pixels=60 * 90)

    assert decode(encoded(".png"), limits).image.shape == (60, 90, 3)
    with pytest.raises(UsageError, match="the picture is 90×61 px"):
        decode(encoded(".png", picture=photo(61)), limits)


def test_a_file_of_too_many_bytes_is_refused_with_both_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(".png")
    monkeypatch.setattr("vitcam.pictures.decode.MAX_BYTES", len(data))
    decode(data)

    with pytest.raises(UsageError, match=f"has {len(data) + 1:,} bytes; at most {len(data):,} are allowed"):
        decode(data + b" ")


def test_pixels_are_written_where_they_are_wanted() -> None:
    wanted = np.zeros((60, 90, 3), np.uint8)
    decoded = decode(encoded(".jpg"), allocate=lambda height, width: wanted[:height, :width])

    assert np.shares_memory(decoded.image, wanted)
    assert wanted[30, 2, 0] > 200


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
        (b"hello, I am a text" * 50, "a text; JPEG, PNG, WebP and BMP can be read"),
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
