"""What a run is made of: the base, and the objects of its parts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vitcam.config.settings import Settings
from vitcam.daemon.classifiers import CameraClassifier
from vitcam.daemon.model_choice import RunningModel
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.report import Reporter
from vitcam.daemon.run_state import RunState
from vitcam.daemon.running_settings import RunningSettings
from vitcam.history.store import EventStore
from vitcam.look.active_areas import ActiveAreas
from vitcam.machine import Machine
from vitcam.names.active import ActiveNames
from vitcam.names.vocabulary import Vocabulary
from vitcam.pipeline.pipeline import Pipeline
from vitcam.run.objects import Objects
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.sources.playback import Playback
from vitcam.storage.outbox import Outbox
from vitcam.storage.unsaved import Unsaved
from vitcam.web.open_pages import OpenPages
from vitcam.web.stream.variant import Variant


@dataclass(frozen=True, slots=True)
class Run:
    """Given to the parts when their objects are made. An object keeps what it needs of it, and not the run itself."""

    settings: Settings
    """Those of the start."""
    running: RunningSettings
    """Those in force, which may be changed."""
    environ: Mapping[str, str]
    """Of the process."""
    is_set_up: bool
    """Whether somebody has named the camera in a file, in a variable or on the page."""
    folder: Path | None
    """The state folder, which only one run of a camera uses; None: there is none, or the source is no camera."""
    machine: Machine
    model: Current[RunModel]
    """The one in use."""
    models: RunningModel
    """Puts another one in its place."""
    names: ActiveNames
    vocabulary: Vocabulary
    """By which texts labels and groups may be named now."""
    areas: ActiveAreas
    pipeline: Pipeline
    playback: Playback
    """Pauses a source of files."""
    history: EventStore | None
    """None: nothing is kept."""
    is_live: bool
    """False: files are read at full speed, and leave nothing but their answers."""
    outbox: Outbox
    """Where deliveries wait."""
    unsaved: Unsaved
    """Saves again what the disk did not take."""
    events: Publisher
    camera: CameraClassifier
    """Asks the model about other pictures between two frames."""
    state: RunState
    """How the run is."""
    report: Reporter
    """The same for a household's system."""
    default: Current[Variant]
    """What viewers get who choose nothing."""
    pages: OpenPages
    objects: Objects
    """Complete once every part has made its own."""
