"""The camera's real process, real shared memory and real signals; only picamera2 itself is a stand-in."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from itertools import islice
from pathlib import Path
from threading import Timer
from typing import Any

import cv2
import numpy as np
import pytest

from tests import fake_picamera2
from tests.eventually import eventually
from tests.fake_picamera2 import BARS
from vitcam.errors import SourceError, SourceLost
from vitcam.frames import Detail, Frame
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import Orientation, Region
from vitcam.processes.child import Child
from vitcam.processes.shared_memory import POOL_SIZE
from vitcam.rects import Box, Rect
from vitcam.sources import SourceOptions, default_uri, open_source
from vitcam.zones.active import ActiveAreas
from vitcam.zones.areas import Areas

OPTIONS = SourceOptions(input=InputSpec(224, 224), width=640, height=480)


@dataclass(frozen=True)
class Machine:
    """A machine with a stand-in for picamera2."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch

    @property
    def stall(self) -> Path:
        return self.folder / "stall"

    @property
    def hang(self) -> Path:
        return self.folder / "hang"

    def plays(self, **world: Any) -> None:
        world = {"stall_file": str(self.stall), "hang_file": str(self.hang)} | world
        self.monkeypatch.setenv("FAKE_PICAMERA2", json.dumps(world))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    library = tmp_path / "library"
    library.mkdir()
    (library / "picamera2.py").write_text(Path(fake_picamera2.__file__).read_text())
    (library / "libcamera.py").write_text("from picamera2 import ColorSpace, Transform\n")
    monkeypatch.setenv("PYTHONPATH", str(library))  # for the child
    monkeypatch.syspath_prepend(library)  # for the question whether it is installed
    machine = Machine(tmp_path, monkeypatch)
    machine.plays()
    return machine


def take(frames: Iterator[Frame], count: int) -> list[Frame]:
    return list(islice(frames, count))


def children() -> set[int]:
    """The processes that this one has started and that still run."""
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,stat=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True
    )
    lines = [line.split(None, 2) for line in listed.stdout.splitlines() if "sources.picamera.child" in line]
    return {int(pid) for pid, state, _ in lines if not state.startswith("Z")}


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


def test_a_reader_who_was_away_still_hears_why_the_camera_was_lost(machine: Machine) -> None:
    with open_source("picamera", OPTIONS) as source:
        frames = iter(source)
        kept = take(frames, 2)
        machine.stall.touch()
        time.sleep(0.5)  # until the child waits for its camera, of which nothing tells
        kept.clear()  # goes back to a child that waits for its camera, and ends without having read it
        assert eventually(lambda: not children())

        with pytest.raises(SourceLost, match=r"no picture for 2\.6 s; check its cable"):
            take(frames, 1000)


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


MODES = [
    {"size": [576, 324], "crop_limits": [288, 162, 1152, 648], "fps": 120.0, "bit_depth": 10},
    {"size": [1728, 972], "crop_limits": [0, 0, 1728, 972], "fps": 14.0, "bit_depth": 10},
]
VIEW = (288, 162, 1152, 648)


class Followed:
    """What the daemon says that it follows."""

    def __init__(self, *boxes: Box) -> None:
        self.boxes = boxes
        self.on = True

    def options(self, **others: Any) -> SourceOptions:
        return SourceOptions(
            InputSpec(128, 128), 320, 180, 10, boxes=lambda: self.boxes, follows=lambda: self.on, **others
        )


def apart_from_view(detail: Detail) -> float:
    """How much a detail differs from the same place of what the sensor sees; of any other place it is above 30."""
    rows, columns = detail.picture.shape[:2]
    seen = fake_picamera2.view_of_landscape(VIEW, 1152, 648)
    x, y, width, height = (round(3.6 * side) for side in astuple(detail.rect))
    place = cv2.resize(seen[y : y + height, x : x + width], (columns, rows), interpolation=cv2.INTER_AREA)
    return float(np.abs(place.astype(int) - detail.picture).mean())


def first_with_details(frames: Iterator[Frame], count: int) -> Frame:
    return next(frame for frame in islice(frames, 200) if len(frame.details) == count)


@pytest.mark.parametrize("is_pi_5", [True, False])
def test_what_is_followed_comes_with_the_next_frames_in_the_cameras_own_px(machine: Machine, is_pi_5: bool) -> None:
    machine.plays(modes=MODES, scales_to_rgb=is_pi_5, align=512)
    followed = Followed()
    with open_source("picamera", followed.options()) as source:
        frames = iter(source)
        before = take(frames, 2)
        followed.boxes = Box.around(Rect(40, 20, 60, 60), (320, 180)), Box.around(Rect(199, 99, 71, 71), (320, 180))
        frame = first_with_details(frames, 2)
        followed.boxes = ()
        after = first_with_details(frames, 0)

    assert not any(each.details for each in before)
    assert [detail.rect for detail in frame.details] == [Rect(40, 20, 60, 60), Rect(199, 99, 71, 71)]
    assert [detail.picture.shape for detail in frame.details] == [(216, 216, 3), (256, 256, 3)]
    assert max(apart_from_view(detail) for detail in frame.details) < 4
    assert frame.part(Rect(40, 20, 60, 60)) is frame.details[0].picture
    assert frame.preview.shape == (180, 320, 3)
    assert after.seq - frame.seq <= POOL_SIZE


