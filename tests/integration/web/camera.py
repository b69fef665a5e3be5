"""Stand-ins for a pipeline and for clients: numbered frames at a steady pace, and sockets that read when told to."""

import contextlib
import math
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from tests import frames
from tests.eventually import eventually
from vitcam.daemon.classifiers import PhotoClassifier
from vitcam.frames import Frame, Group, Guess, Image, Prediction, Shown
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import zone_rect
from vitcam.model.attention.packed import pack
from vitcam.model.card import ModelCard
from vitcam.model.record import ModelInfo
from vitcam.model.runtime import RuntimeInfo
from vitcam.parts import PARTS
from vitcam.pictures.decode import Decoded, decode
from vitcam.pictures.resize import InputSpec, crop_of, rect_of
from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.rects import Box, Rect
from vitcam.run_model import RunModel
from vitcam.slot import Current, Slot
from vitcam.sources.active_crop import ActiveCrop
from vitcam.state import Counts, FollowedState, History, State, Status, ZoneRate
from vitcam.web.given import WebParts
from vitcam.web.server import WebServer
from vitcam.web.stream.variant import Demand

MODEL = ModelInfo(
    ModelCard("toy", "for a test", InputSpec(64, 64), {"probabilities": 0}, 16, (4, 4), 3, 2, 48, 1000),
    ("cup", "cat"),
    gives=frozenset(),
    by_familiarity=False,
    threshold=0.5,
    runtime=RuntimeInfo("none", "0", 1, 1, 0),
)


@cache
def _noisy_picture(seed: int, noise: float) -> Image:
    """1280×720, a gradient with noise; all cameras share it."""
    ramp = np.linspace(40, 200, 1280, dtype=np.float32)[None, :, None] * np.ones((720, 1, 3), np.float32)
    blocks = np.random.default_rng(seed).normal(0, noise, (720, 1280, 1))
    picture = np.clip(ramp + blocks, 0, 255).astype(np.uint8)
    picture.flags.writeable = False
    return picture


def classify(_: Image) -> Prediction:
    """A prediction for every photo."""
    return frames.prediction("cat", cup=0.05)


ATTENTION = pack([np.full((3, 17, 17), 1 / 17, np.float32)] * 2, (4, 4))
"""Of the toy: every token looks at all others alike."""


@dataclass(frozen=True)
class Photos:
    """Answers uploaded photos as `PhotoClassifier` does, without a model and without a decoder process."""

    classify: Callable[[Image], Prediction] = classify
    decode: Callable[[bytes], Decoded] = decode
    explain: Callable[[Decoded], Image] = lambda photo: photo.image
    attention: Callable[[Decoded], bytes] = lambda _: ATTENTION


PHOTOS = Photos()


@dataclass(frozen=True)
class Followed:
    """Something that moves, and what it is taken for."""

    rect: Rect
    """In the preview of 1280×720 px."""
    label: str = "cup"
    p: float = 0.8
    known: bool = True
    zone: str | None = None


