"""What the web server is made of, and where it listens. Does not import aiohttp, which takes 0.2 s."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from vitcam.access.guard import Guard
from vitcam.frames import Prediction
from vitcam.history.store import EventStore
from vitcam.look.active_areas import ActiveAreas
from vitcam.meters import StageTimes
from vitcam.names.active import ActiveNames
from vitcam.names.vocabulary import Vocabulary
from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.run.objects import Objects
from vitcam.run_model import RunModel, vocabulary_of
from vitcam.slot import Current, Slot
from vitcam.sources.active_crop import ActiveCrop
from vitcam.sources.playback import Playback
from vitcam.state import State
from vitcam.storage.unsaved import Unsaved
from vitcam.threads.worker import WatchedExecutor
from vitcam.web.open_pages import OpenPages
from vitcam.web.revisions import Revisions
from vitcam.web.stream.variant import Demand, Variant
from vitcam.web.tls import CertificateFiles

if TYPE_CHECKING:
    from vitcam.daemon.classifiers import PhotoClassifier
    from vitcam.daemon.model_choice import RunningModel
    from vitcam.daemon.report import Reporter
    from vitcam.daemon.running_settings import RunningSettings
    from vitcam.daemon.saved_state.set_aside import SetAside


@dataclass(frozen=True, slots=True)
class WebParts:
    """The parts of a run that the page and the API show, and those that viewers may change."""

    latest: Slot[ClassifiedFrame]
    """The newest frame with the newest prediction."""
    predicted: Slot[Prediction]
    """The newest prediction."""
    state: Callable[[], State]
    """How the run is now. Called in the server's thread; it must not block."""
    model: Current[RunModel]
    """The one in use."""
    photos: "PhotoClassifier"
    """Answers uploaded photos; called in a thread of its own, so it needs an interpreter of its own."""
    objects: Objects = field(default_factory=Objects)
    """The objects of the run, by their kinds."""
    report: "Reporter | None" = None
    """The state of the run, for home automation. Called in the server's thread; None: nobody is told."""
    default: Current[Variant] = field(default_factory=lambda: Current(Variant()))
    """Of `/stream` and `/snapshot.jpg` without parameters."""
    crop: ActiveCrop = field(default_factory=ActiveCrop)
    areas: ActiveAreas = field(default_factory=ActiveAreas)
    names: ActiveNames = field(default_factory=ActiveNames)
    playback: Playback = field(default_factory=Playback)
    """Pauses a source of files."""
    pause: Callable[[bool], bool] = lambda _: False
    """Stops and resumes the classifying of a live source; False: the source is none."""
    demand: Demand = field(default_factory=Demand)
    """Says what viewers want the model to compute."""
    times: Callable[[], Mapping[str, StageTimes]] = dict
    """How long each stage took so far."""
    faults: Callable[[], Mapping[str, int]] = dict
    """How often each part of the run failed and began again."""
    stalled: Callable[[], bool] = bool
    """Whether something stands still that only a restart can repair."""
    models: "RunningModel | None" = None
    """None: no other model can be chosen."""
    history: EventStore | None = None
    """None: no events are kept."""
    set_aside: "SetAside | None" = None
    """None: nothing is remembered."""
    settings: "RunningSettings | None" = None
    """None: nothing can be set."""
    unsaved: Unsaved = field(default_factory=Unsaved)
    """Saves words that the disk did not take."""
    revisions: Revisions = field(default_factory=lambda: Revisions(None))
    """Versions of what several clients may change."""
    pages: OpenPages = field(default_factory=OpenPages)
    fetch: Callable[[str], bytes] | None = None
    """Fetches the picture at an address; called in a thread of its own. None: no pictures are fetched."""

    def fixed(self, name: str) -> str:
        """Where the configuration sets something, so that the page cannot change it; empty where it can."""
        return "" if self.settings is None else self.settings.fixed_at.get(name, "")

    def vocabulary(self) -> Vocabulary:
        """By which texts labels and groups may be named now."""
        return vocabulary_of(self.model, self.names)


@dataclass(frozen=True, slots=True)
class WebThreads:
    """The threads beside the event loop. Each has the name of its field, and a row in `vitcam.threads.kinds`."""

    encode: WatchedExecutor
    upload: WatchedExecutor
    fetch: WatchedExecutor
    """Waits for other servers, from which pictures are fetched."""
    change: WatchedExecutor
    """For requests that change a setting, which may wait for the disk."""
    access: WatchedExecutor
    password: WatchedExecutor
    reads: WatchedExecutor
    """Reads stored events and draws their pictures."""
    models: WatchedExecutor
    """Reads the files of models, of which one may lie on a mount that does not answer."""
    edit: WatchedExecutor
    """Changes stored events, which waits for the disk."""

    @classmethod
    def new(cls) -> "WebThreads":
        """None of them runs before its first task."""
        return cls(*(WatchedExecutor(each.name) for each in fields(cls)))

    def __iter__(self) -> Iterator[WatchedExecutor]:
        return (getattr(self, each.name) for each in fields(self))


@dataclass(frozen=True, slots=True)
class Binding:
    """Where the server listens, and who may reach it there."""

    host: str = "127.0.0.1"
    port: int = 0
    """0: any free one."""
    host_names: tuple[str, ...] = ()
    """Host names that it answers to, besides those that only this network can assign."""
    proxies: tuple[str, ...] = ()
    """Addresses and networks whose `X-Forwarded-…` is believed."""
    base: str = ""
    """Path at which a proxy shows this vitcam; empty: the root of a host, or what a proxy says."""
    frame_ancestors: tuple[str, ...] = ()
    """Sites that may show the page in an iframe."""
    certificate: CertificateFiles | None = None
    """None: plain HTTP."""
    guard: Guard | None = None
    """Knows passwords and tokens. None: everybody may do everything."""
