"""Takes one frame through the daemon's parts, one after the other in one thread; runs in the guest of `frame.py`.

python frame_guest.py MODEL PICTURE.npy        PICTURE: (720, 1280, 3) uint8, RGB

A mark for insn.c lies around each part, wrapped from outside: the product has none. What is between the threads of a
daemon, handing over and waiting, is left out: it depends on the clock, which stands nearly still here.
"""

import contextlib
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vitcam.frames import Event, Frame, Prediction, Unreadable
from vitcam.look.active_areas import ActiveAreas
from vitcam.pictures.encode import encode_jpeg
from vitcam.pipeline.beats import Beats
from vitcam.pipeline.latest_frame import LatestFrame
from vitcam.pipeline.limits import PaceLimits
from vitcam.rects import Rect
from vitcam.sinks.sink import Summary
from vitcam.slot import Slot
from vitcam.sources.picamera.streams import GrantedStream, copy_preview
from vitcam.web.stream.encoder import draw
from vitcam.web.stream.variant import Variant
from vitcam.wire import frame_record, prediction_record

BEGIN, END, STAGE = 0x7EA0000, 0x7EA0001, 0x7EA0100  # as in insn.c
STAGES = (
    "the rest", "a mark", "capture: RGB, as a Pi 5's camera gives it", "capture: YUV420, as a Pi 4's camera gives it",
    "resize, where the camera does not", "write", "invoke", "read", "top-k and groups", "prediction", "headline",
    "latest frame", "events", "publish: JSON for one page", "overlay, 640 px", "JPEG, 640 px",
)  # fmt: skip
"""Each by its number in insn.c."""
WARM_UP, MARKS = 4, 16


class Marks:
    """Says which stage the instructions belong to; of nested stages the inner one has its own."""

    def __init__(self) -> None:
        self._stack = [0]

    def wrap(self, stage: int, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, marked."""

        def marked(*arguments: Any, **named: Any) -> Any:
            mark(STAGE + self._stack[-1])
            self._stack.append(stage)
            try:
                return function(*arguments, **named)
            finally:
                mark(STAGE + self._stack.pop())

        return marked

    def within(self, stage: int, place: str) -> None:
        """Wrap what stands there, as `module:name`."""
        module, _, name = place.partition(":")
        *path, last = name.split(".")
        holder: Any = importlib.import_module(module)
        for part in path:
            holder = getattr(holder, part)
        setattr(holder, last, self.wrap(stage, getattr(holder, last)))


class Page:
    """A sink that makes what one page is sent."""

    def serving(self, url: str) -> None:
        """Nobody needs to know."""

    def prediction(self, prediction: Prediction, changed: bool) -> None:
        """Its line."""
        json.dumps({**prediction_record(prediction), "frame": frame_record(prediction)})

    def event(self, event: Event) -> None:
        """None is sent in these few frames."""

    def unreadable(self, bad: Unreadable) -> None:
        """There are no files."""

    def close(self, summary: Summary | None) -> None:
        """It stays open."""


def mark(which: int) -> None:
    """A system call that does nothing: no process group has that number."""
    with contextlib.suppress(OSError):
        os.getpgid(which)


def main(model: str, picture: str) -> None:
    """Some frames to warm up, and one between the marks."""
    cv2.setNumThreads(1)
    marks = Marks()
    for stage, place in (
        ("resize, where the camera does not", "vitcam.model.classifier:of_model_size"),
        ("write", "vitcam.model.runtime:Interpreter.set_input"),
        ("invoke", "vitcam.model.runtime:Interpreter.invoke"),
        ("read", "vitcam.model.runtime:Interpreter.get_output"),
        ("top-k and groups", "vitcam.model.classifier:Classifier._best"),
        ("top-k and groups", "vitcam.model.groups:Groups.likely"),
        ("prediction", "vitcam.model.classifier:Classifier._prediction"),
        ("headline", "vitcam.pipeline.headlines:Headlines.add_to"),
        ("latest frame", "vitcam.pipeline.latest_frame:LatestFrame.classified"),
        ("events", "vitcam.pipeline.place_events:PlaceEvents.step"),
        ("publish: JSON for one page", "vitcam.daemon.publisher:Publisher.prediction"),
    ):
        marks.within(STAGES.index(stage), place)
    take = _daemon(Path(model), np.load(picture), marks)
    for seq in range(WARM_UP):
        take(seq)
    mark(BEGIN)
    for _ in range(MARKS):
        mark(STAGE + 1)
    take(WARM_UP)
    mark(STAGE)
    mark(END)


def _daemon(model: Path, rgb: Any, marks: Marks) -> Callable[[int], None]:
    """What takes a frame through the parts."""
    from vitcam.daemon.publisher import Publisher
    from vitcam.events import Rules
    from vitcam.model.classifier import Classifier
    from vitcam.pipeline.headlines import Headlines, nothing_lasts

    height, width = rgb.shape[:2]
    yuv = cv2.cvtColor(rgb, cv2.COLOR_RGB2YUV_I420)
    classifier = Classifier(model, threads=1)
    headlines, beats, slot = Headlines(nothing_lasts), Beats(), Slot[Any]()
    latest = LatestFrame(slot, 0.0, PaceLimits(), beats, ActiveAreas())
    publisher = Publisher(Rules(), lambda: None)
    publisher.connect(Page())
    variant = Variant(width=640)
    as_rgb, as_yuv = (GrantedStream("main", name, width, height) for name in ("BGR888", "YUV420"))
    copy_rgb, copy_yuv = (marks.wrap(STAGES.index(name), copy_preview) for name in STAGES[2:4])
    overlay, jpeg = (
        marks.wrap(STAGES.index("overlay, 640 px"), draw),
        marks.wrap(STAGES.index("JPEG, 640 px"), encode_jpeg),
    )

    def take(seq: int) -> None:
        preview = np.empty_like(rgb)
        copy_yuv(yuv, as_yuv, preview)
        copy_rgb(rgb, as_rgb, preview)
        frame = Frame(preview, None, Rect(0, 0, width, height), seq, time.monotonic_ns(), "camera")
        prediction = headlines.add_to(classifier(frame))
        latest.classified(frame, prediction)
        publisher.prediction(frame, prediction)
        jpeg(overlay(slot.peek(), variant), variant.quality)

    return take


if __name__ == "__main__":
    main(*sys.argv[1:])
