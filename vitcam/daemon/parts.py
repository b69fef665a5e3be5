"""The parts of a run: its options, and what `assemble` makes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vitcam.actions.rule_engine import RuleEngine
from vitcam.config.layers import PageLayer
from vitcam.config.load import EffectiveSettings
from vitcam.config.settings import Settings
from vitcam.daemon.classifiers import PhotoClassifier
from vitcam.daemon.disk_watch import DiskWatch
from vitcam.daemon.model import LoadedAhead
from vitcam.daemon.model_choice import RunningModel
from vitcam.daemon.part_options import ConsoleSink
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.recording import Recording
from vitcam.daemon.run_state import RunState
from vitcam.daemon.running_settings import RunningSettings
from vitcam.daemon.saved_state.set_aside import SetAside
from vitcam.daemon.saved_state.trials import Trials
from vitcam.daemon.source import SourceOpener
from vitcam.datasets.collector import Collector
from vitcam.inbox.keeper import InboxKeeper
from vitcam.names.active import ActiveNames
from vitcam.parts.heat.watch import HeatWatch
from vitcam.peers.watch import PeerWatch
from vitcam.pipeline.pipeline import Pipeline
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.sources.active_crop import ActiveCrop
from vitcam.state import Heartbeats
from vitcam.storage.outbox import Outbox
from vitcam.threads.worker import Watched
from vitcam.web.stream.variant import Variant
from vitcam.zones.active import ActiveAreas

if TYPE_CHECKING:
    from vitcam.fetch.picture_fetch import PictureFetch  # loads TLS, which few daemons need
    from vitcam.mqtt.client import MqttClient  # imports asyncio, as does the page
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
    """The parts that are started, watched, changed by a reload and ended."""

    open_source: SourceOpener
    crop: ActiveCrop
    areas: ActiveAreas
    names: ActiveNames
    model: Current[RunModel]
    """The one in use."""
    models: RunningModel
    """Puts another one in its place."""
    default: Current[Variant]
    """What viewers get who choose nothing."""
    pipeline: Pipeline
    heat: HeatWatch
    disk: DiskWatch
    publisher: Publisher
    console: ConsoleSink
    every_by_default: bool
    """The meaning of `emit = auto`."""
    recording: Recording
    collector: Collector | None
    """None: there is no folder to collect in."""
    inbox: InboxKeeper | None
    """None: nothing is kept, or nobody could name it."""
    rule_engine: RuleEngine
    photos: PhotoClassifier
    fetch: "PictureFetch | None"
    """None: no pictures are fetched from addresses."""
    mqtt: "MqttClient | None"
    """None: the settings name no broker."""
    outbox: Outbox
    peers: PeerWatch
    web: "WebServer | None"
    state: RunState
    trials: Trials
    set_aside: SetAside
    settings: RunningSettings

    @property
    def workers(self) -> tuple[Watched, ...]:
        """Every thread that runs beside the stages of the pipeline and the web's event loop."""
        web = () if self.web is None else self.web.threads
        keepers = [each.worker for each in (self.collector, self.inbox) if each is not None]
        own = (self.heat.worker, self.disk.worker, self.trials.worker, self.peers.worker)
        mqtt = () if self.mqtt is None else self.mqtt.workers
        return (*own, *keepers, *mqtt, *self.recording.workers, *self.rule_engine.workers, *web)

    def heartbeats(self) -> Heartbeats:
        """The last signs of life of every part."""
        return replace(self.pipeline.heartbeats(), web_ns=None if self.web is None else self.web.beat_ns)