class Camera:
    """Publishes numbered frames from a thread of its own; `noise` decides how large their JPEGs are."""

    def __init__(self, fps: float = 30.0, noise: float = 30.0, grid: tuple[int, int, int] = (3, 4, 4)) -> None:
        self.latest: Slot[ClassifiedFrame] = Slot()
        self.predicted: Slot[Prediction] = Slot()
        self.seq = 0
        self.label, self.p, self.known = "cup", 0.9, True
        self.others = {"cat": 0.05}
        self.blank = False
        self.group: Group | None = None
        self.headline: Shown | None = None
        self.active_crop = ActiveCrop()
        self.active_areas = ActiveAreas()
        self.labels: dict[str, str] = {}
        self.followed: dict[int, Followed] | None = None
        """By track; None: nothing is followed, whatever moves."""
        self.status: Status = "ok"
        self.reason = ""
        self.troubles: tuple[str, ...] = ()
        """What else is wrong: the status is `degraded` while there is a picture."""
        self.notices: tuple[str, ...] = ()
        self.paused = False
        self.problem: str | None = None
        self.of_parts = {key: kind() for part in PARTS for key, kind in part.state.items()}
        """Of `/api/state`: what each part says."""
        self.history = History()
        self.resting_since: str | None = None
        self.turned = False
        self.demand = Demand()
        self.explained = 0
        self._fps = fps
        self._attention = np.linspace(0, 1, math.prod(grid), dtype=np.float32).reshape(grid)
        self._pictures = [_noisy_picture(seed, noise) for seed in range(4)]
        self._publishing = threading.Lock()
        self._running = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self.publish()
        self._running.set()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._running.set()
        self._thread.join(5)

    def state(self) -> State:
        frames = Counts(captured=self.seq, classified=self.seq)
        follows = self.followed is not None
        zones = {each.name: ZoneRate(self._fps, follows) for each in self.active_areas.areas.zones}
        following = tuple(
            FollowedState(track, what.zone, str(Box.around(what.rect, (1280, 720))), 3.0)
            for track, what in (self.followed or {}).items()
        )
        reasons = (*filter(None, (self.reason,)), *self.troubles)
        status: Status = "degraded" if self.status == "ok" and reasons else self.status
        state = State(status, "; ".join(reasons), 1.0, "test", "toy", frames=frames, zones=zones, parts=self.of_parts)
        return replace(
            state,
            reasons=reasons,
            notices=self.notices,
            problem=self.problem,
            history=self.history,
            follows=follows,
            following=following,
            paused=self.paused,
            resting_since=self.resting_since,
        )

    def pause(self, paused: bool) -> bool:
        """As a broker or the page asks for it."""
        self.paused = paused
        return True

    def parts(self, model: ModelInfo = MODEL, photos: Photos = PHOTOS, **others: Any) -> WebParts:
        """What a web server shows of it. others: as in `WebParts`."""
        words = others.pop("words", None)
        loaded: Current[RunModel] = Current(RunModel(Any, model, "toy", words=words))  # type: ignore[arg-type]
        backend = cast(PhotoClassifier, photos)
        return WebParts(self.latest, self.predicted, self.state, loaded, backend, demand=self.demand, **others)

    def lose_signal(self, reason: str) -> None:
        """Publish nothing more, as if the cable were disconnected."""
        self.freeze()
        self.status, self.reason = "no_signal", reason

    def freeze(self) -> None:
        """Publish nothing more although all is well, as a folder of pictures at its end."""
        with self._publishing:
            self._running.clear()

    def find_signal(self) -> None:
        """Publish again."""
        self.status, self.reason, self.problem = "ok", "", None
        self.troubles = self.notices = ()
        self._running.set()

    def wait_for_frames(self, count: int) -> None:
        """Return once so many more were published."""
        enough = self.seq + count
        assert eventually(lambda: self.seq >= enough), self.seq

    def publish(self) -> None:
        """One frame, now."""
        picture = self._pictures[self.seq % len(self._pictures)]
        frame = frames.frame(self.seq, picture.transpose(1, 0, 2) if self.turned else picture)
        frame = replace(frame, crop=self._seen(*frame.preview.shape[:2]))
        prediction = frames.prediction(self.label, self.p, at_ns=frame.captured_ns, seq=self.seq, **self.others)
        prediction = replace(
            prediction,
            size=frame.preview.shape[1::-1],
            crop=frame.crop,
            known=self.known,
            blank=self.blank,
            unfamiliar=not self.known and not self.blank,
            groups=() if self.group is None else (self.group,),
            headline=self.headline,
            familiarity=0.9 if self.known else 0.2,
            certainty=2.2 if self.known else -1.4,
            attention=self._attention,
            rollout=self._rollout(),
        )
        pair = self._by_place(frame, prediction)
        for look in pair.looks or (prediction,):
            self.latest.put(pair)
            self.predicted.put(look)
        self.seq += 1

    def _by_place(self, frame: Frame, prediction: Prediction) -> ClassifiedFrame:
        """What viewers get of the whole view or of zones, and of what is followed."""
        followed = self.followed or {}
        if not followed and not self.active_areas.areas.zones:
            return ClassifiedFrame(frame, prediction)
        boxes = [_look(prediction, track, what) for track, what in followed.items()]
        looks = [*(self._in_zones(frame, prediction) or [prediction]), *boxes]
        front = next((look for look in boxes if look.told.label is not None), looks[0])
        seen = {look.track: frame.part(look.crop) for look in boxes if look.track is not None}
        return ClassifiedFrame(frame, front, tuple(looks), seen)

    def _in_zones(self, frame: Frame, prediction: Prediction) -> list[Prediction]:
        """`labels` says what each zone shows."""
        height, width = frame.preview.shape[:2]
        made: list[Prediction] = []
        for zone in self.active_areas.areas.zones:
            label = self.labels.get(zone.name, self.label)
            best = replace(prediction.top[0], label=label)
            crop = zone_rect(zone.region, height, width)
            made.append(replace(prediction, zone=zone.name, crop=crop, top=(best, *prediction.top[1:])))
        return made

    def freeze_picture(self) -> None:
        """Publish the same picture again and again."""
        del self._pictures[1:]

    def _seen(self, height: int, width: int) -> Rect:
        region = self.active_crop.region
        return crop_of(InputSpec(64, 64), height, width, None if region is None else rect_of(region, height, width))

    def _rollout(self) -> NDArray[np.float32] | None:
        """(4, 4), hot only in the lower right corner; None unless it was asked for."""
        if not self.demand.explanation:
            return None
        self.explained += 1
        rollout = np.zeros((4, 4), np.float32)
        rollout[-1, -1] = 1
        return rollout

    def _run(self) -> None:
        while not self._ended.wait(1 / self._fps):
            self._running.wait()
            with self._publishing:
                if self._running.is_set():
                    self.publish()


