"""The parts of a run that is assembled, and what it says of itself."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vitcam.actions.rule_engine import RuleEngine
from vitcam.daemon.classifiers import PhotoClassifier
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.recording import Recording
from vitcam.daemon.reload import Reloadable
from vitcam.daemon.source import SourceOpener
from vitcam.frames import Prediction
from vitcam.heat.sentences import status_words
from vitcam.heat.watch import HeatWatch
from vitcam.history.store import EventStore
from vitcam.pipeline.pipeline import Pipeline
from vitcam.slot import Current
from vitcam.state import Heartbeats
from vitcam.threads.worker import Watched

if TYPE_CHECKING:
    from vitcam.web.server import WebServer


@dataclass(frozen=True, slots=True)
class Daemon:
    """The parts of a run."""

    pipeline: Pipeline
    open_source: SourceOpener
    web: "WebServer | None"
    publisher: Publisher
    photos: PhotoClassifier
    reloadable: Reloadable
    heat: HeatWatch
    history: EventStore | None
    """None: no events are kept."""
    acting: RuleEngine
    recording: Recording
    standing: Current[str]
    """What does not happen because of a thread; the state says so."""

    @property
    def workers(self) -> tuple[Watched, ...]:
        """Every thread that runs beside the stages of the pipeline and the web's event loop."""
        history = () if self.history is None else (self.history.worker,)
        web = () if self.web is None else self.web.threads
        return (
            self.heat.worker,
            self.reloadable.trials.worker,
            *history,
            *self.recording.workers,
            *self.acting.workers,
            *web,
        )

    def heartbeats(self) -> Heartbeats:
        """The last signs of life of every part."""
        return replace(self.pipeline.heartbeats(), web_ns=None if self.web is None else self.web.beat_ns)

    def status(self) -> str:
        """One line for `systemctl status`: what is seen and how fast, or why nothing is."""
        state = self.pipeline.state()
        if state.reason:
            return f"{state.status.replace('_', ' ')}: {state.reason}"
        latest = self.pipeline.latest.peek()
        newest = latest.prediction if latest and latest.zones else self.pipeline.predicted.peek()
        seen = f"{_guess(newest) if newest else 'nothing yet'}, {state.fps.classified:.1f} fps"
        return "; ".join(filter(None, (seen, status_words(state.heat))))


def _guess(newest: Prediction) -> str:
    best, group = newest.top[0], newest.group
    seen = f"{group.name} {group.p:.0%}" if group else f"{best.label} {best.p:.0%}"
    return seen if newest.zone is None else f"{newest.zone}: {seen}"
