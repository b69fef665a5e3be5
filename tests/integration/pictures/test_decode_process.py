"""The decoder process: untrusted pictures may end it, but not the daemon."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests import hostile
from tests.eventually import eventually
from tests.unit.pictures.test_decode import with_exif
from vitcam.errors import UsageError, VitcamError
from vitcam.pictures.decode import Limits, decode_image
from vitcam.pictures.decoder.process import DecodeProcess

GIB = 1 << 30


@pytest.fixture(scope="module")
def decoder() -> Iterator[DecodeProcess]:
    decoder = DecodeProcess()
    yield decoder
    decoder.close()


def noise(height: int = 120, width: int = 160, suffix: str = ".jpg") -> bytes:
    picture = np.random.default_rng(height).integers(0, 256, (height, width, 3), np.uint8)
    return bytes(cv2.imencode(suffix, picture)[1])


def peak_memory(pid: int | str) -> int:
    """The most memory that a process has used, in bytes, shared memory included."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


@pytest.mark.parametrize("stream", [False, True])
def test_a_damaged_picture_keeps_no_later_one_of_the_same_size_from_being_decoded(stream: bool) -> None:
    decode, whole = DecodeProcess(stream=stream), noise()
    table = whole.index(b"\xff\xc4") + 5  # how many codes of each length: the header says nothing of it
    damaged = whole[:table] + b"\xff" * 16 + whole[table + 16 :]
    try:
        for _ in range(3):
            with pytest.raises(UsageError, match="damaged"):
                decode(damaged)

        assert np.array_equal(decode(whole).image, decode_image(whole))
    finally:
        decode.close()


@pytest.mark.smoke
@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".bmp"])
def test_a_picture_is_the_same_as_when_it_is_decoded_here(decoder: DecodeProcess, suffix: str) -> None:
    data = noise(suffix=suffix)
    decoded = decoder(data)

    assert np.array_equal(decoded.image, decode_image(data))
    assert (decoded.width, decoded.height) == (160, 120)
    assert not decoded.image.flags.writeable
    assert decoder(data, Limits(enough=(50, 50))).image.shape == (60, 80, 3)


def test_what_takes_too_much_memory_is_refused_with_what_to_do(decoder: DecodeProcess) -> None:
    with pytest.raises(
        UsageError, match="takes 841 MB; at most 480 are allowed: save it smaller, or as a JPEG that is"
    ):
        decoder(hostile.progressive_cmyk_jpeg(12_000, 8_000))
    with pytest.raises(UsageError, match="101 megapixels; at most 100 are allowed: save it smaller"):
        decoder(hostile.progressive_cmyk_jpeg(10_100, 10_000))


