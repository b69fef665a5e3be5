"""Pictures through a real pipe, by a real ffmpeg."""

import io
import json
import os
import pty
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tests.command import Result, vitcam
from tests.needs import need_program
from vitcam.pictures.encode import encode_jpeg
from vitcam.sources import SourceOptions, open_source
from vitcam.sources.jpeg_frames import IncomingStream

CLIP = "testsrc=size=320x240:rate=30:duration=2"
RUN = [sys.executable, "-m", "vitcam", "run", "--no-web", "--log", "json", "--emit", "all", "--source"]
TIMEOUT_S = 120


def ffmpeg(*output: str, paced: bool = False) -> list[str]:
    """Sixty pictures of 320 × 240 px to stdout; `paced`: in two seconds."""
    pace = ["-re"] if paced else []
    return [need_program("ffmpeg"), "-v", "error", *pace, "-f", "lavfi", "-i", CLIP, *output, "-"]


def piped(producer: list[str], source: str, *options: str) -> Result:
    """`producer | vitcam run --source …`, to the end."""
    with subprocess.Popen(producer, stdout=subprocess.PIPE) as made:
        done = subprocess.run([*RUN, source, *options], stdin=made.stdout, capture_output=True, timeout=TIMEOUT_S)
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("-", ["-f", "mjpeg"]),
        ("-:yuv420:320x240", ["-f", "rawvideo", "-pix_fmt", "yuv420p"]),
        ("-:rgb24:320x240", ["-f", "rawvideo", "-pix_fmt", "rgb24"]),
        ("-:bgr24:320x240", ["-f", "rawvideo", "-pix_fmt", "bgr24"]),
    ],
)
def test_every_picture_of_a_pipe_is_answered_where_there_is_no_page(source: str, output: list[str]) -> None:
    result = piped(ffmpeg(*output), source)
    predictions = [line for line in result.lines if line["type"] == "prediction"]

    assert result.code == 0, result.err
    assert [line["seq"] for line in predictions] == list(range(60))
    assert {line["source"] for line in predictions} == {source}
    assert result.lines[-1] | {"seconds": 0} == {
        "type": "summary",
        "frames": 60,
        "errors": 0,
        "dropped": 0,
        "seconds": 0,
    }


def test_all_ways_through_a_pipe_show_the_same_picture() -> None:
    tops = {}
    for source, output in {
        "-": ["-f", "mjpeg", "-q:v", "1"],
        "-:yuv420:320x240": ["-f", "rawvideo", "-pix_fmt", "yuv420p"],
        "-:rgb24:320x240": ["-f", "rawvideo", "-pix_fmt", "rgb24"],
        "-:bgr24:320x240": ["-f", "rawvideo", "-pix_fmt", "bgr24"],
    }.items():
        tops[source] = piped(ffmpeg(*output, "-frames:v", "1"), source, "--no-realtime").lines[0]["top"][0]

    assert len({top["label"] for top in tops.values()}) == 1, tops
    assert max(top["p"] for top in tops.values()) - min(top["p"] for top in tops.values()) < 0.2  # rounding of YUV


@pytest.mark.fault(
    "a pipe is faster than inference",
    injected="pictures that come faster than they are taken",
    observed="the newest one is taken; the pipe is never held up",
)
def test_a_slow_classifier_sees_the_newest_picture_and_delays_no_pipe() -> None:
    started = time.monotonic()
    result = piped(ffmpeg("-f", "mjpeg", paced=True), "-", "--fps", "5", "--realtime")
    predictions = [line for line in result.lines if line["type"] == "prediction"]
    ages_ms = sorted(line["ms"]["total"] for line in predictions)

    assert result.code == 0, result.err
    assert result.lines[-1]["dropped"] > 30
    assert predictions[-1]["seq"] > 40  # of 60 within two seconds; who queued would have come to the 15th
    assert ages_ms[len(ages_ms) // 2] < 1000
    assert time.monotonic() - started < TIMEOUT_S / 2


def test_a_terminal_as_stdin_is_refused_with_an_example() -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run([*RUN, "-"], stdin=theirs, capture_output=True, text=True, timeout=TIMEOUT_S)
    os.close(ours)
    os.close(theirs)

    assert done.returncode == 2
    assert "stdin is a terminal" in done.stderr.splitlines()[-1]
    assert "rpicam-vid" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("source", "sent", "said"),
    [
        ("-", b"", "0 bytes came"),
        ("-", b"no picture at all" * 1000, "17,000 bytes came, a text; vitcam reads JPEG"),
        ("-", b"\0\0\0\1\x67\x64\0\x28" + b"\x55" * 5000, "H.264 came"),
        ("-", b"\x89PNG\r\n\x1a\n" + bytes(5000), "a PNG picture; vitcam reads JPEG pictures one after the other"),
        ("-", b"RIFF\x24\0\0\0WEBPVP8 " + bytes(5000), "a WebP picture; vitcam reads JPEG"),
        ("-", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(5000), "a HEIC picture; vitcam reads JPEG"),
        ("-", b"\xff\xd8\xff\xe0" + b"\0\x10JFIF" + bytes(50), "no whole JPEG is among them"),
        ("-:rgb24:320x240", b"\0" * 1000, "1,000 bytes came, and 320×240 rgb24 has 230,400"),
    ],
)
def test_a_pipe_without_a_picture_is_refused_by_what_came(source: str, sent: bytes, said: str) -> None:
    result = vitcam("run", "--no-web", "--log", "json", "--source", source, stdin=sent)

    assert result.code == 2
    assert said in result.sentence
    assert "Traceback" not in result.err


