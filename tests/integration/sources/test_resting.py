"""A camera that rests while nothing moves: its real source and decoder, a pipeline, and a model that only counts."""

import itertools
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.bench.still_cameras import jpeg as still_jpeg
from tests.bench.still_cameras import usb_mjpeg
from tests.daemon import daemon
from tests.eventually import eventually
from tests.frames import prediction
from tests.http_camera import MULTIPART, has_left, part, server
from tests.integration.sources.conftest import Machine
from vitcam.frames import Frame, Image, Prediction
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import NO_AREAS, Areas
from vitcam.look.motion import GateOptions, MotionGate
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import UPRIGHT, Orientation, Region
from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline
from vitcam.sources import SourceOptions, open_source

SPEC = InputSpec(64, 64)
HEIGHT, WIDTH = 360, 640
REST_S = 0.8
GATE = GateOptions(hold_s=0.5, rest_s=REST_S)
LIMIT_S = 0.25


def scene(noise: int = 0, thing: tuple[int, int] | None = None) -> Image:
    """(HEIGHT, WIDTH, 3): gradients with a sensor's noise; `thing`: where a bright square stands."""
    across, down = np.meshgrid(np.linspace(60, 160, WIDTH), np.linspace(-20, 40, HEIGHT))
    picture = np.stack([across + down, across, across - down], axis=2)
    picture += np.random.default_rng(noise).normal(0, 2, picture.shape)
    if thing is not None:
        picture[thing[1] : thing[1] + 60, thing[0] : thing[0] + 60] = (230, 60, 40)
    return picture.clip(0, 255).astype(np.uint8)


def jpegs(thing: tuple[int, int] | None = None) -> list[bytes]:
    """The scene with changing noise, as a camera sends it."""
    pictures = (cv2.cvtColor(scene(number, thing), cv2.COLOR_RGB2BGR) for number in range(6))
    return [bytes(cv2.imencode(".jpg", each, [cv2.IMWRITE_JPEG_QUALITY, 85])[1]) for each in pictures]


class Camera:
    """Sends what it is told to, 15 pictures a second."""

    def __init__(self) -> None:
        self.shows = jpegs()
        self.first_ns = 0
        """When the first picture was sent of what it shows now."""

    def show(self, pictures: list[bytes]) -> None:
        self.first_ns, self.shows = 0, pictures

    def answer(self, connection: socket.socket, request: bytes) -> None:
        connection.sendall(MULTIPART)
        for number in itertools.count():
            shown = self.shows
            connection.sendall(part(shown[number % len(shown)]))
            self.first_ns = self.first_ns or time.monotonic_ns()
            if has_left(connection, 1 / 15):
                return


class Run:
    """A pipeline on a source."""

    def __init__(self, uri: str, areas: Areas = NO_AREAS, orientation: Orientation = UPRIGHT) -> None:
        self.looks: list[tuple[int, Frame]] = []
        """When each look was over, and its frame."""
        self.rested: list[Frame] = []
        self.worked_ns: list[int] = []
        """Capture times of the frames of which it is said that all stages worked on them."""
        self.areas = ActiveAreas(areas)
        options = PipelineOptions(
            "camera", "model", gate=MotionGate(GATE), areas=self.areas, input=SPEC, rested=self._rested,
            worked=self.worked_ns.append,
        )  # fmt: skip
        self.pipeline = Pipeline(options, self._classify, lambda *_: None)
        self._options = SourceOptions(
            input=SPEC,
            width=WIDTH,
            height=HEIGHT,
            orientation=orientation,
            active_areas=self.areas,
            wanted=self.pipeline.wants_frame,
            rests=lambda: self.pipeline.rests,
            compares=lambda: self.pipeline.compares,
            moves=self.pipeline.moves,
        )
        self._uri = uri

    def __enter__(self) -> "Run":
        self.pipeline.start(lambda: open_source(self._uri, self._options))
        return self

    def __exit__(self, *_: object) -> None:
        assert self.pipeline.stop(10)

    def _classify(self, frame: Frame) -> Prediction:
        self.looks.append((time.monotonic_ns(), replace(frame, preview=frame.preview.copy())))
        return replace(prediction(), seq=frame.seq, captured_ns=frame.captured_ns)

    def _rested(self, frame: Frame, _: Prediction) -> None:
        self.rested.append(replace(frame, preview=frame.preview.copy()))

    def rests(self) -> bool:
        return self.pipeline.resting.since_ns is not None and self.pipeline.resting._compared > 5

    def wait_for_rest(self) -> None:
        assert eventually(self.rests, 20), self.pipeline.state()