def _look(view: Prediction, track: int, what: Followed) -> Prediction:
    best = Guess(what.label, what.p)
    look = replace(view, zone=what.zone, track=track, crop=what.rect, top=(best, Guess("cat", 0.01)))
    return replace(look, known=what.known, unfamiliar=not what.known, blank=False, headline=None)


class Client:
    """An HTTP client, which reads only when told to.

    window   bytes that its kernel keeps for it; None: the system's default
    address  what it comes from; all of 127.0.0.0/8 is this machine's
    """

    def __init__(
        self,
        server: WebServer,
        target: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] = MappingProxyType({}),
        read: bool = True,
        window: int | None = None,
        address: str = "127.0.0.1",
    ) -> None:
        host = server.url.removeprefix("http://")
        name, port = host.split(":")
        self._socket = socket.socket()
        self._socket.bind((address, 0))
        self._socket.settimeout(10)
        if window is not None:
            self.shrink_buffer(window)
        self._socket.connect((name, int(port)))
        lines = [f"{method} {target} HTTP/1.1", *(f"{k}: {v}" for k, v in {"Host": host, **headers}.items())]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self._file = self._socket.makefile("rb")
        self.status, self.headers = 0, dict[str, str]()
        if read:
            self.read_head()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._socket.close()

    def read_head(self) -> None:
        """Status and headers of the answer."""
        self.status = int(self._file.readline().split()[1])
        self.headers = self.read_headers()

    def read_headers(self) -> dict[str, str]:
        """Up to the empty line."""
        headers = {}
        while (line := self._file.readline().decode("ascii").rstrip("\r\n")) != "":
            name, _, value = line.partition(": ")
            headers[name] = value
        return headers

    def read_part(self) -> tuple[dict[str, str], bytes]:
        """The next part of a stream: its headers and its JPEG."""
        while not self._file.readline().startswith(b"--"):
            pass
        headers = self.read_headers()
        return headers, self._file.read(int(headers["Content-Length"]))

    def read_event(self) -> dict[str, str]:
        """The next server-sent event, comments and settings left out."""
        while True:
            fields = self.read_headers()
            if "data" in fields:
                return fields

    def shrink_buffer(self, size: int) -> None:
        """Let the kernel keep less for this client, in bytes."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)

    def read_body(self) -> bytes:
        """The body of an answer that says how long it is."""
        return self._file.read(int(self.headers["Content-Length"]))

    def wait_for_end(self) -> None:
        """Read until the server ends the connection."""
        with contextlib.suppress(ConnectionResetError):
            while self._file.read(65536):
                pass
