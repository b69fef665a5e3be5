"""Thousands of pictures with wrong bytes: each gives a picture or one sentence, and none ends the process."""

import struct
import time
import zlib
from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from tests.hostile import animated_png, jpeg_of_many_scans, plain_png, progressive_cmyk_jpeg
from vitcam.errors import UsageError
from vitcam.pictures.decode import Limits, decode

_TIME_S = 0.7  # for each kind
_LIMITS = Limits(1_000_000, (8, 8))  # a wrong size must not take the test's time


def _noise(suffix: str, *parameters: int, channels: int = 3) -> bytes:
    picture = np.random.default_rng(0).integers(0, 256, (30, 40, channels), np.uint8)  # one IDAT
    return bytes(cv2.imencode(suffix, picture, parameters)[1])


KINDS = {
    "jpeg": _noise(".jpg"),
    "progressive jpeg": jpeg_of_many_scans(12, 64, 48),
    "jpeg of four colours": progressive_cmyk_jpeg(64, 48),
    "png": _noise(".png", channels=4),
    "animated png": animated_png(row_filter=0),
    "interlaced png": plain_png(24, 24, interlaced=True),
    "webp": _noise(".webp"),
    "webp without loss": _noise(".webp", cv2.IMWRITE_WEBP_QUALITY, 101, channels=4),
    "bmp": _noise(".bmp"),
}


def mutated(data: bytes, chance: np.random.Generator) -> bytes:
    """The same picture with some bytes changed, doubled or left out; the checksums of a PNG are made good."""
    changed = bytearray(data)
    for _ in range(int(chance.integers(1, 6))):
        at = int(chance.integers(2, max(3, len(changed))))
        match int(chance.integers(4)):
            case 0 | 1:
                changed[at : at + 1] = chance.bytes(1)
            case 2:
                end = at + int(chance.integers(1, 40))
                changed[at:at] = changed[at:end]
            case _:
                del changed[at : at + int(chance.integers(1, 40))]
    return _made_good(bytes(changed)) if data.startswith(b"\x89PNG") else bytes(changed)


def with_wrong_pixels(png: bytes, chance: np.random.Generator) -> bytes:
    """A PNG whose chunks are as they should be, and whose rows are not: what the checksums let through."""
    out = bytearray(png[:8])
    for name, body in _chunks(png):
        start = 4 if name == b"fdAT" else 0
        if name in (b"IDAT", b"fdAT"):
            rows = bytearray(zlib.decompress(body[start:]))
            for _ in range(int(chance.integers(1, 4))):
                rows[int(chance.integers(len(rows)))] = int(chance.integers(256))
            body = body[:start] + zlib.compress(bytes(rows))
        out += _chunk(name, body)
    return bytes(out)


def _made_good(png: bytes) -> bytes:
    return png[:8] + b"".join(_chunk(name, body) for name, body in _chunks(png))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at + 12 <= len(png):
        length, name = struct.unpack_from(">I4s", png, at)
        yield name, png[at + 8 : at + 8 + length]
        at += 12 + length


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def outcome(data: bytes) -> str:
    """What came of it."""
    try:
        decoded = decode(data, _LIMITS)
    except UsageError as refused:
        return str(refused)
    assert decoded.image.shape[2] == 3
    return "a picture"


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_bytes_give_a_picture_or_a_sentence(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    chance, data, seen = np.random.default_rng(1), KINDS[kind], set()
    until = time.monotonic() + _TIME_S
    while time.monotonic() < until:
        for wrong in [mutated(data, chance), *([with_wrong_pixels(data, chance)] if "png" in kind else [])]:
            seen.add(outcome(wrong).split(":")[0])

    assert seen <= {"a picture", "not an image", "the picture is 0×0 px"} | {
        said for said in seen if "megapixels" in said or "scans" in said
    }
    assert len(seen) > 1
    assert "Traceback" not in capfd.readouterr().err
