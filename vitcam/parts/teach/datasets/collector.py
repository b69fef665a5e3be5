"""Collects varied pictures of what the camera sees now, under the label that a person gave them."""

import logging
import math
import threading
import time
from collections import deque
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError, VitcamError
from vitcam.frames import NO_MODEL, Event, Frame, Image, ModelIdentity, Prediction
from vitcam.parts.teach import THREADS
from vitcam.parts.teach.datasets.followed import FollowedThings
from vitcam.parts.teach.datasets.recordings import new_recording
from vitcam.parts.teach.datasets.store import MINE, DataSets
from vitcam.parts.teach.datasets.teachable import checked_label
from vitcam.parts.teach.settings import CollectSettings
from vitcam.pictures.encode import encode_jpeg
from vitcam.pictures.resize import shrunk
from vitcam.run.kinds import Configured, Runs, Sees
from vitcam.run.underway import Underway, Way
from vitcam.threads.worker import Worker

if TYPE_CHECKING:
    from vitcam.config.settings import Settings
    from vitcam.run.ending import Ending

log = logging.getLogger(__name__)

MOST_PICTURES, MOST_S = 500, 120.0  # of one recording
_USUAL_S = 10.0
_ALIKE = 0.985  # cosine of two embeddings
_STILL_S = 1.5  # so often a scene in which nothing changes is taken all the same: that it stays so is worth knowing
_LEAST_S = 0.08
_MOST_WAITING = 4
_LARGEST_PX = 640
QUALITY = 92
_WAIT_S = 0.25
_ENDS_LATER_S = 5.0  # a camera that gives no frame ends a recording, too


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be collected."""

    label: str
    dataset: str = MINE
    zone: str | None = None
    """None: any, and the whole view where there are no zones."""
    count: int | None = None
    """So many pictures; None: as many as come in `seconds`."""
    seconds: float | None = None
    whole: bool = False
    """Keep the whole frame beside each picture."""

    def __post_init__(self) -> None:
        checked_label(self.label)
        if self.count is not None and not 1 <= self.count <= MOST_PICTURES:
            raise UsageError(f"count is {self.count}; allowed is 1 to {MOST_PICTURES}")
        if self.seconds is not None and not 0 < self.seconds <= MOST_S:
            raise UsageError(f"seconds is {self.seconds:g}; allowed is more than 0, and {MOST_S:g} at most")

    @property
    def ends_after_s(self) -> float:
        """A count that does not come within two minutes is not waited for."""
        return self.seconds or (MOST_S if self.count is not None else _USUAL_S)


@dataclass(frozen=True, slots=True)
class Recorded:
    """How a recording is, or was."""

    active: bool = False
    dataset: str = ""
    label: str = ""
    recording: str = ""
    """The pictures are called `RECORDING-NUMBER.jpg`."""
    taken: int = 0
    alike: int = 0
    """Frames that were left out because they look like one that was taken."""
    left_s: float = 0.0
    trouble: str = ""
    """Why it ended early, as one sentence."""


@dataclass(slots=True, eq=False)
class _Collecting:
    wanted: Wanted
    name: str
    began_ns: int
    seen: list[NDArray[np.float32]]
    """Embeddings of what was taken, by one model."""
    model: ModelIdentity = NO_MODEL
    taken_ns: int = -(2**62)
    queued: int = 0
    handled: int = 0
    """Of these, as many as were written or dropped. Changed under the collector's lock."""
    taken: int = 0
    alike: int = 0
    ended: bool = False
    trouble: str = ""


