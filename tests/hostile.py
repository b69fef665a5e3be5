"""Pictures that were made to do harm, built byte by byte."""

import struct
import zlib

import cv2
import numpy as np

NO_SUCH_FILTER = 9


def png_chunk(name: bytes, data: bytes) -> bytes:
    """A PNG's chunk with its length and checksum."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def animated_png(row_filter: int = NO_SUCH_FILTER, side: int = 24) -> bytes:
    """Two frames of `side` × `side` px; a filter that PNG does not have kills OpenCV 4.11 (its issue 27744)."""
    rows = [bytes(1) + bytes(range(3 * side)) for _ in range(side)]
    broken = zlib.compress(b"".join([rows[0], bytes([row_filter]) + rows[1][1:], *rows[2:]]))
    whole = zlib.compress(b"".join(rows))
    turns = [struct.pack(">IIIIIHHBB", turn, side, side, 0, 0, 1, 10, 0, 0) for turn in (0, 1)]
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)),
        (b"acTL", struct.pack(">II", 2, 0)),
        (b"fcTL", turns[0]),
        (b"IDAT", broken),
        (b"fcTL", turns[1]),
        (b"fdAT", struct.pack(">I", 2) + whole),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*chunk) for chunk in chunks)


def jpeg_of_many_scans(scans: int, width: int = 320, height: int = 240) -> bytes:
    """A progressive JPEG whose last scan comes again and again: each costs the decoder a pass over the picture."""
    noise = np.random.default_rng(0).integers(0, 256, (height // 8, width // 8, 3), np.uint8)
    picture = cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC)
    data = bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])[1])
    last = data.rfind(b"\xff\xda")
    head, scan = data[:last], data[last:-2]
    return head + scan * (scans - data.count(b"\xff\xda") + 1) + data[-2:]
