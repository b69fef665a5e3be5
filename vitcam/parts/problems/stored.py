"""Problems in the history, each with the picture of its begin."""

from vitcam.frames import Event, Frame
from vitcam.history.clock import RunTimes
from vitcam.history.store import EventStore
from vitcam.history.stored import EventChange, FrameSummary, StoredEvent
from vitcam.pictures.encode import encode_jpeg

_QUALITY = 80


class StoredProblems:
    """Keeps each problem as an event. Used by one thread."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._times = RunTimes()
        self._summary = FrameSummary()

    def put(self, event: Event, frame: Frame | None) -> None:
        """Hand over a problem that begins or ends.

        frame  at which it does; None: the run ended
        """
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
