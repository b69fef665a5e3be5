"""What the application needs from the daemon and the server. Does not import aiohttp, which takes 0.2 s."""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vitcam.history.store import EventStore
from vitcam.model.record import ModelInfo
from vitcam.slot import Current
from vitcam.sources.active_crop import ActiveCrop
from vitcam.sources.playback import Playback
from vitcam.web.live import LivePipeline
from vitcam.web.stream.demand import Demand
from vitcam.web.stream.encoder import Encoder
from vitcam.web.stream.variant import Variant
from vitcam.words.live_labels import LiveLabels
from vitcam.zones.active import ActiveAreas

if TYPE_CHECKING:
    from vitcam.access.guard import Guard
    from vitcam.web.routes.remembered import Aside
    from vitcam.web.routes.uploads import PhotoBackend
    from vitcam.web.tls import CertificateFiles


@dataclass(frozen=True, slots=True)
class AppParts:
    """Handed to the application once, when the server is made."""

    live: LivePipeline
    model: ModelInfo
    photos: "PhotoBackend"
    default: Current[Variant]
    """Of `/stream` and `/snapshot.jpg` without parameters."""
    encoder: Encoder
    demand: Demand
    uploads_executor: Executor
    changes_executor: Executor
    """For requests that change a setting, which may wait for the disk."""
    active_crop: ActiveCrop
    active_areas: ActiveAreas
    playback: Playback
    set_aside: "Aside | None"
    """None: nothing is remembered."""
    words: LiveLabels | None
    """None: the model's labels cannot be changed."""
    history: EventStore | None
    """None: no events are kept."""
    history_executor: Executor
    """Reads stored events and draws their pictures."""
    edits_executor: Executor
    """Changes stored events, which waits for the disk."""


@dataclass(frozen=True, slots=True)
class Binding:
    """Where the server listens, and who may reach it there."""

    host: str = "127.0.0.1"
    port: int = 0
    """0: any free one."""
    names: tuple[str, ...] = ()
    """Host names that it answers to, besides those that only this network can assign."""
    proxies: tuple[str, ...] = ()
    """Addresses and networks whose `X-Forwarded-…` is believed."""
    base: str = ""
    """Path at which a proxy shows this vitcam; empty: the root of a host, or what a proxy says."""
    frames: tuple[str, ...] = ()
    """Sites that may show the page in a frame."""
    certificate: "CertificateFiles | None" = None
    """None: plain HTTP."""
    guard: "Guard | None" = None
    """Knows passwords and tokens. None: everybody may do everything."""
