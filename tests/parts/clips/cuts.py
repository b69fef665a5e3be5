"""Clips for tests: numbered pictures in memory, a history, and what ffprobe says of a file."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.frames import SECOND, frame
from tests.histories import change
from tests.needs import need_program
from vitcam.frames import Event, Frame, Image
from vitcam.history.store import EventStore
from vitcam.history.stored import Query, StoredEvent
from vitcam.parts.clips.ring import Cut, Still
from vitcam.pictures.encode import encode_jpeg


class ClipHistory:
    """A history in which some events began, and what it says of their clips."""

    def __init__(self, folder: Path, *event_ids: str) -> None:
        self.store = EventStore(folder)
        for event_id in event_ids:
            self.store.put(change(event_id, "new"))

    @property
    def clips(self) -> dict[str, str]:
        """The file of each event that has one."""
        return {event.id: event.clip for event in self._events() if event.clip}

    @property
    def left_out(self) -> dict[str, str]:
        """Why an event has none."""
        return {event.id: event.actions[0].detail for event in self._events() if event.actions}

    def _events(self) -> Sequence[StoredEvent]:
        return self.store.find(Query()).events


@contextmanager
def a_history(folder: Path, *event_ids: str) -> Iterator[ClipHistory]:
    """One that is written while it is open."""
    history = ClipHistory(folder, *event_ids)
    history.store.start()
    try:
        yield history
    finally:
        history.store.stop(5)


def shade(number: int, height: int = 72, width: int = 128) -> Image:
    """(height, width, 3) uint8: a grey that says which picture it is."""
    return np.full((height, width, 3), number % 256, np.uint8)


def frame_at(seconds: float, image: Image | None = None) -> Frame:
    """A frame captured at that monotonic time."""
    return replace(frame(image=image), captured_ns=round(seconds * SECOND))


def event(phase: str, start_s: float, end_s: float | None = None, **others: Any) -> Event:
    """An event of a cup."""
    end_ns = None if end_s is None else round(end_s * SECOND)
    fields = {"id": "01EVENT", "label": "cup", "p": 0.9, "camera": "test"} | others
    return Event(phase=phase, start_ns=round(start_s * SECOND), end_ns=end_ns, **fields)  # type: ignore[arg-type]


def cut_of(seconds: float, event_id: str = "01EVENT", fps: float = 10.0, height: int = 72, width: int = 128) -> Cut:
    """A clip whose pictures get brighter from one to the next."""
    count = round(seconds * fps)
    stills = [
        Still(round(index * SECOND / fps), encode_jpeg(shade(255 * index // count, height, width), 75))
        for index in range(count)
    ]
    return Cut(event_id, tuple(stills), round(seconds * SECOND))


@cache
def _ten_minutes() -> Cut:
    """Its pictures take seconds to make."""
    return cut_of(600.0, fps=1.0, height=720, width=1280)


def slow_cut(event_id: str = "01EVENT") -> Cut:
    """A clip that takes the encoder long."""
    return replace(_ten_minutes(), event_id=event_id)


def probed(clip: Path) -> dict[str, Any]:
    """What ffprobe says of the one stream of a file; `keyframes` are times in s."""
    asked = ["-show_entries", "stream=codec_name,pix_fmt,width,height,duration,nb_frames:packet=pts_time,flags"]
    command = [need_program("ffprobe"), "-v", "error", *asked, "-of", "json", str(clip)]
    found = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    keyframes = [float(packet["pts_time"]) for packet in found["packets"] if "K" in packet["flags"]]
    return {**found["streams"][0], "keyframes": keyframes}
