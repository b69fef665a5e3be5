"""Runs as root in the machine that `run.sh` starts: every kind of camera, and the daemon on one of them."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import cv2
import numpy as np

from tests.eventually import eventually
from tests.pivm.report import Report
from vitcam.errors import SourceError, SourceLost
from vitcam.frames import Frame
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas
from vitcam.pictures.resize import InputSpec, crop_of
from vitcam.pictures.view import Region
from vitcam.rects import Box, Rect
from vitcam.sources import Source, SourceOptions, default_uri, open_source
from vitcam.sources.v4l2_devices import capture_devices

IO = Path("/io")
STALL = Path("/run/pivm/stall-all")
VIVID = Path("/sys/bus/platform/drivers/vivid")
PORT = 8420
SLOW = 60  # seconds for what takes one on a Pi
_ATTEMPTS = 5


def sh(command: str) -> str:
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=400)
    return (done.stdout + done.stderr).strip()


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """For the child processes started meanwhile."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def opened(uri: str, options: SourceOptions) -> Iterator[Source]:
    """As `with open_source`, but again where a busy emulated machine took longer to open it than a Pi may."""
    source = open_source(uri, options)
    for attempt in range(_ATTEMPTS):
        try:
            source.__enter__()
            break
        except SourceError:
            if attempt == _ATTEMPTS - 1:
                raise
    try:
        yield source
    finally:
        source.__exit__(None, None, None)


def stand_in_is_true(report: Report) -> None:
    code = (
        "import picamera2, libcamera, json\n"
        "from tests.pivm.check_fake import deviations\n"
        "print(json.dumps(list(deviations(picamera2, libcamera))))\n"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=IO, capture_output=True, text=True, timeout=SLOW)
    report.check(
        "the stand-in has only what picamera2 has", said.stdout.strip() == "[]", said.stdout, said.stderr[-500:]
    )


def picamera(report: Report) -> None:
    # the virtual scaler knows 320×240, 640×480 and 1280×720; for any other size it gives the largest
    with environment(PIVM_FORMATS="1"):
        bars(report, "YUV420, exact", (640, 480), InputSpec(240, 240))
        bars(report, "YUV420, more than the crop", (640, 480), InputSpec(224, 224, crop_fraction=224 / 240))
    bars(report, "NV12, exact", (640, 480), InputSpec(240, 240))
    bars(report, "NV12, much too large", (1280, 720), InputSpec(224, 224))
    bars(report, "another shape", (640, 480), InputSpec(224, 224), scaled=False)
    refusals(report)
    report.check("without a name, picamera is taken", default_uri() == "picamera")


def details(report: Report) -> None:
    """What is followed, in px of a larger picture; the virtual scaler gives 320×240 beside 640×480."""
    sensor = {"PIVM_FORMATS": "1", "PYTHONPATH": f"{IO}/tests/pivm/sensor"}
    with environment(**sensor):
        for number, shows in enumerate(("patches", "bars")):
            same_place(report, number, shows)
        followed_and_masked(report)
    with environment(PYTHONPATH=sensor["PYTHONPATH"]):
        told = followed(SourceOptions(width=320, height=240, follows=lambda: True), lambda frame: True)
        report.check("one that is not YUV420 is left alone", told is not None and not told.details)


def same_place(report: Report, number: int, shows: str) -> None:
    code = [sys.executable, "-m", "tests.pivm.details_inside", str(number)]
    said = subprocess.run(code, cwd=IO, capture_output=True, text=True, timeout=2 * SLOW)
    found = json.loads(said.stdout.splitlines()[-1]) if said.stdout.strip() else {}
    larger = found.get("following") == "what is followed is cut from 640×480 px of the camera"
    report.check(f"{shows}: beside the preview there is a larger picture", larger, said.stderr[-800:])
    report.check(f"{shows}: a detail is the same place of it", found.get("apart") == [0, 0, 0], found)
    report.check(f"{shows}: it is not of one colour", found.get("levels", 0) > 100)


def followed_and_masked(report: Report) -> None:
    rect = Rect(100, 60, 80, 80)
    areas = ActiveAreas(Areas(masks=(Region(0, 0, 0.4375, 1),)))  # half of it
    options = SourceOptions(
        width=320,
        height=240,
        follows=lambda: True,
        boxes=lambda: (Box.around(rect, (320, 240)),),
        active_areas=areas,
    )
    frame = followed(options, lambda frame: bool(frame.details))
    report.check("what is followed comes with its frame", frame is not None)
    if frame is None:
        return
    detail = frame.details[0]
    shape, base = detail.picture.shape, detail.picture.base is frame.preview.base
    report.check(
        "in the camera's own px", (detail.rect, shape, base) == (rect, (160, 160, 3), True), detail.rect, shape
    )
    hidden, shown = detail.picture[:, :84], detail.picture[:, 84:]
    report.check("a mask is black in it", hidden.max() == 0 and frame.preview[:, :140].max() == 0)
    report.check("and nothing else is", shown.max() > 100, shown.max())