@pytest.mark.parametrize("flips", [True, False])
def test_a_camera_that_hangs_on_its_side_gives_details_upright(machine: Machine, flips: bool) -> None:
    machine.plays(modes=MODES, flips=flips)
    rect = Rect(30, 200, 60, 60)
    followed = Followed(Box.around(rect, (180, 320)))
    with open_source("picamera", followed.options(orientation=Orientation.of(90, "h"))) as source:
        frame = first_with_details(iter(source), 1)
    (detail,) = frame.details
    as_taken = cv2.rotate(cv2.flip(detail.picture, 1), cv2.ROTATE_90_COUNTERCLOCKWISE)
    mirrored = Rect(180 - rect.x - rect.width, rect.y, 60, 60)
    place = Rect(mirrored.y, 180 - mirrored.x - mirrored.width, 60, 60)

    assert frame.preview.shape == (320, 180, 3)
    assert detail.rect == rect
    assert apart_from_view(Detail(place, np.asarray(as_taken, np.uint8))) < 4


def test_masks_are_black_in_details_in_their_own_memory(machine: Machine) -> None:
    machine.plays(modes=MODES)
    followed = Followed(Box.around(Rect(100, 60, 60, 60), (320, 180)))
    areas = ActiveAreas(Areas(masks=(Region(0.25, 0, 0.15, 1),)))
    with open_source("picamera", followed.options(active_areas=areas)) as source:
        frame = first_with_details(iter(source), 1)
    (detail,) = frame.details

    assert detail.picture[:, : 28 * 216 // 60].max() == 0
    assert detail.picture[:, 28 * 216 // 60 + 8 :].min() > 0
    assert detail.picture.base is frame.preview.base


def test_absurd_boxes_do_no_harm(machine: Machine) -> None:
    machine.plays(modes=MODES)
    rect = Rect(40, 20, 60, 60)
    absurd = Box(float("nan"), 0, 1, 1), Box(-5, 1e300, float("inf"), -1)
    followed = Followed(*absurd, Box.around(rect, (320, 180)), *(Box(0.1, 0.1, 0.5, 0.5),) * 2000)
    with open_source("picamera", followed.options()) as source:
        frame = first_with_details(iter(source), 1)

    assert frame.details[0].rect == rect


def test_details_that_are_held_are_never_written_over(machine: Machine) -> None:
    machine.plays(modes=MODES, fps=200)
    followed = Followed(Box.around(Rect(40, 20, 60, 60), (320, 180)))
    with open_source("picamera", followed.options()) as source:
        frames = iter(source)
        held = first_with_details(frames, 1).details[0].picture
        before = held.copy()
        followed.boxes = (Box.around(Rect(199, 99, 71, 71), (320, 180)),)
        kept = take(frames, 3 * POOL_SIZE)

    assert np.array_equal(held, before)
    assert len({frame.details[0].picture.ctypes.data for frame in kept if frame.details}) > 2 * POOL_SIZE


def test_following_that_begins_while_the_camera_runs_sets_it_up_anew(
    machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    machine.plays(modes=MODES)
    followed = Followed(Box.around(Rect(40, 20, 60, 60), (320, 180)))
    followed.on = False
    with caplog.at_level("DEBUG", "vitcam"), open_source("picamera", followed.options()) as source:
        frames = iter(source)
        before = take(frames, 3)
        followed.on = True
        during = first_with_details(frames, 1)
        followed.on = False
        after = first_with_details(frames, 0)

    assert not any(frame.details for frame in before)
    assert before[0].model_input is not None
    assert during.model_input is None
    assert after.model_input is not None
    assert "what is followed is cut from 1152×648 px of the camera" in caplog.text
    assert "6.1 MB in 8 shared buffers" in caplog.text  # the preview, and three details of 256 × 256 px
    assert len(children()) == 0


@pytest.mark.fault(
    "the camera's larger picture shows another part of the view",
    injected="picamera2 whose scaler does not cut",
    observed="the picture stays as it is without following, so that masks stay where they are, and a sentence says why",
)
def test_a_larger_picture_of_another_view_is_not_taken(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    machine.plays(modes=MODES, zooms=False)
    followed = Followed(Box.around(Rect(40, 20, 60, 60), (320, 180)))
    with caplog.at_level("INFO", "vitcam"), open_source("picamera", followed.options()) as source:
        frame = take(iter(source), 3)[-1]
    seen = fake_picamera2.view_of_landscape(VIEW, 320, 180)

    assert np.array_equal(frame.preview, seen)
    assert not frame.details
    assert "since a larger one shows another part of the view" in caplog.text


@pytest.mark.fault(
    "the camera shows another part of the view than it was set to, while it runs",
    injected="picamera2 whose scaler cuts out another part",
    observed="none of these frames leaves its process; the camera is lost with a sentence, and opens again",
)
def test_no_frame_of_another_view_leaves_the_cameras_process(machine: Machine) -> None:
    machine.plays(modes=MODES, astray_file=str(machine.folder / "astray"))
    followed = Followed(Box.around(Rect(40, 20, 60, 60), (320, 180)))
    source, frames = open_source("picamera", followed.options()), []
    with source:
        running = iter(source)
        frames.append(first_with_details(running, 1))
        (machine.folder / "astray").touch()
        with pytest.raises(SourceLost, match="another part of its sensor"):
            frames.extend(running)
    (machine.folder / "astray").unlink()
    with source:
        frames.append(first_with_details(iter(source), 1))
    seen = fake_picamera2.view_of_landscape(VIEW, 320, 180)

    assert all(np.abs(frame.preview.astype(int) - seen).mean() < 1 for frame in frames)
