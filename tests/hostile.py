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


def plain_png(width: int, height: int, interlaced: bool = False) -> bytes:
    """A black picture of 16 bits a channel, with transparency: a few kB, and as much memory as a PNG can take."""
    passes = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
    packer, packed = zlib.compressobj(1), bytearray()
    for x, y, across, down in passes if interlaced else ((0, 0, 1, 1),):
        row = bytes(1 + 8 * -(-(width - x) // across))
        for _ in range(-(-(height - y) // down)):
            packed += packer.compress(row)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 6, 0, 0, int(interlaced))),
        (b"IDAT", bytes(packed) + packer.flush()),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*chunk) for chunk in chunks)


def progressive_cmyk_jpeg(width: int, height: int) -> bytes:
    """Grey in four colours, in one scan that has nothing but zeros: the decoder keeps all coefficients in memory."""
    components = (1, 2, 3, 4)
    quantisation = bytes(1) + bytes([16] * 64)
    frame = struct.pack(">BHHB", 8, height, width, 4) + b"".join(bytes([c, 0x11, 0]) for c in components)
    one_code = bytes(1) + bytes([1]) + bytes(15) + bytes(1)  # of one bit, 0: no difference from the block before
    scan = bytes([4]) + b"".join(bytes([c, 0]) for c in components) + bytes(3)
    segments = [(0xDB, quantisation), (0xC2, frame), (0xC4, one_code), (0xDA, scan)]
    head = b"".join(bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body for marker, body in segments)
    blocks = -(-width // 8) * -(-height // 8)
    return b"\xff\xd8" + head + bytes(-(-blocks * 4 // 8)) + b"\xff\xd9"
