"""What a run says of itself: its state for the page and the API, and one line of it for systemd."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields

from vitcam.daemon.disk_watch import DiskWatch
from vitcam.daemon.recording import Recording
from vitcam.daemon.running_settings import RunningSettings
from vitcam.frames import Prediction
from vitcam.parts import PARTS
from vitcam.pipeline.pipeline import Pipeline
from vitcam.processes.cost import CostMeter
from vitcam.run.kinds import JudgesView, Reports
from vitcam.run.objects import Objects
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.state import PipelineState, State
from vitcam.storage.outbox import Outbox
from vitcam.storage.unsaved import Unsaved


@dataclass(slots=True)
class RunState:
    """Asks each part how it is. Any thread may call it."""

    objects: Objects
    pipeline: Pipeline
    recording: Recording
    model: Current[RunModel]
    disk: DiskWatch
    outbox: Outbox
    unsaved: Unsaved
    settings: RunningSettings
    cost: CostMeter = field(default_factory=CostMeter)
    thread_trouble: str = ""
    """What does not happen because a thread has failed or stands still. The supervisor replaces it every second."""
    thread_faults: Mapping[str, int] = field(default_factory=dict)
    """How often threads failed. The supervisor replaces it every second."""
    stalled: str = ""
    """Why systemd's watchdog may not be fed; empty while it may. The supervisor replaces it every second."""

    def __call__(self) -> State:
        """How the run is now; cheap enough to be called every second by many."""
        pipeline = self._pipeline()
        return State(
            **{each.name: getattr(pipeline, each.name) for each in fields(PipelineState)},
            name=self.settings.running.camera.name,
            cost=self.cost(),
            history=self.recording.history_state(),
            problem=next(filter(None, (each.problem for each in self.objects.each(JudgesView))), None),
            unsaved=dict(self.unsaved.reasons),
            notices=tuple(filter(None, (self.recording.notice, self.outbox.notice, *self._notices()))),
            parts=self._of_parts(),
        )

    def _notices(self) -> Iterator[str]:
        return (notice for each in self.objects.each(Reports) for notice in each.notices())

    def _of_parts(self) -> dict[str, object]:
        """What each part has to say; the defaults of one of which this run has no object."""
        said = {type(found): found for found in (each.state() for each in self.objects.each(Reports))}
        return {key: said.get(kind, kind()) for part in PARTS for key, kind in part.state.items()}

    def _pipeline(self) -> PipelineState:
        """The pipeline's state with what is wrong beside it, the most important first."""
        return self.pipeline.state(
            self.model.value.trouble,
            self.disk.trouble,
            self.recording.trouble,
            self.outbox.trouble,
            self.thread_trouble,
            self.recording.rests,
            *self.disk.unreadable,
            *(trouble for each in self.objects.each(Reports) for trouble in each.troubles()),
        )

    def faults(self) -> dict[str, int]:
        """How often each part of the run failed since the start and began again."""
        return {**self.pipeline.faults(), **self.thread_faults}

    def newest(self) -> Prediction | None:
        """The newest prediction; of several places, the one in front. None: there is none yet."""
        latest = self.pipeline.latest.peek()
        return latest.prediction if latest and latest.looks else self.pipeline.predicted.peek()

    def line(self) -> str:
        """One line for `systemctl status`: what is seen and how fast, or why nothing is."""
        state = self._pipeline()
        if state.reason:
            return f"{state.status.replace('_', ' ')}: {state.reason}"
        newest = self.newest()
        seen = f"{_guess(newest) if newest else 'nothing yet'}, {state.fps.classified:.1f} fps"
        return "; ".join(filter(None, (seen, *(each.words() for each in self.objects.each(Reports)))))


def _guess(newest: Prediction) -> str:
    shown = newest.told
    seen = "nothing that it knows" if shown.label is None else f"{shown.label} {shown.p:.0%}"
    return seen if newest.zone is None else f"{newest.zone}: {seen}"