@pytest.mark.parametrize(
    ("width", "height", "options"),
    [
        (8064, 6048, []),
        (12_000, 8_300, []),
        (8064, 6048, [cv2.IMWRITE_JPEG_PROGRESSIVE, 1]),
        (8064, 6048, [cv2.IMWRITE_JPEG_PROGRESSIVE, 1, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, 0x111111]),
    ],
    ids=["48 baseline", "100 baseline", "48 progressive", "48 progressive in full colour"],
)
def test_a_phones_largest_photo_is_decoded_smaller_and_upright_within_the_memory(
    width: int, height: int, options: list[int]
) -> None:
    left = np.zeros((height // 100, width // 100, 3), np.uint8)
    left[:, : width // 300] = (0, 0, 255)  # BGR
    picture = cv2.resize(left, (width, height), interpolation=cv2.INTER_NEAREST)
    data = with_exif(bytes(cv2.imencode(".jpg", picture, options)[1]), 6)
    decoder = DecodeProcess(timeout_s=60)
    try:
        decoded = decoder(data)
        peak = peak_memory(decoder.pid or 0)
    finally:
        decoder.close()

    assert (decoded.width, decoded.height) == (height, width)
    assert decoded.image.shape == (-(-width // 2), -(-height // 2), 3)
    assert np.abs(decoded.image[[20, -20], 100].astype(int) - [[254, 0, 0], [0, 0, 0]]).max() < 20, "red on top"
    assert peak < 0.75 * GIB


@pytest.mark.fault(
    "a photo crashes the decoder",
    injected="an animated PNG with one wrong byte",
    observed="the photo is refused; the next one is decoded",
)
def test_a_picture_that_ends_the_process_is_refused_and_the_next_one_is_decoded(decoder: DecodeProcess) -> None:
    decoder(noise())
    pid = decoder.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # it will never answer
    threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()
    with pytest.raises(UsageError, match=r"the decoder process ended by SIGKILL"):
        decoder(noise())

    assert decoder(noise()).image.shape == (120, 160, 3)
    assert decoder.pid != pid


def test_the_next_picture_is_decoded_after_the_idle_process_was_killed(decoder: DecodeProcess) -> None:
    decoder(noise())
    pid = decoder.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    assert decoder(noise()).width > 0
    assert decoder.pid != pid


@pytest.mark.fault(
    "a photo is decoded without end",
    injected="a decoder that sleeps",
    observed="the photo is refused in time, its process ended",
)
def test_a_picture_that_takes_too_long_is_refused() -> None:
    decoder = DecodeProcess(timeout_s=0.5)
    try:
        decoder(noise())
        os.kill(decoder.pid or 0, signal.SIGSTOP)
        started = time.monotonic()
        with pytest.raises(UsageError, match=r"takes more than 0\.5 s to decode"):
            decoder(noise())

        assert time.monotonic() - started < 5
        assert decoder(noise()).image.shape == (120, 160, 3)
    finally:
        decoder.close()


def test_close_ends_a_decode_in_another_thread() -> None:
    decoder = DecodeProcess()
    decoder(noise())
    os.kill(decoder.pid or 0, signal.SIGSTOP)
    threading.Timer(0.3, decoder.close).start()
    started = time.monotonic()
    with pytest.raises(VitcamError, match="closed"):
        decoder(noise())

    assert time.monotonic() - started < 5


def test_several_threads_each_get_their_own_picture(decoder: DecodeProcess) -> None:
    wrong: list[int] = []

    def work(height: int) -> None:
        data = noise(height)
        expected = decode_image(data)
        wrong.extend(height for _ in range(20) if not np.array_equal(decoder(data).image, expected))

    threads = [threading.Thread(target=work, args=(height,)) for height in (50, 60, 70, 80)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert not wrong


@pytest.mark.parametrize("busy", [False, True])
def test_the_process_ends_when_the_daemon_is_killed(busy: bool) -> None:
    code = (
        "import os, signal, sys\n"
        "from vitcam.pictures.decoder.process import DecodeProcess\n"
        "from tests import hostile\n"
        "decoder = DecodeProcess(timeout_s=1)\n"
        "decoder(hostile.plain_png(8, 8))\n"
        "print(decoder.pid, flush=True)\n"
        f"os.kill(decoder.pid, signal.SIGSTOP) if {busy} else None\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    died = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    pid = int(died.stdout)
    child = Path(f"/proc/{pid}")
    if busy:
        os.kill(pid, signal.SIGCONT)

    assert eventually(lambda: not child.exists() or b"decoder.child" not in (child / "cmdline").read_bytes())


@pytest.mark.parametrize(
    ("name", "enough"),
    [("cmyk", None), ("cmyk", (996, 996)), ("png of 16 bits", None), ("webp", (996, 996))],
)
def test_the_worst_allowed_picture_stays_within_the_memory_of_the_service(
    name: str, enough: tuple[int, int] | None
) -> None:
    """The daemon itself has some 200 MB."""
    width, height = 8000, 5000
    data = {
        "cmyk": lambda: hostile.progressive_cmyk_jpeg(width, height),
        "png of 16 bits": lambda: hostile.plain_png(width, height, interlaced=True),
        "webp": lambda: bytes(
            cv2.imencode(".webp", np.full((height, width, 4), 9, np.uint8), [cv2.IMWRITE_WEBP_QUALITY, 101])[1]
        ),
    }[name]()
    decoder = DecodeProcess(timeout_s=60)
    try:
        decoded = decoder(data, Limits(enough=enough))
        peak = peak_memory(decoder.pid or 0)
    finally:
        decoder.close()

    assert (decoded.width, decoded.height) == (width, height)
    assert peak + len(data) < 0.75 * GIB
