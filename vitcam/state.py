"""How the daemon is, in frozen values: what `/api/state`, the systemd status line and the watchdog read."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from vitcam.sentence import with_keys

Status = Literal["ok", "degraded", "no_signal", "starting"]


@dataclass(frozen=True, slots=True)
class Rates:
    """Per second, over the last two seconds; 0 once nothing comes."""

    captured: float = 0.0
    classified: float = 0.0
    dropped: float = 0.0


@dataclass(frozen=True, slots=True)
class ZoneRate:
    """How often a zone is looked at."""

    fps: float = 0.0
    """Predictions of the zone per second, over the last two seconds."""
    follows: bool = False
    """Whether what moves there is followed."""


@dataclass(frozen=True, slots=True)
class FollowedState:
    """Something that is followed now."""

    track: int
    """Its number, which counts up during a run."""
    zone: str | None
    """None: it is followed in the whole view."""
    box: str
    """`x,y,w,h`: where the model looks, in fractions of the picture."""
    age_s: float
    """How long it has been there."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Since the start."""

    captured: int = 0
    classified: int = 0
    dropped: int = 0
    skipped: int = 0
    """Looked at and found not worth classifying, as where nothing moves."""


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Of the last few hundred predictions, in ms."""

    p50: float
    p90: float
    p99: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What the daemon and its child processes have cost since the start."""

    cpu_s: float = 0.0
    """Time of one core, in s."""
    written_bytes: int | None = None
    """Written to disks, without the journal; None where the kernel does not say it."""
    memory_bytes: int | None = None
    """In memory now: its resident pages and those of its child processes; None where the kernel does not say it."""
    cpu_hours_per_day: float | None = None
    """The same per day, in hours of one core; None in the first ten minutes."""
    written_mb_per_day: float | None = None
    """The same per day, in MB; None in the first ten minutes."""


@dataclass(frozen=True, slots=True)
class History:
    """What is kept of what was seen."""

    enabled: bool = False
    events: int = 0
    """Kept now."""
    mb: float = 0.0
    """Of the database, the pictures and the clips, in 10⁶ bytes."""
    dropped: int = 0
    """Events that were not kept, since the start."""
    trouble: str = ""
    """Why something is not kept, or was set aside; empty while all is well."""
    clock: str = ""
    """Why the machine's clock is not believed, and no event is deleted because of its age; empty while it is."""
    rests: str = ""
    """Why no event is deleted because of its age until somebody says how long they are kept; empty: they are."""


@dataclass(frozen=True, slots=True)
class PipelineState:
    """How the pipeline is now."""

    status: Status
    reason: str
    """All reasons in one text, the most important first; empty while the status is `ok`."""
    uptime_s: float
    source: str
    model: str
    fps: Rates = Rates()
    frames: Counts = Counts()
    ms: dict[str, Percentiles] = field(default_factory=dict)
    """`capture`, `preprocess`, `infer`, `total`."""
    zones: dict[str, ZoneRate] = field(default_factory=dict)
    """By name; empty where the whole view is classified."""
    model_loads: int = 1
    """Models that this run has used, one after the other: once it changes, `/api/model` has changed."""
    follows: bool = False
    """Whether what moves is followed, where a zone does not say it itself."""
    following: tuple[FollowedState, ...] = ()
    """What is followed now, three at most."""
    paused: bool = False
    """Whether somebody has asked that frames of the camera are not classified."""
    reasons: tuple[str, ...] = ()
    """Why the status is not `ok`, each as one sentence, the most important first."""
    resting_since: str | None = None
    """Since when nothing has moved, so that the model looks less often: wall time; None while it does not rest."""


@dataclass(frozen=True, slots=True)
class State(PipelineState):
    """How a whole run is now."""

    cost: Cost = Cost()
    history: History = History()
    problem: str | None = None
    """Why the camera does not see what it usually sees, as one sentence; None while it does."""
    notices: tuple[str, ...] = ()
    """What people should know although nothing is wrong with the run, each as one sentence: such as that a damaged file
    was set aside."""
    unsaved: dict[str, str] = field(default_factory=dict)
    """What was changed, is in force, and would be lost at a restart, since the disk does not take it: `alerts`, `crop`,
    `model`, `names`, `settings`, `words` or `zones` (with the masks), and why. vitcam tries again until it is saved."""
    name: str = ""
    """What people call this camera; empty: nobody has named it."""
    parts: Mapping[str, object] = field(default_factory=dict)
    """Of each part of the run that has something to say, by its key in the record."""

    def record(self) -> dict[str, Any]:
        """As JSON has it, with the parts' pieces beside the others, and the keys of the sentences."""
        record: dict[str, Any] = asdict(self)
        of_parts: dict[str, Any] = record.pop("parts")
        return with_keys(record | of_parts)


@dataclass(frozen=True, slots=True)
class Heartbeats:
    """The last signs of life of each part, for the watchdog; all times are monotonic ns."""

    capture_ns: int | None
    """The newest of: a frame came, an attempt to open the source began or failed, the slot was full; None: over."""
    classifying_since_ns: int | None
    """When the inference that runs now began; None while none does."""
    publishing_since_ns: int | None
    """When the sinks were given the prediction that they still work on; None while they do not."""
    web_ns: int | None = None
    """The last turn of the web's event loop; None where no web is served."""
    ended: tuple[str, ...] = ()
    """Names of stages that ended although the run is not over."""