class Collector(Runs, Sees, Configured):
    """One recording at a time; a thread of its own encodes and writes.

    data_sets  where pictures are kept
    """

    def __init__(self, data_sets: DataSets) -> None:
        self.data_sets = data_sets
        self._changed = threading.Condition()
        self._recording: _Collecting | None = None
        self._waiting: deque[tuple[_Collecting, str, Image, Image | None]] = deque()
        self._closed = False
        self.underway = Underway("a picture that was collected before is still being written")
        self._followed = FollowedThings()
        self.worker = Worker("collect", self._work, THREADS["collect"])

    @property
    def workers(self) -> tuple[Worker, ...]:
        return (self.worker,)

    def start(self) -> None:
        """Nothing: it begins with the first recording."""

    def stop(self, ending: "Ending") -> None:
        """Nothing: `close` has ended it."""

    def apply(self, new: "Settings") -> None:
        self.data_sets.max_mb = new[CollectSettings].max_mb

    def begin(self, wanted: Wanted) -> Recorded:
        """Begin a recording with the next frame; one that runs ends. Raises UsageError where there is no room."""
        self.data_sets.check_room(wanted.dataset, wanted.label)
        name = new_recording(datetime.now().astimezone())
        with self._changed:
            self._recording = _Collecting(wanted, name, time.monotonic_ns(), [])
        self.worker.start()
        return self.state()

    def end(self) -> Recorded:
        """End the recording; what was taken is kept."""
        with self._changed:
            if self._recording is not None:
                self._recording.ended = True
        return self.state()

    def state(self) -> Recorded:
        """Of the newest recording."""
        found = self._recording
        if found is None:
            return Recorded()
        over_s = (time.monotonic_ns() - found.began_ns) / 1e9
        left_s = max(0.0, found.wanted.ends_after_s - over_s)
        is_over = found.ended and found.handled >= found.queued
        active = not is_over and over_s < found.wanted.ends_after_s + _ENDS_LATER_S
        wanted = found.wanted
        return Recorded(
            active, wanted.dataset, checked_label(wanted.label), found.name, found.taken, found.alike,
            round(left_s, 1) if active else 0.0, found.trouble,
        )  # fmt: skip

    def saw(self, frame: Frame, prediction: Prediction, events: tuple[Event, ...]) -> None:
        """One frame was classified."""
        found = self._recording
        if found is None or found.ended or self._closed:
            return
        wanted = found.wanted
        if (frame.captured_ns - found.began_ns) / 1e9 > wanted.ends_after_s:
            found.ended = True
        elif frame.captured_ns < found.began_ns or wanted.zone not in (None, prediction.zone):
            return
        elif self._followed.is_shown(prediction):
            self._consider(found, frame, prediction)

    def _consider(self, found: _Collecting, frame: Frame, prediction: Prediction) -> None:
        wanted, since_s = found.wanted, (frame.captured_ns - found.taken_ns) / 1e9
        if since_s < _LEAST_S or len(self._waiting) >= _MOST_WAITING:
            return
        if prediction.model is not found.model:  # what another model answers cannot be compared
            found.model, found.seen = prediction.model, []
        if wanted.count != 1 and since_s < _STILL_S and is_alike(prediction.embedding, found.seen):
            found.alike += 1
            return
        if prediction.embedding is not None:
            found.seen.append(prediction.embedding.copy())
        found.taken_ns = frame.captured_ns
        found.queued += 1
        picture = f"{found.name}-{found.queued:03}.jpg"
        part = kept_part(frame, prediction)
        with self._changed:
            self._waiting.append((found, picture, part, frame.preview.copy() if wanted.whole else None))
            found.ended = found.ended or found.queued >= (wanted.count or MOST_PICTURES)
            self._changed.notify_all()

    def drop_pixels(self) -> None:
        """Masks were drawn: what waits was taken without them."""
        with self._changed:
            for found, *_ in self._waiting:
                found.handled += 1
            self._waiting.clear()
            self.underway.expire()

    def close(self, events: tuple[Event, ...]) -> None:
        """Nothing more will come."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _work(self) -> None:
        while not self._closed or self._waiting:
            self.worker.beat()
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed, _WAIT_S)
                if not self._waiting:
                    continue
                taken, way = self._waiting.popleft(), self.underway.begin()
            with way:
                self._keep(*taken, way)

    def _keep(self, found: _Collecting, picture: str, part: Image, whole: Image | None, way: Way) -> None:
        wanted = found.wanted
        try:
            frame = None if whole is None else encode_jpeg(whole, QUALITY)
            self.data_sets.add(wanted.dataset, wanted.label, picture, encode_jpeg(part, QUALITY), frame)
            if way.expired:
                self.data_sets.delete(wanted.dataset, wanted.label, picture)
                return
        except VitcamError as error:
            found.trouble, found.ended = error.sentence, True
            log.error("collecting %s ended: %s", wanted.label, error)
        else:
            found.taken += 1
        finally:
            with self._changed:
                found.handled += 1


def kept_part(frame: Frame, prediction: Prediction) -> Image:
    """(h, w, 3) uint8, RGB: a copy of what the model saw, at most 640 px wide and high."""
    seen = frame.part(prediction.crop)
    return shrunk(seen, min(1.0, _LARGEST_PX / max(seen.shape[:2]))).copy()


def is_alike(embedding: NDArray[np.float32] | None, others: list[NDArray[np.float32]]) -> bool:
    """Whether a picture looks like one of others.

    embedding, others  (D,); None: the model gives none, so nobody can say
    """
    if embedding is None or not others:
        return False
    matrix = np.stack(others)
    lengths = np.linalg.norm(matrix, axis=1) * (float(np.linalg.norm(embedding)) or math.inf)
    return bool((matrix @ embedding >= _ALIKE * lengths).any())
