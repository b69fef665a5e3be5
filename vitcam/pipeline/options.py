"""The options of a pipeline."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from vitcam.frames import Event, Frame, Place, Prediction
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.follower import Follower
from vitcam.pictures.resize import InputSpec
from vitcam.pipeline.headlines import nothing_lasts
from vitcam.pipeline.limits import PaceLimits


def nothing_pending() -> frozenset[Place]:
    """Default of `pending`: nothing may begin."""
    return frozenset()


@dataclass(frozen=True, slots=True)
class PipelineOptions:
    """How frames are taken and classified."""

    source: str
    """Name of the source, for people."""
    model: str
    """Name of the model, for people."""
    patient: bool = False
    """Keep trying when the source cannot be opened at the start, instead of giving up."""
    max_fps: float = 0.0
    """Classify at most this many frames/s; 0: no limit."""
    gate: Callable[[Frame], bool] | None = None
    """Called for each frame of a live source, in the classifying thread; False: this frame is skipped."""
    paused: bool = False
    """No frame of a live source is classified."""
    limits: PaceLimits = field(default_factory=PaceLimits)
    """A further limit of the rate, which changes while the pipeline runs."""
    areas: ActiveAreas = field(default_factory=ActiveAreas)
    """The zones in force; without any the whole view is classified."""
    input: InputSpec | None = None
    """The model's input, which says what it sees of a zone; None: all of it."""
    follower: Follower = field(default_factory=Follower)
    """Follows what moves, where the settings or a zone say so; the motion gate goes by what it sees then."""
    pending: Callable[[], frozenset[Place]] = nothing_pending
    """Places at which an event may begin with one of the next predictions: they are looked at first, and in every
    frame. Called in any thread."""
    events: Callable[[], Mapping[Place, Event]] = nothing_lasts
    """The events that last, by place. Called in the classifying thread."""
    lasting: bool = False
    """Somebody may watch: an unexpected error of files ends one attempt only, too, as it does of a camera."""
    worked: Callable[[int], None] = lambda _: None
    """Called with the capture time of each frame that was classified and published, in the publishing thread."""
    rested: Callable[[Frame, Prediction], None] = lambda frame, prediction: None
    """Called while nothing moves with two frames a second and the newest prediction, in the publishing thread."""
    unseen: Callable[[int, Mapping[Place, int]], None] = lambda now_ns, stood_ns: None
    """Called in a pause, twice a second, in the publishing thread: as `PlaceEvents.unseen`."""
    failed: Callable[[str], None] = lambda _: None
    """Called with a sentence after an unexpected error of a stage, in its thread."""
