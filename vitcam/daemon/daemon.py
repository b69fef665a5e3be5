"""The parts of a run: its options, and what `assemble` makes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vitcam.config.layers import PageLayer
from vitcam.config.load import EffectiveSettings
from vitcam.config.settings import Settings
from vitcam.daemon.classifiers import PhotoClassifier
from vitcam.daemon.model import LoadedAhead
from vitcam.daemon.model_choice import RunningModel
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.run_state import RunState
from vitcam.daemon.running_settings import RunningSettings
from vitcam.daemon.saved_state.set_aside import SetAside
from vitcam.daemon.saved_state.trials import Trials
from vitcam.daemon.source import SourceOpener
from vitcam.pipeline.pipeline import Pipeline
from vitcam.run.kinds import Runs
from vitcam.run.objects import Objects
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.state import Heartbeats
from vitcam.storage.outbox import Outbox
from vitcam.threads.worker import Watched

if TYPE_CHECKING:
    from vitcam.fetch.picture_fetch import PictureFetch  # loads TLS, which few daemons need
    from vitcam.web.server import WebServer  # imports asyncio, which a run without the page does not need


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is asked of one `vitcam run`, beside the settings."""

    settings: Settings
    read_again: Callable[[], Settings]
    """Reads the settings again, from the same places. Raises ConfigError, UsageError."""
    model_from: str = ""
    """Where the configuration names the model; empty where nobody did, or an option of the command line."""
    model_fixed: str = ""
    """The same, also an option of the command line: then the page cannot choose another one."""
    is_set_up: bool = False
    """Whether somebody has named the camera in a file, in a variable or on the page."""
    realtime: bool | None = None
    loop: bool | None = None
    wait: bool = False
    """Start without the camera, and keep trying."""
    layers: Callable[[PageLayer], EffectiveSettings] | None = None
    """All layers, with this one of the page. Raises ConfigError, UsageError. None: the page can set nothing."""
    of_page: frozenset[str] = frozenset()
    """Names of the settings that were set on the page."""
    ahead: LoadedAhead | None = None
    """Has loaded the model of the settings already; None: nobody has."""

    @property
    def paced(self) -> bool | None:
        """Whether files are played at their own pace, as `SourceOptions.realtime` has it: where people watch they are,
        unless told otherwise."""
        return True if self.realtime is None and self.settings.web.enabled else self.realtime

    def with_page(self, layer: PageLayer) -> "RunOptions":
        """The same with another layer of the page."""
        if self.layers is None:
            return self
        effective = self.layers(layer)
        return replace(self, settings=effective.settings, of_page=effective.page)


@dataclass(frozen=True, slots=True)
class Daemon:
    """What the supervisor starts, watches and ends beside the objects of the run."""

    objects: Objects
    open_source: SourceOpener
    model: Current[RunModel]
    """The one in use."""
    models: RunningModel
    """Puts another one in its place."""
    pipeline: Pipeline
    publisher: Publisher
    is_live: bool
    """False: files are read at full speed, and no other command asks this run for anything."""
    photos: PhotoClassifier
    fetch: "PictureFetch | None"
    """None: no pictures are fetched from addresses."""
    outbox: Outbox
    web: "WebServer | None"
    state: RunState
    trials: Trials
    set_aside: SetAside
    settings: RunningSettings

    @property
    def workers(self) -> tuple[Watched, ...]:
        """Every thread that runs beside the stages of the pipeline and the web's event loop."""
        web = () if self.web is None else self.web.threads
        return (self.trials.worker, *(worker for each in self.objects.each(Runs) for worker in each.workers), *web)

    def heartbeats(self) -> Heartbeats:
        """The last signs of life of every part."""
        return replace(self.pipeline.heartbeats(), web_ns=None if self.web is None else self.web.beat_ns)