def pictures_of(run: Run, seconds: float) -> list[ClassifiedFrame]:
    """What a viewer is given in a time."""
    found, ends_s = list[ClassifiedFrame](), time.monotonic() + seconds
    while time.monotonic() < ends_s:
        if (newer := run.pipeline.latest.get(run.pipeline.latest.version, 1)) is not None:
            found.append(newer[1])
    return found


@pytest.fixture
def camera() -> Iterator[tuple[Camera, str]]:
    camera = Camera()
    with server(camera.answer) as port:
        yield camera, f"http://127.0.0.1:{port}/stream"
        camera.show([])


def test_a_still_camera_is_looked_at_seldom_and_what_appears_at_once(camera: tuple[Camera, str]) -> None:
    sends, uri = camera
    with Run(uri) as run:
        run.wait_for_rest()
        before, skipped = len(run.looks), run.pipeline.state().frames
        time.sleep(3 * REST_S)
        at_rest, state = len(run.looks) - before, run.pipeline.state()
        sends.show(jpegs((300, 150)))
        assert eventually(lambda: any(_shows(frame, 300, 150) for _, frame in run.looks), 5)
        looked_ns = next(at_ns for at_ns, frame in run.looks if _shows(frame, 300, 150))

    assert 2 <= at_rest <= 4
    assert (state.status, state.reason) == ("ok", "")
    assert state.resting_since is not None
    assert state.frames.skipped - skipped.skipped > 20  # they count neither as lost nor as dropped
    assert state.frames.dropped - skipped.dropped <= 2
    assert (looked_ns - sends.first_ns) / 1e9 < LIMIT_S
    assert run.pipeline.state().resting_since is None


