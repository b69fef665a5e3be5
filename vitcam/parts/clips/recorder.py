"""Keeps the last seconds as JPEGs, and cuts the clip of an event out of them once its time is over."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vitcam.daemon.run import Run
from vitcam.errors import VitcamError
from vitcam.frames import Event, Frame, Image, Prediction
from vitcam.names.vocabulary import NO_MEANINGS, Meanings, means_any
from vitcam.parts.clips.encoding import ClipQueue
from vitcam.parts.clips.ffmpeg import find_ffmpeg
from vitcam.parts.clips.ring import MOST_BYTES, Cut, Ring, Still
from vitcam.parts.clips.settings import ClipSettings
from vitcam.pictures.encode import encode_jpeg
from vitcam.rects import Box
from vitcam.run.kinds import Sees

log = logging.getLogger(__name__)

_SLACK_S = 2.0  # an event is reported some time after it began, by `dwell_s`
_MOST_PENDING = 8
_REST_FPS = 2.0  # while nothing moves
_QUALITY = 75  # of the JPEGs in memory, 0 to 100


@dataclass(frozen=True, slots=True)
class _OpenClip:
    """An event whose clip is not over yet."""

    event_id: str
    start_ns: int
    end_ns: int
    """When the clip is over, as far as that is known."""
    box: Box | None = None
    lasts: bool = True
    """Whether the end of the event was not reported yet."""


class ClipRecorder(Sees):
    """Shown every classified frame in the publishing thread; keeps at most `clips.fps` a second.

    A frame at 640×360 px takes 0.5 ms on a desktop core.

    queue     gets each clip that is over, and the events for whose clips there is no room
    meanings  by which the settings may name labels and groups
    """

    def __init__(
        self, settings: ClipSettings, queue: ClipQueue, meanings: Meanings = NO_MEANINGS, most_bytes: int = MOST_BYTES
    ) -> None:
        self._settings = settings
        self._queue = queue
        self._meanings = meanings
        self._most_bytes = most_bytes
        self._ring = Ring()
        self._due_ns = 0
        self._seen_ns = 0
        self._pending: dict[str, _OpenClip] = {}
        self._settled: set[str] = set()
        """Events that last, and whose clip was cut or left out already."""

    def saw(self, frame: Frame, prediction: Prediction, events: tuple[Event, ...]) -> None:
        """Keep the frame if one is due, and cut the clips that are over."""
        self._take(frame, events, self._settings.fps)

    def rested(self, frame: Frame, prediction: Prediction) -> None:
        """Keep the frame if one is due, so that a clip has what was before its event."""
        self._take(frame, (), min(_REST_FPS, self._settings.fps))

    def _take(self, frame: Frame, events: tuple[Event, ...], fps: float) -> None:
        now_ns = max(self._seen_ns, frame.captured_ns)
        if now_ns > self._seen_ns:  # with zones a frame comes once for each
            self._keep(frame, fps)
        self._seen_ns = now_ns
        for event in events:
            self._note(event)
        self._cut(lambda each: each.end_ns <= now_ns)
        if self._ring.bytes > self._most_bytes:  # what there is makes the clips; their ends are left out
            self._cut(lambda _: True)
        self._forget(now_ns)

    def drop_pixels(self) -> None:
        """Masks were drawn: clips begin with the next picture."""
        self._ring.clear()

    def unseen(self, events: tuple[Event, ...]) -> None:
        """Cut the clips of what ended in a pause: no picture comes that could belong to them."""
        for event in events:
            self._note(event)
        over = {event.id for event in events}
        self._cut(lambda each: each.event_id in over)

    def close(self, events: tuple[Event, ...]) -> None:
        """Cut what is still open, at what was seen last."""
        for event in events:
            self._note(event)
        self._cut(lambda _: True)

    def _keep(self, frame: Frame, fps: float) -> None:
        every_ns = round(1e9 / fps)
        if frame.captured_ns < self._due_ns - every_ns // 8:  # no camera is exact: rather early than a frame late
            return
        due_ns = self._due_ns + every_ns
        # what moves next is kept at once
        self._due_ns = due_ns if due_ns > frame.captured_ns else frame.captured_ns + round(1e9 / self._settings.fps)
        self._ring.add(Still(frame.captured_ns, encode_jpeg(shrink(frame.preview, self._settings.width), _QUALITY)))

    def _note(self, event: Event) -> None:
        if (pending := self._pending.get(event.id)) is not None:
            self._pending[event.id] = replace(pending, box=event.box)
        if event.phase == "end":
            self._end(event)
        elif event.id not in self._pending and event.id not in self._settled and self._wants(event):
            if len(self._pending) >= _MOST_PENDING:
                self._settled.add(event.id)
                self._queue.leave_out(event.id, f"{_MOST_PENDING} other clips were being recorded")
                return
            start_ns = event.start_ns - _ns(self._settings.before_s)
            end_ns = start_ns + _ns(self._settings.longest_s)
            self._pending[event.id] = _OpenClip(event.id, start_ns, end_ns, event.box)

    def _wants(self, event: Event) -> bool:
        """Whether this event gets a clip."""
        zones, labels = self._settings.zones, self._settings.labels
        in_zone = not zones or event.zone in zones
        return in_zone and (not labels or means_any(labels, event, self._meanings))

    def _end(self, event: Event) -> None:
        self._settled.discard(event.id)
        pending = self._pending.get(event.id)
        if pending is not None and event.end_ns is not None:
            end_ns = min(pending.end_ns, event.end_ns + _ns(self._settings.after_s))
            self._pending[event.id] = replace(pending, end_ns=end_ns, lasts=False)

    def _cut(self, is_over: Callable[[_OpenClip], bool]) -> None:
        for pending in [each for each in self._pending.values() if is_over(each)]:
            del self._pending[pending.event_id]
            if pending.lasts:
                self._settled.add(pending.event_id)
            stills = self._ring.between(pending.start_ns, pending.end_ns)
            if stills:
                self._queue.put(Cut(pending.event_id, stills, min(pending.end_ns, self._seen_ns), pending.box))
            else:
                self._queue.leave_out(pending.event_id, "no picture was taken during it")

    def _forget(self, now_ns: int) -> None:
        """Drop what no clip can need any more."""
        spare_ns = now_ns - _ns(self._settings.before_s + _SLACK_S)
        self._ring.forget_before(min([spare_ns, *(each.start_ns for each in self._pending.values())]))
        self._ring.shrink_to(self._most_bytes)


def shrink(image: Image, width: int) -> Image:
    """A picture at most `width` px wide, with even sides, as H.264 needs them.

    image    (H, W, 3) uint8, RGB
    returns  (h, w, 3) uint8, RGB
    """
    across = min(width, image.shape[1])
    sides = (max(2, across // 2 * 2), max(2, round(image.shape[0] * across / image.shape[1] / 2) * 2))
    if sides == (image.shape[1], image.shape[0]):
        return image
    return np.asarray(cv2.resize(image, sides, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)


def make(run: Run) -> list[object]:
    """A recorder and the queue of its encoder; none where no events are kept, or where ffmpeg is missing."""
    settings = run.settings[ClipSettings]
    if not settings.enabled or not run.is_live:
        return []
    if run.history is None:
        advice = "" if run.settings.store.enabled else "; switch store.enabled on"
        log.warning("no clips are recorded: no events are kept%s", advice)
        return []
    try:
        ffmpeg = find_ffmpeg()
    except VitcamError as error:
        log.warning("no clips are recorded: %s", error)
        return []
    queue = ClipQueue(ffmpeg, run.history, settings.fps)
    return [ClipRecorder(settings, queue, run.vocabulary), queue]