def followed(options: SourceOptions, is_it: Callable[[Frame], bool]) -> Frame | None:
    with opened("picamera:1", options) as source:
        return next((frame for frame in islice(source, 100) if is_it(frame)), None)


def bars(report: Report, how: str, size: tuple[int, int], spec: InputSpec, scaled: bool = True) -> None:
    """The second virtual camera shows eight bars in BT.601: white, yellow, cyan, green, magenta, red, blue, black."""
    options = SourceOptions(input=spec, width=size[0], height=size[1])
    with opened("picamera:1", options) as source:
        frame = list(islice(source, 2))[-1]
    height, width, _ = frame.preview.shape
    crop = crop_of(spec, height, width)
    report.check(f"{how}: size and crop", ((width, height), frame.crop) == (size, crop), frame.crop)
    seen = [tuple(int(v) for v in frame.preview[height // 2, (2 * n + 1) * width // 16]) for n in range(8)]
    report.check(f"{how}: the preview is RGB", primaries(seen) >= {"red", "green", "blue"}, seen)
    age_ms = (time.monotonic_ns() - frame.captured_ns) / 1e6
    report.check(f"{how}: times are true", 0 < frame.capture_ms < age_ms < 20_000, frame.capture_ms, age_ms)
    model_input = frame.model_input
    report.check(f"{how}: the scaler gives the model's input: {scaled}", (model_input is not None) is scaled)
    if model_input is None:
        return
    # the same places of the scene in both pictures: the model's input is the crop of the preview; where bars meet they
    # differ, since the virtual camera moves the bars of each stream by a pixel of its own with every frame
    columns = range(4, spec.width, 8)
    there = frame.preview[height // 2, [crop.x + round((x + 0.5) * crop.width / spec.width) for x in columns]]
    apart = np.abs(there.astype(int) - model_input[spec.height // 2, list(columns)].astype(int)).max(axis=1)
    report.check(f"{how}: it is the crop, in the same colours", (apart < 24).mean() >= 0.75, apart.tolist())


def primaries(colours: list[tuple[int, ...]]) -> set[str]:
    names = {(True, False, False): "red", (False, True, False): "green", (False, False, True): "blue"}
    return {names[key] for colour in colours if (key := tuple(part > 110 for part in colour)) in names}


def refusals(report: Report) -> None:
    report.check("a wrong number is refused", "there is no camera 7; picamera2 finds" in refusal("picamera:7"))
    with environment(LIBCAMERA_PIPELINES_MATCH_LIST="none"):
        report.check("a machine without a camera says so", "finds no camera" in refusal("picamera"))


def refusal(uri: str) -> str:
    try:
        with open_source(uri):
            return ""
    except SourceError as error:
        return str(error)


def picamera_lost(report: Report) -> None:
    source = open_source("picamera:1")
    with source:
        frames = iter(source)
        next(frames)
        STALL.touch()
        began = time.monotonic()
        said = ending(frames, SourceLost)
        report.check("a stalled camera is lost", "no picture for" in said, said, f"{time.monotonic() - began:.1f} s")
    STALL.unlink()
    with source:
        frames = iter(source)
        report.check("and can be opened again", next(frames).seq == 0)
        os.kill(int(sh("pgrep -f [p]icamera.child").split()[0]), signal.SIGKILL)
        said = ending(frames, SourceLost)
        report.check("a killed camera process is a lost camera", "SIGKILL" in said, said)
    with source:
        report.check("which can be opened again, too", next(iter(source)).seq == 0)
        STALL.touch()
        began = time.monotonic()
    took = time.monotonic() - began
    STALL.unlink()
    report.check("leaving a stalled camera takes no time", took < 2, f"{took:.2f} s")
    report.check("no process is left behind", sh("pgrep -f [p]icamera.child") == "", sh("pgrep -af [p]icamera.child"))


def ending(frames: Iterator[object], expected: type[Exception]) -> str:
    try:
        for _ in frames:
            continue
    except expected as error:
        return str(error)
    return "it ended without a word"


def v4l2(report: Report) -> None:
    # a capture node, a VBI node and an output node
    sh("/usr/lib/systemd/systemd-udevd --daemon; modprobe vivid n_devs=1 node_types=0x105; udevadm settle")
    found = [device.path for device in capture_devices()]
    report.check("only the capture node is a camera", found == ["/dev/video0"], found, sh("ls /dev/video* /dev/vbi*"))
    with environment(LIBCAMERA_PIPELINES_MATCH_LIST="none"):
        report.check("without a Pi's camera it is taken", default_uri() == "v4l2:/dev/video0")
    source = open_source("/dev/video0", SourceOptions(width=640, height=360))
    with source:
        frames = iter(source)
        some = list(islice(frames, 10))
        frame = some[-1]
        seen = [tuple(int(v) for v in frame.preview[300, x]) for x in range(40, 640, 80)]
        report.check("its bars are RGB", seen[5][0] > 150 > 40 > max(seen[5][1:]), seen)
        took_ms = [frame.capture_ms for frame in some]  # vivid is ahead of itself now and then, which counts as 0
        report.check("frames carry the driver's time", 0 < max(took_ms) < 5000 and min(took_ms) >= 0, took_ms)
        sh("v4l2-ctl -d0 -c percentage_of_dropped_buffers=100")
        began = time.monotonic()
        said = ending(frames, SourceLost)
        report.check(
            "a silent device is lost after 2 s", "gives no pictures" in said and time.monotonic() - began < 8, said
        )
    sh("v4l2-ctl -d0 -c percentage_of_dropped_buffers=0")
    with source:
        frames = iter(source)
        report.check("it opens again", next(frames).seq == 0)
        (VIVID / "unbind").write_text("vivid.0")
        report.check("an unplugged device is lost", "gives no pictures" in ending(frames, SourceLost))
        said = refusal("/dev/video0")
        report.check("meanwhile it is not there", "there is no device /dev/video0" in said, said)
        (VIVID / "bind").write_text("vivid.0")
        sh("udevadm settle")
    with source:
        report.check("replugged it opens by its socket's name", next(iter(source)).seq == 0, source._path)  # type: ignore[attr-defined]


def daemon(report: Report) -> None:
    log = IO / "daemon.log"
    size = ("--set", "camera.width=640", "--set", "camera.height=480")
    shown = ("--log", "json", "--emit", "all")
    vitcam = ("/opt/venv/bin/vitcam", "run", "--source", "picamera:1", "--model", f"{IO}/model.tflite")
    command = [*vitcam, *shown, *size]
    with log.open("w") as errors:
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    report.check(
        "it classifies the virtual camera", eventually(lambda: state().get("status") == "ok", 2 * SLOW), state()
    )
    first = json.loads(running.stdout.readline()) if running.stdout else {}
    report.check("predictions go to stdout", first.get("type") == "prediction" and len(first["top"]) == 5, first)
    report.check("its snapshot shows the bars", snapshot_bars() >= {"red", "green", "blue"}, snapshot_bars())
    STALL.touch()
    report.check("a stall is no signal", eventually(lambda: state().get("status") == "no_signal", SLOW), state())
    report.check(
        "the reason is a sentence", "no picture" in str(state().get("reason")) or "camera" in str(state().get("reason"))
    )
    report.check("a card is shown meanwhile", eventually(lambda: snapshot_bars() == set(), SLOW), snapshot_bars())
    STALL.unlink()
    report.check("the picture comes back", eventually(lambda: state().get("status") == "ok", 2 * SLOW), state())
    report.check("and the bars with it", eventually(lambda: snapshot_bars() >= {"red", "green", "blue"}, SLOW))
    end(report, running, "while the camera runs")
    report.check("without a traceback", "Traceback" not in log.read_text(), log.read_text()[-2000:])
    with log.open("w") as errors:
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, text=True)
    eventually(lambda: state().get("status") == "ok", 2 * SLOW)
    STALL.touch()
    time.sleep(0.5)
    end(report, running, "while the camera hangs")
    STALL.unlink()
    gone = eventually(lambda: sh("pgrep -f [p]icamera.child") == "", 20)
    report.check("its camera process is gone, too", gone, sh("pgrep -af [p]icamera.child"))


def end(report: Report, running: "subprocess.Popen[str]", when: str) -> None:
    began = time.monotonic()
    running.terminate()
    try:
        rest, _ = running.communicate(timeout=SLOW)
    except subprocess.TimeoutExpired:
        running.kill()
        rest, _ = running.communicate()
    took = time.monotonic() - began
    report.check(
        f"SIGTERM ends it within 2 s {when}", running.returncode == 0 and took < 2, f"{took:.2f} s", running.returncode
    )
    if rest:
        report.check("the last line is a summary", json.loads(rest.splitlines()[-1]).get("type") == "summary")


def state() -> dict[str, object]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/api/state", timeout=20) as reply:
            found: dict[str, object] = json.load(reply)
            return found
    except (OSError, ValueError):
        return {}


def snapshot_bars() -> set[str]:
    """The primaries in a row of the snapshot."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/snapshot.jpg?overlay=none", timeout=30) as reply:
            jpeg = reply.read()
    except urllib.error.HTTPError as error:  # the card comes with 503
        jpeg = error.read()
    bgr = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    height, width = bgr.shape[:2]
    row = bgr[height // 2, [(2 * n + 1) * width // 16 for n in range(8)], ::-1]
    return primaries([tuple(int(v) for v in colour) for colour in row])


def main(chosen: list[str]) -> int:
    report = Report()
    STALL.parent.mkdir(exist_ok=True)
    parts = (stand_in_is_true, picamera, details, picamera_lost, v4l2, daemon)
    for part in [part for part in parts if part.__name__ in chosen or not chosen]:
        print(f"-- {part.__name__}", flush=True)
        try:
            part(report)
        except Exception as error:  # noqa: BLE001 - the other parts shall be tried all the same
            report.check(f"{part.__name__} ran to its end", False, repr(error))
    print(f"{report.failed} failed", flush=True)
    return int(report.failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