@pytest.mark.fault(
    "raw pictures have another size than was given",
    injected="a pipe whose bytes do not fill whole pictures",
    observed="the end says so",
)
def test_a_size_that_does_not_fit_is_told_at_the_end() -> None:
    result = piped(ffmpeg("-f", "rawvideo", "-pix_fmt", "rgb24"), "-:rgb24:320x242", "--no-realtime")
    errors = [line["error"] for line in result.lines if line["type"] == "error"]

    assert result.code == 0
    assert len(errors) == 1
    assert "is it 320×242 rgb24?" in errors[0]


def test_a_broken_picture_in_a_pipe_is_passed_over(tmp_path: Path) -> None:
    made = subprocess.run(ffmpeg("-f", "mjpeg"), capture_output=True, timeout=TIMEOUT_S, check=True).stdout
    middle = made.index(b"\xff\xd8\xff", len(made) // 2)
    result = vitcam(*RUN[3:], "-", "--no-realtime", stdin=made[: middle - 500] + made[middle:])

    assert result.code == 0, result.err
    assert result.lines[-1]["frames"] == 59


def photo(grey: int) -> bytes:
    return encode_jpeg(np.full((96, 128, 3), grey, np.uint8), 90)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_photos_that_are_piped_in_are_answered_one_by_one(count: int) -> None:
    result = vitcam(
        "run", "--source", "-", "--no-web", "--log", "json", stdin=b"".join(photo(40 * i) for i in range(count))
    )

    assert result.code == 0, result.err
    assert [line["type"] for line in result.lines] == ["prediction"] * count + ["summary"]
    assert [line["seq"] for line in result.lines[:-1]] == list(range(count))
    assert result.lines[-1] | {"seconds": 0} == {
        "type": "summary",
        "frames": count,
        "errors": 0,
        "dropped": 0,
        "seconds": 0,
    }


def test_a_last_picture_that_is_cut_off_is_told_and_those_before_it_are_answered() -> None:
    result = vitcam("run", "--source", "-", "--no-web", "--log", "json", stdin=photo(50) * 2 + photo(90)[:-300])

    assert result.code == 0, result.err
    assert sorted(line["type"] for line in result.lines) == ["error", "prediction", "prediction", "summary"]
    assert "the last picture is cut off after" in next(line["error"] for line in result.lines if "error" in line)
    assert (result.lines[-1]["frames"], result.lines[-1]["errors"], result.lines[-1]["dropped"]) == (2, 1, 0)


def send_last(pipe: int) -> None:
    os.write(pipe, photo(20))
    os.close(pipe)


def test_pictures_that_are_made_one_by_one_may_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IncomingStream, "patience_s", 0.2)
    reading, writing = os.pipe()
    monkeypatch.setattr("vitcam.sources.stdin._STDIN", reading)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    os.write(writing, photo(10))
    with open_source("-") as source:
        frames = iter(source)
        first = next(frames)
        later = threading.Timer(1.0, send_last, (writing,))
        later.start()
        rest = list(frames)
    later.join()
    os.close(reading)

    assert [frame.seq for frame in (first, *rest)] == [0, 1]


def test_a_page_makes_a_pipe_live() -> None:
    assert open_source("-", SourceOptions(realtime=True)).live
    assert not open_source("-").live


def test_a_read_that_waits_for_the_pipe_ends_soon_after_stop() -> None:
    code = (
        "import threading, time; from vitcam import open_source\n"
        "with open_source('-') as source:\n"
        "    threading.Timer(0.5, source.stop).start(); started = time.monotonic()\n"
        "    print(len(list(source)), time.monotonic() - started)\n"
    )
    reading, writing = os.pipe()
    done = subprocess.run([sys.executable, "-c", code], stdin=reading, capture_output=True, text=True, timeout=60)
    os.close(reading)
    os.close(writing)
    count, took_s = done.stdout.split()

    assert count == "0"
    assert 0.4 < float(took_s) < 1.5


def test_a_reader_who_leaves_ends_the_whole_pipeline() -> None:
    command = " ".join([f"'{part}'" for part in ffmpeg("-f", "mjpeg")]) + " | " + " ".join([*RUN, "-"]) + " | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=TIMEOUT_S)

    assert json.loads(done.stdout)["type"] == "prediction"
    assert "Traceback" not in done.stderr
