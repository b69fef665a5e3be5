"""Pictures in memory become a file that a player can seek in."""

import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import av
import cv2
import pytest

from tests.eventually import eventually
from tests.frames import SECOND
from tests.parts.clips.cuts import cut_of, probed, slow_cut
from vitcam.errors import VitcamError
from vitcam.parts.clips.ffmpeg import Ffmpeg, at_constant_rate, find_ffmpeg
from vitcam.rects import Box


def test_a_clip_is_h264_with_a_keyframe_each_second_and_the_right_length(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    find_ffmpeg().encode(cut_of(4.0), 10.0, clip, 60)
    found = probed(clip)

    assert (found["codec_name"], found["pix_fmt"]) == ("h264", "yuv420p")
    assert (found["width"], found["height"]) == (128, 72)
    assert float(found["duration"]) == pytest.approx(4.0, abs=0.11)
    assert found["keyframes"] == [0, 1, 2, 3]


@pytest.mark.parametrize(("box", "said"), [(Box(0.1, 0.2, 0.25, 0.5), "box 0.1,0.2,0.25,0.5"), (None, None)])
def test_a_clip_says_where_in_its_pictures_the_thing_was(tmp_path: Path, box: Box | None, said: str | None) -> None:
    clip = tmp_path / "clip.mp4"
    find_ffmpeg().encode(replace(cut_of(1.0), box=box), 10.0, clip, 60)

    with av.open(str(clip)) as film:
        assert film.metadata.get("comment") == said


def test_a_clip_has_the_shades_of_its_pictures_and_its_index_comes_first(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    find_ffmpeg().encode(cut_of(4.0), 10.0, clip, 60)
    capture, data = cv2.VideoCapture(str(clip)), clip.read_bytes()
    shades = [float(capture.read()[1].mean()) for _ in range(40)]

    assert shades == pytest.approx([255 * index // 40 for index in range(40)], abs=4)
    assert data.index(b"moov") < data.index(b"mdat"), "playing would not begin at once"


def test_where_pictures_came_late_the_last_one_stays_and_the_length_is_kept() -> None:
    cut = cut_of(1.0)
    late = replace(cut.stills[-1], captured_ns=3 * SECOND)
    shown = list(at_constant_rate(replace(cut, stills=(*cut.stills[:5], late), end_ns=4 * SECOND), 10.0))

    assert len(shown) == 40
    assert shown[29] == cut.stills[4].jpeg
    assert shown[30] == late.jpeg


def test_pictures_are_handed_over_slowly_so_that_the_network_keeps_its_processor(tmp_path: Path) -> None:
    began = time.monotonic()
    find_ffmpeg().encode(cut_of(3.0), 10.0, tmp_path / "clip.mp4", 60)

    assert time.monotonic() - began > 30 * 0.05
    assert float(probed(tmp_path / "clip.mp4")["duration"]) == pytest.approx(3.0, abs=0.11)


def test_the_encoder_gets_only_the_time_that_nobody_else_wants(tmp_path: Path) -> None:
    encoder = find_ffmpeg()
    slow = slow_cut()
    thread = threading.Thread(target=lambda: _encode_until_stopped(encoder, tmp_path / "clip.mp4", slow))
    thread.start()
    try:
        pid = eventually(lambda: encoder.pid, 20)

        assert pid
        assert os.getpriority(os.PRIO_PROCESS, pid) == 19
        assert os.sched_getscheduler(pid) == os.SCHED_IDLE
        assert os.getsid(pid) == os.getsid(0)
        assert os.getpgid(pid) == pid
    finally:
        encoder.stop()
        thread.join(20)
    assert not thread.is_alive()


def _encode_until_stopped(encoder: Ffmpeg, clip: Path, cut: object) -> None:
    with pytest.raises(VitcamError, match="ffmpeg ended by SIGKILL"):
        encoder.encode(cut, 1.0, clip, 60)  # type: ignore[arg-type]


def test_an_encoder_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    with pytest.raises(VitcamError, match="SIGKILL"):
        find_ffmpeg().encode(slow_cut(), 1.0, tmp_path / "clip.mp4", 0.2)


def test_a_damaged_picture_is_skipped_and_a_clip_of_such_alone_is_refused(tmp_path: Path) -> None:
    good = cut_of(1.0)
    one_bad = replace(good, stills=(*good.stills[:4], replace(good.stills[4], jpeg=b"no picture"), *good.stills[5:]))
    all_bad = replace(good, stills=tuple(replace(still, jpeg=b"no picture") for still in good.stills))
    find_ffmpeg().encode(one_bad, 10.0, tmp_path / "clip.mp4", 60)

    assert int(probed(tmp_path / "clip.mp4")["nb_frames"]) == 9
    with pytest.raises(VitcamError, match="Error"):
        find_ffmpeg().encode(all_bad, 10.0, tmp_path / "clip.mp4", 60)


def test_an_ffmpeg_without_h264_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\necho ' V..... mpeg4'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    with pytest.raises(VitcamError, match=r"cannot encode H\.264"):
        find_ffmpeg()
