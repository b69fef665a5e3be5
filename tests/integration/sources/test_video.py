"""Videos from real files."""

import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Timer

import numpy as np
import pytest

from tests.needs import need_program
from tests.videos import write_video
from vitcam.errors import SourceError
from vitcam.frames import Frame, Unreadable
from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect
from vitcam.sources import SourceOptions, open_source

FRAMES, FPS = 60, 30
FAST = SourceOptions(realtime=False)

MakeVideo = Callable[..., Path]


@pytest.fixture
def make_video(tmp_path: Path) -> MakeVideo:
    """Encode `count` frames, each brighter than the last, blue on the left and red on the right."""

    def make(name: str, count: int = FRAMES, fps: int = FPS, codec: str = "mp4v") -> Path:
        pictures = np.zeros((count, 120, 160, 3), np.uint8)
        for number, bgr in enumerate(pictures):
            bgr[:, :80, 0] = bgr[:, 80:, 2] = 40 + 3 * number
        return write_video(tmp_path / name, pictures, codec, fps)

    return make


@pytest.fixture
def faststart(make_video: MakeVideo) -> Callable[[str], Path]:
    """The same as H.264, with the index first, so that a part of it can be played."""

    def make(name: str) -> Path:
        path = make_video("plain.mp4")
        out = path.with_name(name)
        h264 = ["-c:v", "libx264", "-bf", "0", "-g", "15", "-movflags", "+faststart", "-pix_fmt", "yuv420p"]
        subprocess.run([need_program("ffmpeg"), "-v", "error", "-i", path, *h264, out], check=True, timeout=60)
        return out

    return make


def read(path: Path, options: SourceOptions = FAST) -> list[Frame]:
    with open_source(str(path), options) as source:
        return list(source)


@pytest.mark.smoke
def test_every_frame_of_a_video_comes_once_and_in_order(make_video: MakeVideo) -> None:
    frames = read(make_video("clip.mp4"), replace(FAST, input=InputSpec(96, 96)))
    brightness = [int(frame.preview[60, 120, 0]) for frame in frames]

    assert [frame.seq for frame in frames] == list(range(FRAMES))
    assert all(later > sooner for sooner, later in zip(brightness, brightness[2:], strict=False))
    assert frames[0].crop == Rect(20, 0, 120, 120)
    assert frames[0].path is None
    assert frames[0].capture_ms > 0


def test_in_real_time_a_video_takes_as_long_as_it_lasts(make_video: MakeVideo) -> None:
    path = make_video("clip.mp4", count=30)
    started = time.monotonic()
    frames = read(path, SourceOptions())
    took = time.monotonic() - started

    assert len(frames) == 30
    assert 0.95 < took < 3
    assert (time.monotonic_ns() - frames[-1].captured_ns) / 1e9 < 0.5


def test_a_loop_begins_again_and_the_numbers_go_on(make_video: MakeVideo) -> None:
    path = make_video("clip.mp4", count=4)
    seen: list[Frame] = []
    with open_source(str(path), replace(FAST, loop=True)) as source:
        for frame in source:
            seen.append(frame)
            if len(seen) == 10:
                source.stop()

    assert [frame.seq for frame in seen] == list(range(10))
    assert np.array_equal(seen[0].preview, seen[4].preview)


def test_stop_ends_a_video_that_waits_for_its_next_frame(make_video: MakeVideo) -> None:
    path = make_video("slides.mp4", count=3, fps=1)
    with open_source(str(path)) as source:
        frames = iter(source)
        next(frames)
        Timer(0.2, source.stop).start()
        started = time.monotonic()
        rest = list(frames)

    assert rest == []
    assert time.monotonic() - started < 0.9


@pytest.mark.fault(
    "a video is cut off",
    injected="a file without its end",
    observed="what is there is classified, with a warning",
)
def test_a_video_cut_off_in_the_middle_gives_what_is_there_and_a_warning(
    faststart: Callable[[str], Path], capfd: pytest.CaptureFixture[str]
) -> None:
    path = faststart("whole.mp4")
    cut = path.with_name("cut.mp4")
    cut.write_bytes(path.read_bytes()[: path.stat().st_size * 6 // 10])
    reported: list[Unreadable] = []
    frames = read(cut, replace(FAST, on_unreadable=reported.append))

    assert 5 < len(frames) < FRAMES - 5
    assert [bad.path for bad in reported] == [str(cut)]
    assert reported[0].error == f"ends after {len(frames)} of {FRAMES} frames: truncated or damaged"
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("content", ["cut", "noise"])
def test_what_is_no_video_is_refused_in_one_sentence(
    make_video: MakeVideo, content: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = make_video("clip.mp4")  # its index comes last
    whole = path.read_bytes()
    noise = np.random.default_rng(0).bytes(5000)
    path.write_bytes({"cut": whole[: len(whole) // 2], "noise": noise}[content])

    with pytest.raises(SourceError, match=r"clip\.mp4 cannot be read as a video: cut off, damaged") as refused:
        read(path)
    assert refused.value.exit_code == 2
    assert capfd.readouterr().err == ""


def test_a_video_that_vanishes_before_its_next_round_says_so(make_video: MakeVideo) -> None:
    path = make_video("clip.mp4", count=3)
    with open_source(str(path), replace(FAST, loop=True)) as source:
        frames = iter(source)
        next(frames)
        path.unlink()
        with pytest.raises(SourceError, match="there is no file"):
            list(frames)


def test_of_a_film_at_its_own_pace_only_the_frames_somebody_wants_are_converted(make_video: MakeVideo) -> None:
    answers = iter([True, False, False] * FRAMES)
    options = SourceOptions(realtime=True, loop=False, wanted=lambda: next(answers))

    assert [frame.seq for frame in read(make_video("film.mp4", count=30), options)] == list(range(0, 30, 3))


def test_where_every_frame_counts_nobody_is_asked_whether_it_is_wanted(make_video: MakeVideo) -> None:
    assert len(read(make_video("film.mp4"), replace(FAST, wanted=lambda: False))) == FRAMES
