"""Clips and problems of a run, and how both come into the history."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vitcam.clips.recorder import Clips, build_clips
from vitcam.config.settings import Settings
from vitcam.daemon.part_options import clip_options_of
from vitcam.daemon.publisher import Publisher, event_id
from vitcam.frames import Event, Frame
from vitcam.history.clock import RunTimes
from vitcam.history.store import EventStore
from vitcam.history.stored import Action, EventChange, FrameSummary, StoredEvent
from vitcam.pictures.encode import encode_jpeg
from vitcam.problems.frozen import FrozenWatch
from vitcam.problems.watch import ProblemWatch
from vitcam.state import ClipCounts
from vitcam.threads.worker import Watched
from vitcam.wire import wall_time

log = logging.getLogger(__name__)

_QUALITY = 80
_LAST_CLIPS_S = 60.0
_SWITCH_ON = "; switch store.enabled on"


@dataclass(frozen=True, slots=True)
class Recording:
    """What is recorded beside events; nothing where a part is None."""

    clips: Clips | None = None
    watch: ProblemWatch | None = None

    @property
    def workers(self) -> tuple[Watched, ...]:
        """The thread of the encoder, if there is one."""
        return () if self.clips is None else (self.clips.queue.worker,)

    def counts(self) -> ClipCounts:
        """What the state says of clips."""
        return ClipCounts() if self.clips is None else self.clips.queue.counts()

    def problem(self) -> str | None:
        """What the state says of the camera's view."""
        return None if self.watch is None else self.watch.problem

    def start(self) -> None:
        """Begin to encode."""
        if self.clips is not None:
            self.clips.queue.start()

    def drop(self) -> None:
        """Leave out at once what waits and what comes yet; each event says so."""
        if self.clips is not None:
            self.clips.queue.close(lambda: True)

    def stop(self, in_haste: Callable[[], bool]) -> None:
        """Encode what waits, for a minute at most, or leave it out once it is `in_haste`."""
        if self.clips is not None:
            ends_s = time.monotonic() + _LAST_CLIPS_S
            self.clips.queue.close(lambda: in_haste() or time.monotonic() > ends_s)


def recording_of(
    settings: Settings, store: EventStore | None, publisher: Publisher, frozen: FrozenWatch | None = None
) -> Recording:
    """The parts that the settings ask for, shown to the publisher's witnesses.

    store   None: nothing is kept, so there are no clips, and problems are only reported
    frozen  as `ProblemWatch` takes it
    """
    recording = Recording(_clips(settings, store), _watch(settings, store, publisher, frozen))
    if recording.clips is not None:
        publisher.show_to(recording.clips.recorder)
    if recording.watch is not None:
        publisher.show_to(recording.watch)
    return recording


def _clips(settings: Settings, store: EventStore | None) -> Clips | None:
    options = clip_options_of(settings.clips)
    if options is None:
        return None
    if store is None:
        log.warning("no clips are recorded: no events are kept%s", "" if settings.store.enabled else _SWITCH_ON)
        return None
    kept = KeptClips(store)
    return build_clips(options, store.folder, kept, kept.has_clip)


def _watch(
    settings: Settings, store: EventStore | None, publisher: Publisher, frozen: FrozenWatch | None
) -> ProblemWatch | None:
    if not settings.problems.enabled:
        return None
    kept = None if store is None else KeptProblems(store)

    def tell(event: Event, frame: Frame | None) -> None:
        if kept is not None:
            kept.keep(event, frame)
        publisher.report(event)

    return ProblemWatch(event_id, tell, frozen)


class KeptClips:
    """A `vitcam.clips.queue.ClipStore`."""

    def __init__(self, store: EventStore) -> None:
        self._store = store

    def has_clip(self, event_id: str) -> bool:
        """Whether an event names a clip."""
        event = self._store.get(event_id)
        return event is not None and event.clip is not None

    def attach(self, event_id: str, clip: Path) -> None:
        """Hand it over."""
        self._store.attach_clip(event_id, clip)

    def leave_out(self, event_id: str, why: str) -> None:
        """Among the actions of the event."""
        self._store.note_action(event_id, Action("clips", "clip", "failed", why, wall_time(time.monotonic_ns())))


class KeptProblems:
    """Keeps a problem with the picture of its begin. Used by one thread."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._times = RunTimes()
        self._summary = FrameSummary()

    def keep(self, event: Event, frame: Frame | None) -> None:
        """Hand it over."""
        jpeg = None
        if event.phase == "new" and frame is not None:
            height, width = frame.preview.shape[:2]
            self._summary = FrameSummary(size=(width, height), crop=frame.crop)
            jpeg = encode_jpeg(frame.preview, _QUALITY)
        stored = StoredEvent(
            id=event.id,
            kind="problem",
            label=event.label,
            zone=None,
            camera=event.camera,
            start_ms=self._times.ms(event.start_ns),
            end_ms=None if event.end_ns is None else self._times.ms(event.end_ns),
            p=event.p,
            peak=event.p,
            summary=self._summary,
        )
        self._store.put(EventChange(stored, event.phase, jpeg, self._times.booted_ms))
