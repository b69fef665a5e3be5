"""The camera's real process, real shared memory and real signals; only picamera2 itself is a stand-in."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pytest

from tests.eventually import eventually
from tests.fake_picamera2 import BARS
from tests.integration.sources.conftest import Machine, children, take
from vitcam.errors import SourceError, SourceLost
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import Orientation
from vitcam.processes.child import Child
from vitcam.processes.shared_memory import POOL_SIZE
from vitcam.rects import Rect
from vitcam.sources import SourceOptions, default_uri, open_source

OPTIONS = SourceOptions(input=InputSpec(224, 224), width=640, height=480)


@pytest.mark.smoke
def test_frames_arrive_in_true_colours_with_the_models_input_beside_them(machine: Machine) -> None:
    with open_source("picamera", OPTIONS) as source:
        frame = take(iter(source), 3)[-1]
        age_ms = (time.monotonic_ns() - frame.captured_ns) / 1e6
    middles = [(2 * n + 1) * 640 // 16 for n in range(8)]

    assert source.live
    assert frame.preview.shape == (480, 640, 3)
    assert frame.preview[240, middles].tolist() == [list(bar) for bar in BARS]
    assert frame.model_input is not None
    assert frame.model_input.shape == (224, 224, 3)
    assert frame.model_input[112, [2, 60, 110, -3]].tolist() == [list(BARS[n]) for n in (1, 2, 3, 6)]
    assert frame.crop == Rect(80, 0, 480, 480)
    assert frame.source == "picamera"
    assert 0 < frame.capture_ms <= age_ms < 10_000


@pytest.mark.parametrize("flips", [True, False])  # by the sensor, or else in the copy
def test_a_mirrored_picture_is_mirrored_for_the_model_too(machine: Machine, flips: bool) -> None:
    machine.plays(flips=flips)
    with open_source("picamera", replace(OPTIONS, orientation=Orientation.of(0, "h"))) as source:
        frame = take(iter(source), 1)[0]
    middles = [(2 * n + 1) * 640 // 16 for n in range(8)]

    assert frame.preview[240, middles].tolist() == [list(bar) for bar in reversed(BARS)]
    assert frame.model_input is not None
    assert frame.model_input[112, [2, 60, 110, -3]].tolist() == [list(BARS[n]) for n in (6, 5, 4, 1)]


def test_a_camera_on_its_side_is_turned_with_what_its_scaler_made(machine: Machine) -> None:
    with open_source("picamera", replace(OPTIONS, orientation=Orientation.of(270, "none"))) as source:
        frame = take(iter(source), 1)[0]
    middles = [(2 * n + 1) * 640 // 16 for n in range(8)]

    assert frame.preview[middles, 240].tolist() == [list(bar) for bar in reversed(BARS)]
    assert frame.crop == Rect(0, 80, 480, 480)
    assert frame.model_input is not None
    assert frame.model_input[2, 112].tolist() == list(BARS[6])


def test_a_pi_4_delivers_the_same_by_way_of_yuv(machine: Machine) -> None:
    machine.plays(scales_to_rgb=False)
    with open_source("picamera:0", OPTIONS) as source:
        frame = take(iter(source), 1)[0]

    assert frame.model_input is not None
    assert np.abs(frame.model_input[112, 60].astype(int) - BARS[2]).max() <= 6


def test_frames_that_are_held_are_never_written_over(machine: Machine) -> None:
    machine.plays(fps=200)
    with open_source("picamera", OPTIONS) as source:
        frames = iter(source)
        held = take(frames, 3)
        before = [frame.preview.copy() for frame in held]
        newest = take(frames, 40)[-1]

    assert newest.seq > held[-1].seq
    assert all(np.array_equal(frame.preview, copy) for frame, copy in zip(held, before, strict=True))
    assert not held[0].preview.flags.writeable


def test_a_reader_who_keeps_every_frame_stops_no_camera(machine: Machine) -> None:
    machine.plays(fps=200)
    with open_source("picamera", OPTIONS) as source:
        kept = take(iter(source), 3 * POOL_SIZE)

    assert len({frame.preview.ctypes.data for frame in kept}) == 3 * POOL_SIZE
    assert kept[-1].preview[240, 40].tolist() == list(BARS[0])
    assert not kept[-1].preview.flags.writeable


@pytest.mark.fault(
    "the camera is faster than inference",
    injected="a reader who is away while 200 frames/s come",
    observed="old frames are left out; the next one is new",
)
def test_a_reader_who_is_away_finds_a_gap_not_a_backlog(machine: Machine) -> None:
    machine.plays(fps=200)
    with open_source("picamera", OPTIONS) as source:
        frames = iter(source)
        take(frames, 1)
        time.sleep(1)  # the reader who is away is what is tested
        later = [frame.seq for frame in islice(frames, 2 * POOL_SIZE)]

    assert later == sorted(set(later))
    assert later[-1] > later[0] + 4 * POOL_SIZE


@pytest.mark.fault(
    "the Pi's camera sends no frames any more, without an error",
    injected="picamera2 whose frames stop",
    observed="the camera is lost after 2.6 s with a sentence, and opens again",
)
def test_a_stalled_camera_is_lost_within_seconds_and_opens_again(machine: Machine) -> None:
    source = open_source("picamera", OPTIONS)
    with source:
        frames = iter(source)
        take(frames, 2)
        machine.stall.touch()
        started = time.monotonic()
        with pytest.raises(SourceLost, match=r"no picture for 2\.6 s; check its cable"):
            take(frames, 1000)
        took = time.monotonic() - started
    machine.stall.unlink()
    with source:
        again = take(iter(source), 2)

    assert took < 6
    assert [frame.seq for frame in again] == [0, 1]
    assert not children()


@pytest.mark.fault(
    "libcamera hangs in a call",
    injected="picamera2 that never returns",
    observed="its process is ended after 3.1 s; no process is left",
)
def test_a_camera_that_hangs_without_a_word_is_ended(machine: Machine) -> None:
    with open_source("picamera", OPTIONS) as source:
        frames = iter(source)
        take(frames, 2)
        machine.hang.touch()
        with pytest.raises(SourceLost, match=r"said nothing for 3\.1 s and was ended"):
            take(frames, 1000)

        assert not children()


@pytest.mark.fault(
    "the camera's process crashes",
    injected="SIGKILL to it",
    observed="the camera is lost with a sentence; the daemon lives",
)
def test_a_camera_process_that_is_killed_is_a_camera_that_is_lost(machine: Machine) -> None:
    with open_source("picamera", OPTIONS) as source:
        frames = iter(source)
        take(frames, 2)
        for child in children():
            os.kill(child, signal.SIGKILL)
        with pytest.raises(SourceLost, match="ended by SIGKILL"):
            take(frames, 1000)


@pytest.mark.fault(
    "the camera's process cannot be ended, because its driver hangs",
    injected="a process that SIGKILL does not reach; `make test-faults` has a real one, in state D",
    observed="no second process is started beside it; the camera opens again once the first has ended",
)
def test_a_camera_process_that_cannot_be_ended_gets_no_second_one_beside_it(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = open_source("picamera", OPTIONS)
    with monkeypatch.context() as patched:
        patched.setattr(Child, "end", lambda child, at_once=False: child._link.close())
        with source:
            take(iter(source), 1)
            stuck = children()
            for child in stuck:
                os.kill(child, signal.SIGSTOP)  # it notices nothing any more
    with pytest.raises(SourceError, match=r"does not end, because its driver hangs.* reboot"):
        source.__enter__()
    beside = children()
    for child in stuck:
        os.kill(child, signal.SIGKILL)

    def opens() -> bool:
        try:
            with source:
                return bool(take(iter(source), 1))
        except SourceError:  # its threads are not gone yet
            return False

    again = eventually(opens, every_s=0.1)

    assert len(stuck) == 1
    assert beside == stuck
    assert again


def test_frames_outlive_the_camera_that_took_them(machine: Machine) -> None:
    with open_source("picamera", OPTIONS) as source:
        frame = take(iter(source), 1)[0]

    assert not children()
    assert frame.preview[240, 40].tolist() == list(BARS[0])


def test_leaving_takes_no_longer_while_the_camera_stalls(machine: Machine) -> None:
    with open_source("picamera", OPTIONS) as source:
        take(iter(source), 1)
        machine.stall.touch()
        time.sleep(0.2)  # until the child waits for its camera, of which nothing tells
        started = time.monotonic()

    assert time.monotonic() - started < 1
    assert not children()


def test_stop_ends_the_iteration_of_another_thread_at_once(machine: Machine) -> None:
    with open_source("picamera", OPTIONS) as source:
        frames = iter(source)
        take(frames, 1)
        machine.stall.touch()
        started = time.monotonic()
        Timer(0.3, source.stop).start()
        rest = list(frames)

    assert time.monotonic() - started < 2
    assert len(rest) < 10


@pytest.mark.fault(
    "the daemon dies while its camera hangs",
    injected="SIGKILL to the daemon, with and without the hang",
    observed="the camera's process ends, so that the next start gets the camera",
)
@pytest.mark.parametrize("hangs", [False, True])
def test_the_camera_is_let_go_when_the_daemon_dies(machine: Machine, hangs: bool) -> None:
    code = (
        "import os, pathlib, signal, time\n"
        "from vitcam.sources import SourceOptions, open_source\n"
        "source = open_source('picamera', SourceOptions(width=320, height=240))\n"
        "with source:\n"
        "    next(iter(source))\n"
        "    print(source._child.pid, flush=True)\n"
        f"    pathlib.Path({str(machine.hang)!r}).touch() if {hangs} else None\n"
        "    time.sleep(0.3)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    died = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    child = Path(f"/proc/{int(died.stdout)}/cmdline")
    gone = eventually(lambda: not child.exists() or "sources.picamera.child" not in child.read_text())

    assert died.returncode == -signal.SIGKILL
    assert gone  # a hung one by its own alarm


@pytest.mark.fault(
    "no camera, a busy one, one of an unknown format",
    injected="picamera2 that has none, is busy, grants MJPEG only",
    observed="one sentence that says what to do, exit code 2",
)
@pytest.mark.parametrize(
    ("uri", "world", "says"),
    [
        ("picamera", {"cameras": []}, "picamera2 finds no camera; check its cable"),
        ("picamera:3", {}, "there is no camera 3; picamera2 finds 0: imx708"),
        ("picamera", {"busy": True}, "Device or resource busy; end the program that uses it, such as a second"),
        ("picamera", {"grants": "MJPEG"}, "grants MJPEG only"),
        ("picamera:front", {}, "name it by its number"),
        ("picamera:-1", {}, "name it by its number"),
    ],
)
def test_a_camera_that_cannot_be_opened_says_why_in_one_sentence(
    machine: Machine, uri: str, world: dict[str, Any], says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    machine.plays(**world)
    with pytest.raises(SourceError, match=says) as refused, open_source(uri, OPTIONS):
        pass

    assert "\n" not in str(refused.value)
    assert refused.value.exit_code == 2
    assert "Traceback" not in capfd.readouterr().err
    assert not children()


def test_a_missing_picamera2_is_named_with_the_way_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceError, match="apt install python3-picamera2"), open_source("picamera", OPTIONS):
        pass


def test_without_a_name_the_pis_own_camera_is_taken_first(machine: Machine) -> None:
    assert default_uri() == "picamera"


def test_a_usb_camera_in_libcameras_list_is_left_to_v4l2(machine: Machine) -> None:
    machine.plays(cameras=["/base/axi/pcie@120000/rp1/usb@300000-2:1.0-046d:0825"])
    try:
        found = default_uri()
    except SourceError as error:
        found = str(error)

    assert found != "picamera"