def test_clips_and_the_watch_of_the_camera_get_two_whole_masked_pictures_a_second_at_rest(
    camera: tuple[Camera, str],
) -> None:
    _, uri = camera
    with Run(uri, Areas(masks=(Region(0, 0, 0.25, 1),))) as run:
        run.wait_for_rest()
        run.rested.clear()
        run.looks.clear()
        time.sleep(2)
        found = [*run.rested, *(frame for _, frame in run.looks)]
        parts = len(run.rested), len(run.looks)

    assert 3 <= len(found) <= 6
    assert min(parts) > 0
    assert not {frame.captured_ns for frame in run.rested} & {*run.worked_ns}  # the model saw none of them
    assert all(frame.preview.shape == (HEIGHT, WIDTH, 3) for frame in found)
    assert all(not frame.preview[:, : WIDTH // 4].any() for frame in found)


@pytest.mark.parametrize("turned", [UPRIGHT, Orientation.of(180, "none")])
def test_what_moves_behind_a_mask_wakes_nobody(camera: tuple[Camera, str], turned: Orientation) -> None:
    sends, uri = camera
    hidden = Region(0, 0, 0.5, 1) if turned == UPRIGHT else Region(0.5, 0, 0.5, 1)
    with Run(uri, Areas(masks=(hidden,)), turned) as run:
        run.wait_for_rest()
        since_ns = run.pipeline.resting.since_ns
        sends.show(jpegs((200, 150)))
        time.sleep(1.5)
        after_ns = run.pipeline.resting.since_ns
        sends.show(jpegs((400, 150)))
        woke = eventually(lambda: run.pipeline.resting.since_ns != after_ns, 5)

    assert after_ns == since_ns
    assert woke


def test_a_mask_that_is_drawn_at_rest_is_in_every_picture_from_then_on(camera: tuple[Camera, str]) -> None:
    _, uri = camera
    with Run(uri) as run:
        run.wait_for_rest()
        run.areas.attach(run.pipeline)
        run.areas.replace(Areas(masks=(Region(0, 0, 0.25, 1),)))
        run.rested.clear()
        run.looks.clear()
        assert eventually(lambda: len(run.looks) > 2, 5)
        found = [frame for _, frame in run.looks] + run.rested

    assert all(not frame.preview[:, : WIDTH // 4].any() for frame in found)


def test_a_camera_that_freezes_at_rest_is_noticed_and_the_watchdog_is_fed(camera: tuple[Camera, str]) -> None:
    sends, uri = camera
    with Run(uri) as run:
        run.pipeline.frozen.watch(3)
        run.wait_for_rest()
        sends.show(jpegs()[:1])
        frozen = eventually(lambda: run.pipeline.frozen.since_ns is not None, 15)
        beat_ns = run.pipeline.heartbeats().capture_ns

    assert frozen
    assert beat_ns is not None
    assert time.monotonic_ns() - beat_ns < 5e9


def test_a_viewer_gets_four_pictures_a_second_at_rest_with_the_last_answer_and_all_once_something_moves(
    camera: tuple[Camera, str],
) -> None:
    sends, uri = camera
    with Run(uri) as run:
        run.wait_for_rest()
        watching = run.pipeline.latest.subscribe(lambda: None)
        at_rest = pictures_of(run, 2)
        resting_since = run.pipeline.state().resting_since
        sends.show(jpegs((400, 150)))
        assert eventually(lambda: run.pipeline.resting.since_ns is None, 5)
        awake = pictures_of(run, 1)
        watching()

    assert 6 <= len(at_rest) <= 10
    assert all(each.prediction is not None for each in at_rest)
    assert resting_since is not None
    assert len(awake) > 6


def test_a_pi_camera_compares_its_small_stream(machine: Machine, tmp_path: Path) -> None:
    pictures = tmp_path / "pictures.npy"
    np.save(pictures, np.stack([scene(number) for number in range(6)]))
    moving = tmp_path / "moving.npy"
    machine.plays(fps=30, pictures=str(pictures), then=str(moving))
    with Run("picamera") as run:
        run.wait_for_rest()
        before = len(run.looks)
        time.sleep(2 * REST_S)
        at_rest = len(run.looks) - before
        np.save(tmp_path / "new.npy", np.stack([scene(number, (300, 150)) for number in range(6)]))
        (tmp_path / "new.npy").rename(moving)
        sent_ns = time.monotonic_ns()
        assert eventually(lambda: any(_shows(frame, 300, 150) for _, frame in run.looks), 5)
        looked_ns = next(at_ns for at_ns, frame in run.looks if _shows(frame, 300, 150))

    assert at_rest <= 3
    assert (looked_ns - sent_ns) / 1e9 < LIMIT_S + 0.3  # the stand-in reads its pictures first


@pytest.mark.long
def test_a_usb_camera_that_gives_jpeg_rests_and_wakes(tmp_path: Path) -> None:
    with (
        usb_mjpeg(tmp_path, 15) as usb,
        daemon(
            "--source", usb.source, "--set", "look.rest=1", "--set", "motion.hold_s=1", **usb.environment
        ) as running,
    ):
        running.wait_for("ok")
        rests = eventually(lambda: running.state()["resting_since"] is not None, 30)
        time.sleep(2)
        before = running.state()["frames"]
        time.sleep(3)
        after, state = running.state()["frames"], running.state()
        film = Path(usb.environment["CAMERA_FILE"])
        with film.open("r+b") as file:  # in place: the camera has it mapped
            file.write(b"".join(_white(film, usb.environment)))
        woke = eventually(lambda: running.state()["resting_since"] is None, 5)

    assert rests
    assert after["classified"] - before["classified"] <= 5
    assert after["skipped"] - before["skipped"] > 25
    assert state["status"] == "ok"
    assert woke


def _white(film: Path, environment: Mapping[str, str]) -> list[bytes]:
    """As many pictures of the same bytes each as the film has, which show something else."""
    room = int(environment["CAMERA_JPEG"])
    white = still_jpeg(np.full((720, 1280, 3), 250, np.uint8))
    return [white.ljust(room, b"\0")] * (film.stat().st_size // room)


def _shows(frame: Frame, x: int, y: int) -> bool:
    """Whether the bright square is there."""
    red, _, blue = frame.preview[y + 20 : y + 40, x + 20 : x + 40].reshape(-1, 3).mean(axis=0)
    return bool(red - blue > 100)
