"""The first stage: reads the source, and opens it again when it was lost."""

import logging
import threading
import time
from collections.abc import Callable

from vitcam.errors import SourceError, SourceLost
from vitcam.frames import Frame
from vitcam.meters import RateMeter
from vitcam.pipeline.beats import Beats, CaptureBeat
from vitcam.pipeline.handover import Handover
from vitcam.pipeline.latest import LatestFrame
from vitcam.pipeline.options import PipelineOptions
from vitcam.sources.source import Source

log = logging.getLogger(__name__)

_BACK_OFF_S = (0.5, 1.0, 2.0)  # RTSP takes 2 s to open, too: its picture is back within 5 s of its server


class CaptureStage:
    """Runs in one thread, which also calls `skip`.

    frames  where each frame goes
    latest  where it goes, too, while the model is busy with an older one
    """

    def __init__(
        self,
        options: PipelineOptions,
        beats: Beats,
        frames: Handover[Frame],
        latest: LatestFrame,
        stopping: threading.Event,
    ) -> None:
        self._patient = options.patient
        self._beats = beats
        self._frames = frames
        self._latest = latest
        self._stopping = stopping
        self._expected_seq = 0
        self.captured = RateMeter()

    def run(self, open_source: Callable[[], Source]) -> None:
        """Read until the source is over. Raises SourceError, SourceLost for one that is not there at the start.

        open_source  called for each attempt
        """
        attempts = 0
        while not self._stopping.is_set():
            self._beat(self._beats.capture.trouble)
            before = self.captured.count
            try:
                self._read(open_source)
                break
            except (SourceError, SourceLost) as error:
                if self.captured.count == 0 and not self._patient:
                    raise
                attempts = 0 if self.captured.count > before else attempts + 1
                self._beat(str(error))
                self._stopping.wait(_BACK_OFF_S[min(attempts, len(_BACK_OFF_S) - 1)])
        self._frames.close()

    def skip(self) -> None:
        """Count a frame that was not needed."""
        self.captured.tick()
        self._expected_seq += 1
        self._beat(self._beats.capture.trouble, lost=1)

    def _read(self, open_source: Callable[[], Source]) -> None:
        """Open the source and pass on what it gives until it is over or lost."""
        with open_source() as source:
            self._expected_seq = 0
            self._beats.capture = CaptureBeat(
                time.monotonic_ns(), source, self._beats.capture.trouble, self._beats.capture.lost
            )
            for frame in source:
                if not self._deliver(frame, source.live):
                    return

    def _deliver(self, frame: Frame, live: bool) -> bool:
        """Pass a frame on; False once the pipeline is stopping."""
        self._beat("", lost=max(0, frame.seq - self._expected_seq))
        self.captured.tick()
        self._expected_seq = frame.seq + 1
        model_is_free = self._beats.classify.waits
        if not self._frames.put(frame, live, lambda: self._beat("")):  # waiting for a slow reader is progress, too
            return False
        if live and not model_is_free:  # else it is shown with its own prediction in a moment
            self._latest.captured(frame)
        return True

    def _beat(self, trouble: str, lost: int = 0) -> None:
        """Replace the beat. Log once why there is no picture, and once that there is one again."""
        before = self._beats.capture
        if trouble != before.trouble:
            if trouble:
                log.warning("%s", trouble)
            else:
                log.info("the picture is back")
        self._beats.capture = CaptureBeat(time.monotonic_ns(), before.source, trouble, before.lost + lost)
