"""One thread that encodes clips, one after the other, and hands each to the store."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

from vitcam.errors import VitcamError
from vitcam.history.store import EventStore
from vitcam.history.stored import CLIPS, Action
from vitcam.parts.clips import ENCODES
from vitcam.parts.clips.ffmpeg import Ffmpeg
from vitcam.parts.clips.ring import MOST_BYTES, Cut
from vitcam.parts.clips.state import ClipCounts
from vitcam.run.ending import Ending
from vitcam.run.figures import Figure
from vitcam.run.kinds import HoldsPixels, Reports, Runs
from vitcam.storage.files import atomic_write, remove_abandoned
from vitcam.threads.worker import Worker
from vitcam.wire import wall_time

log = logging.getLogger(__name__)

_MOST_QUEUED = 8
_TIMEOUT_S = 600.0  # for one clip; a busy processor gives the encoder little time
_TICK_S = 0.1
_LOOK_S = 5.0
_FOLDER_MODE = 0o700  # as that of the pictures
_LAST_CLIPS_S = 60.0  # at the end of a run that nobody hurries
_DROP_S = 5.0
_MASKED = "a privacy mask was drawn before it was encoded"
_RUN_ENDED = "the run ended before it was encoded"


class ClipQueue(Runs, HoldsPixels, Reports):
    """A bounded queue; what is left out is counted and said in its event.

    store  has the events; the clips are in a folder of its own
    """

    def __init__(self, ffmpeg: Ffmpeg, store: EventStore, fps: float, most_bytes: int = MOST_BYTES) -> None:
        self._ffmpeg = ffmpeg
        self._store = store
        self._folder = store.folder / CLIPS
        self._fps = fps
        self._most_bytes = most_bytes
        self._changed = threading.Condition()
        self._waiting: deque[Cut] = deque()
        self._current: Cut | None = None
        self._masked = False
        """Whether masks were drawn while `_current` was being encoded."""
        self._given_up: Cut | None = None
        """What was being encoded at the end of the run: its event says so already, however late the encoder ends."""
        self._closed = self._tidied = False
        self._made = self._left_out = 0
        self.worker = Worker("clips", self._work, ENCODES)

    @property
    def workers(self) -> tuple[Worker, ...]:
        return (self.worker,)

    def start(self) -> None:
        """Start the thread."""
        self.worker.start()

    def hurry(self) -> None:
        """Leave out at once the clips that wait and that come yet; each event says so."""
        self.close(lambda: True)

    def stop(self, ending: Ending) -> None:
        """Encode the clips that wait, for a minute at most, or leave them out where the end is in haste."""
        ends_s = time.monotonic() + _LAST_CLIPS_S
        self.close(lambda: ending.in_haste or time.monotonic() > ends_s)

    def state(self) -> ClipCounts:
        """What became of the clips so far."""
        with self._changed:
            return ClipCounts(True, self._made, self._left_out, len(self._waiting) + bool(self._current))

    def figures(self) -> Iterator[Figure]:
        counts = self.state()
        results: dict[tuple[str, ...], float] = {("made",): counts.made, ("left_out",): counts.left_out}
        yield Figure("vitcam_clips", "Clips of events.", results, ("result",), counts=True)

    def put(self, cut: Cut) -> None:
        """Encode this clip, unless too many wait already; never blocks."""
        with self._changed:
            queued = sum(each.bytes for each in self._waiting)
            full = len(self._waiting) >= _MOST_QUEUED or (self._waiting and queued + cut.bytes > self._most_bytes)
            if not full and not self._closed:
                self._waiting.append(cut)
                self._changed.notify_all()
                return
        self.leave_out(cut.event_id, _RUN_ENDED if self._closed else "too many other clips wait to be encoded")

    def leave_out(self, event_id: str, why: str) -> None:
        """Count a clip that is not made, and say so in its event."""
        with self._changed:
            self._left_out += 1
        log.warning("an event has no clip: %s", why)
        self._store.note_action(event_id, Action("clips", "clip", "failed", why, wall_time(time.monotonic_ns())))

    def drop_pixels(self) -> None:
        """Masks were drawn: leave out what waits, and what is being encoded.

        raises  VitcamError if the encoder does not end
        """
        with self._changed:
            dropped, self._waiting = [*self._waiting], deque()
            current, self._masked = self._current, self._current is not None
        for cut in dropped:
            self.leave_out(cut.event_id, _MASKED)
        ends_s = time.monotonic() + _DROP_S
        with self._changed:
            while current is not None and self._current is current:
                if time.monotonic() > ends_s:
                    raise VitcamError("a clip without the new masks is being encoded, and the encoder does not end")
                self._ffmpeg.abort()
                self._changed.wait(_TICK_S)

    def close(self, give_up: Callable[[], bool]) -> None:
        """Encode what waits, until `give_up` says that there is no time; the rest is left out."""
        while not give_up():
            with self._changed:
                if not self._waiting and self._current is None:
                    break
                self._changed.wait(_TICK_S)
        with self._changed:
            self._closed = True
            rest, self._waiting = [*self._waiting], deque()
            if self._current is not None and self._given_up is None:
                self._given_up = self._current
                rest.append(self._current)
            self._changed.notify_all()
        self._ffmpeg.stop()
        for cut in rest:
            self.leave_out(cut.event_id, _RUN_ENDED)
        self.worker.join(_TICK_S)
        self.worker.stop()

    def _work(self) -> None:
        if not self._tidied:  # later, a clip of this run may not have come into the history yet
            self._tidied = True
            self._tidy()
        while (cut := self._next()) is not None:
            try:
                self._encode(cut)
            except (OSError, VitcamError) as error:
                why = _MASKED if self._masked else f"it could not be encoded: {error}"
                self._failed(cut, why)
            except Exception:
                log.exception("a clip failed unexpectedly")
                self._failed(cut, "it could not be encoded because of an error in vitcam; see its log")
            finally:
                with self._changed:
                    self._current, self._masked = None, False
                    self._changed.notify_all()

    def _tidy(self) -> None:
        """Remove what a crash left: unfinished files, and clips whose event is in the history and names no clip.

        A clip whose event is not there stays: the history that names it may have been set aside, moved away or damaged.
        New clips need nothing of this: what cannot be removed now stays until the next start.
        """
        remove_abandoned(self._folder, own=True)
        try:
            if files := {file.stem: file for file in self._folder.glob("[!.]*.mp4")}:
                for event_id in self._store.without_clip([*files]):
                    files[event_id].unlink(missing_ok=True)
        except (OSError, VitcamError) as error:
            log.warning("what a crash left of clips stays until the next start: %s", error)

    def _next(self) -> Cut | None:
        """The next clip; None once the queue is closed."""
        with self._changed:
            while not self._waiting and not self._closed:
                self.worker.beat()
                self._changed.wait(_LOOK_S)
            if self._closed:
                return None
            self.worker.beat(_TIMEOUT_S)
            self._current = self._waiting.popleft()
            return self._current

    def _encode(self, cut: Cut) -> None:
        self._folder.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
        self._folder.chmod(_FOLDER_MODE)  # one that an older version made was open to others
        path = self._folder / f"{cut.event_id}.mp4"
        with atomic_write(path, private=True) as partial:
            self._ffmpeg.encode(cut, self._fps, partial, _TIMEOUT_S)
            if self._masked:
                raise VitcamError(_MASKED)
        with self._changed:
            if self._masked or cut is self._given_up:
                path.unlink(missing_ok=True)
            if self._masked:
                raise VitcamError(_MASKED)
            if cut is self._given_up:
                return
            self._store.attach_clip(cut.event_id, path)
            self._made += 1

    def _failed(self, cut: Cut, why: str) -> None:
        with self._changed:
            if cut is not self._given_up:
                self.leave_out(cut.event_id, why)
