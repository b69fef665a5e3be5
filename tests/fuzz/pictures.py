"""Pictures with wrong bytes, sent to a daemon: each gives a prediction or one sentence."""

import http.client
import json
import random
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from urllib.parse import urlsplit

import cv2
import numpy as np

from tests.fuzz.outcome import Outcome, chance, damaged
from tests.fuzz.watch import watched
from tests.hostile import animated_png, jpeg_of_many_scans, plain_png, png_chunk, progressive_cmyk_jpeg
from tests.unit.pictures.test_mutated_pictures import with_wrong_pixels

_CLIENTS = 3  # the daemon takes four photos at once, and a good client wants to be served, too
_TIMEOUT_S = 60
_EXPLAIN_EVERY = 40


def run(count: int, seed: int) -> Outcome:
    """Upload `count` pictures."""
    outcome = Outcome("mutated pictures")
    corpus = list(kinds().values())
    with watched(outcome) as running, ThreadPoolExecutor(_CLIENTS) as clients:
        address = urlsplit(running.url).netloc
        shares = [range(start, count, _CLIENTS) for start in range(_CLIENTS)]
        list(clients.map(lambda share: _upload_all(address, seed, corpus, share, outcome), shares))
    outcome.count = count
    return outcome


def kinds() -> dict[str, bytes]:
    """One sound picture of each kind that is read, small, so that a wrong byte matters; and a few of other formats."""
    return {
        "jpeg": _encoded(".jpg"),
        "jpeg with restarts": _encoded(".jpg", cv2.IMWRITE_JPEG_RST_INTERVAL, 2),
        "grey jpeg": _encoded(".jpg", channels=1),
        "progressive jpeg": jpeg_of_many_scans(12, 64, 48),
        "jpeg of four colours": progressive_cmyk_jpeg(64, 48),
        "jpeg with exif": _with_exif(_encoded(".jpg")),
        "png": _encoded(".png"),
        "png with alpha": _encoded(".png", channels=4),
        "grey png": _encoded(".png", channels=1),
        "interlaced png": plain_png(24, 24, interlaced=True),
        "animated png": animated_png(row_filter=0),
        "webp": _encoded(".webp"),
        "webp without loss": _encoded(".webp", cv2.IMWRITE_WEBP_QUALITY, 101, channels=4),
        "bmp": _encoded(".bmp"),
        "gif": _GIF,
        "tiff": _encoded(".tiff"),
        "pnm": _encoded(".ppm"),
    }


def made(seed: int, index: int, corpus: list[bytes]) -> bytes:
    """The picture of that number."""
    dice = chance(seed, "picture", index)
    data = dice.choice(corpus)
    if data.startswith(b"\x89PNG"):
        if dice.random() < 0.3:
            try:
                return with_wrong_pixels(data, np.random.default_rng(dice.randrange(2**32)))
            except (zlib.error, ValueError):
                return data
        return damaged(data, dice) if dice.random() < 0.4 else _with_sums(damaged(data, dice))
    if dice.random() < 0.15:
        return _with_another_size(data, dice)
    if dice.random() < 0.05:
        return data + dice.choice(corpus)
    return damaged(data, dice)


def _upload_all(address: str, seed: int, corpus: list[bytes], share: range, outcome: Outcome) -> None:
    """One after the other, over one connection; after a failure over another one."""
    line = http.client.HTTPConnection(address, timeout=_TIMEOUT_S)
    with closing(line):
        for index in share:
            _upload(line, made(seed, index, corpus), index, outcome)


def _upload(line: http.client.HTTPConnection, data: bytes, index: int, outcome: Outcome) -> None:
    target = "/api/explain" if index % _EXPLAIN_EVERY == 0 else "/api/classify"
    try:
        line.request("POST", target, data, {"Content-Type": "application/octet-stream"})
        answer = line.getresponse()
        status, body = answer.status, answer.read()
    except (OSError, http.client.HTTPException) as error:
        outcome.found(index, f"no answer: {error!r}")
        line.close()  # the next request connects again
        return
    outcome.answers[str(status)] += 1
    if status >= 500 and status != 503:
        outcome.found(index, f"{status}: {body[:200]!r}")
    elif status >= 400:
        _judge_refusal(status, body, index, outcome)


def _judge_refusal(status: int, body: bytes, index: int, outcome: Outcome) -> None:
    said = json.loads(body).get("error", "")
    if not said or "\n" in said or len(said) > 400 or "Traceback" in said:
        outcome.found(index, f"{status} without one sentence: {said[:200]!r}")
    if status == 503:
        outcome.answers[said[:60]] += 1


def _encoded(suffix: str, *parameters: int, channels: int = 3) -> bytes:
    noise = np.random.default_rng(0).integers(0, 256, (30, 40, channels), np.uint8)
    return bytes(cv2.imencode(suffix, noise, parameters)[1])


def _with_exif(jpeg: bytes) -> bytes:
    """Turned by its orientation, with an offset that may become wrong."""
    tiff = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, 6, 0, 0)
    body = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


def _with_sums(png: bytes) -> bytes:
    """The same chunks with checksums that fit, so that more than the first check reads them."""
    out, at = bytearray(png[:8]), 8
    while at + 12 <= len(png):
        length, name = struct.unpack_from(">I4s", png, at)
        out += png_chunk(name, png[at + 8 : at + 8 + length])
        at += 12 + length
    return bytes(out)


def _with_another_size(data: bytes, dice: random.Random) -> bytes:
    """A header that says more, or less, than there is."""
    side = struct.pack(">H", dice.choice((0, 1, 65535, 30000, dice.randrange(65536))))
    at = data.find(b"\xff\xc0") if data.startswith(b"\xff\xd8") else -1
    at = at + 5 + 2 * dice.randrange(2) if at >= 0 else dice.randrange(4, 30)
    return data[:at] + side + data[at + 2 :]


_GIF = bytes.fromhex("4749463839610200020080000000ffffff0000002c0000000002000200000203440205003b")
