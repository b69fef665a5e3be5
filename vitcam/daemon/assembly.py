"""Makes the parts of a run and connects them; nothing runs yet.

The handles that parts share are made first: playback, the crop in force, what viewers demand, and the end of the run.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vitcam.actions.rule_engine import RuleEngine, Vocabulary
from vitcam.config.settings import HeatSettings, Settings, StoreSettings, labels_in
from vitcam.config.validators import seconds_of
from vitcam.daemon.binding import binding
from vitcam.daemon.classifiers import PhotoClassifier
from vitcam.daemon.console_sink import build_sink
from vitcam.daemon.model import FewerThreads, RunModel, load_configured_model
from vitcam.daemon.part_options import check_overlay, default_variant, frozen_of, gate_of
from vitcam.daemon.parts import Daemon
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.recording import Recording, recording_of
from vitcam.daemon.reload import Reloadable
from vitcam.daemon.saved_state.areas import initial_areas
from vitcam.daemon.saved_state.crops import initial_crop
from vitcam.daemon.saved_state.events import event_store, note, picture_soon, record, state_of
from vitcam.daemon.saved_state.last_model import LastModel
from vitcam.daemon.saved_state.set_aside import SetAside
from vitcam.daemon.saved_state.stored_answers import StoredAnswers
from vitcam.daemon.saved_state.trials import Trials
from vitcam.daemon.source import SourceOpener
from vitcam.errors import VitcamError
from vitcam.folders import state_folder
from vitcam.frames import Frame, Prediction
from vitcam.heat.governor import GovernorRules
from vitcam.heat.limits import HeatLimits
from vitcam.heat.watch import PI_LIMIT, HeatWatch
from vitcam.history.store import EventStore
from vitcam.machine import Machine
from vitcam.model.classifier import Classifier
from vitcam.model.labels import unknown_labels
from vitcam.model.record import model_info
from vitcam.pictures.view import Orientation
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline
from vitcam.problems.frozen import FrozenWatch
from vitcam.processes.cost import CostMeter
from vitcam.redaction import redacted
from vitcam.slot import Current
from vitcam.sources import is_camera
from vitcam.sources.active_crop import ActiveCrop
from vitcam.sources.playback import Playback
from vitcam.sources.source import SourceOptions
from vitcam.storage.lock import FolderLock
from vitcam.text import readable
from vitcam.web.parts import Binding, WebParts
from vitcam.web.stream.variant import Demand
from vitcam.words.live_labels import LiveLabels
from vitcam.words.relabel import destination_of, read_open_vocabulary
from vitcam.zones.active import ActiveAreas

if TYPE_CHECKING:
    from vitcam.web.server import WebServer

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is asked of one `vitcam run`, beside the settings."""

    settings: Settings
    read_again: Callable[[], Settings]
    """Reads the settings again, from the same places. Raises ConfigError, UsageError."""
    model_from: str = ""
    """Where the configuration names the model; empty where nobody did, or an option of the command line."""
    realtime: bool | None = None
    loop: bool | None = None
    wait: bool = False
    """Start without the camera, and keep trying."""


@dataclass(frozen=True, slots=True)
class _Handles:
    """What several parts share, made before any of them."""

    playback: Playback
    crop: ActiveCrop
    demand: Demand
    over: threading.Event
    words: LiveLabels | None
    """None: the model's labels cannot be changed."""
    heat_limits: HeatLimits
    history: Current[EventStore | None]
    """None: no events are kept."""
    areas: ActiveAreas
    acting: RuleEngine
    recording: Current[Recording]
    standing: Current[str]
    unkept: Current[str]
    """Why no events are kept, if that is not what the settings ask for."""
    frozen: FrozenWatch | None
    """None: the source is a file or a pipe, or a camera whose picture may stay the same."""
    trials: Trials
    aside: SetAside


def assemble(
    options: RunOptions,
    environ: Mapping[str, str],
    patient: bool,
    show: Callable[[str], None] | None = None,
    service: bool = False,
    lock: FolderLock | None = None,
) -> Daemon:
    """Load the model, find the source and connect everything.

    patient  wait for a source that is not there yet
    show     prints a sentence on the terminal and nowhere else; None: there is no terminal
    service  if the model is damaged, run with the last one that worked
    lock     of the state folder; a run that does not get it keeps no events; None: nobody else uses the folder
    raises   ConfigError, ModelError, SourceError, UsageError
    """
    settings = options.settings
    aside = SetAside.of(settings, environ)
    aside.begin()
    last = LastModel(state_folder(environ)) if service else None
    model = load_configured_model(settings.model, options.model_from, last, aside.model)
    classifier = model.classifier
    kept: Current[EventStore | None] = Current(None)
    trials = Trials()
    areas = initial_areas(settings, environ, trials)
    handles = _Handles(
        Playback(),
        initial_crop(settings.camera, environ, trials),
        Demand(),
        threading.Event(),
        _words(model.name_or_file, classifier),
        HeatLimits(),
        kept,
        areas,
        _acting(settings, classifier, environ, kept),
        Current(Recording()),
        Current(""),
        Current(""),
        frozen_of(settings, areas),
        trials,
        aside,
    )
    aside.offer(handles.crop, handles.areas)
    aside.follow(trials)
    if handles.words is None:
        asked_for = [*handles.areas.areas.watched_labels, *labels_in(settings)]
        for sentence in unknown_labels(asked_for, model_info(classifier).names):
            log.warning("%s", sentence)
    machine = Machine(environ)
    heat = HeatWatch(machine, _heat_rules(settings.heat, machine, classifier), handles.heat_limits)
    publisher = Publisher(settings.events.rules, handles.over.set, handles.areas)
    pipeline = _build_pipeline(settings, model, publisher, handles, heat, patient)
    source_options = _source_options(options, classifier, pipeline, publisher, handles)
    opener = SourceOpener(settings.camera.source, source_options)
    with aside.blameless():
        live = opener.prepare(patient)
    if not model.trouble:
        check_overlay(settings, classifier)
    every = not (live or source_options.realtime)
    console = build_sink(settings.log, every, classifier.labels)
    publisher.connect(console, handles.acting.runner)
    if not every and _may_keep(settings.store, lock, handles.unkept):
        answers = StoredAnswers(classifier, handles.words)
        handles.history.value = history = event_store(settings.store, environ, answers)
        if history is not None:
            record(history, settings.store, publisher, classifier)
    if not every:
        handles.recording.value = recording_of(settings, handles.history.value, publisher, handles.frozen)
    _let_go_of_pictures(handles, pipeline, publisher)
    photos = PhotoClassifier(classifier, handles.words)
    web = None
    if settings.web.enabled:
        with aside.blameless():
            where = binding(settings.web, environ, show)
        web = _build_web(settings, pipeline, classifier, photos, handles, where)
    reloadable = Reloadable(model, handles.crop, handles.areas, console, every, trials, aside)
    kept_events, recording = handles.history.value, handles.recording.value
    acting, standing = handles.acting, handles.standing
    return Daemon(pipeline, opener, web, publisher, photos, reloadable, heat, kept_events, acting, recording, standing)


def _build_pipeline(
    settings: Settings,
    model: RunModel,
    publisher: Publisher,
    handles: _Handles,
    heat: HeatWatch,
    patient: bool,
) -> Pipeline:
    classifier = model.classifier
    options = PipelineOptions(
        source=readable(redacted(settings.camera.source)) or "auto",
        model=classifier.card.name,
        patient=patient,
        lasting=settings.web.enabled,
        max_fps=settings.model.fps,
        frozen=handles.frozen,
        gate=gate_of(settings.motion),
        trouble=model.trouble,
        threads=lambda: handles.standing.value,
        heat_limits=handles.heat_limits,
        heat=lambda: heat.heat,
        areas=handles.areas,
        input=classifier.input,
        pending=lambda: publisher.pending,
        cost=CostMeter(),
        history=lambda: state_of(handles.history.value, handles.unkept.value),
        actions=handles.acting.runner.state,
        clips=lambda: handles.recording.value.counts(),
        problem=lambda: handles.recording.value.problem(),
        worked=handles.trials.worked,
        failed=handles.trials.failed,
    )
    threaded = FewerThreads(classifier)

    def classify(frame: Frame) -> Prediction:
        current = threaded.classifier(handles.heat_limits.threads)
        if handles.words is not None:
            handles.words.give_to(current)
        return current(frame, explain=handles.demand.explanation)

    return Pipeline(options, classify, publisher.prediction, handles.over)


def _may_keep(settings: StoreSettings, lock: FolderLock | None, unkept: Current[str]) -> bool:
    """Whether this run may write events, pictures and clips; `unkept` gets the reason if not."""
    try:
        if settings.enabled and lock is not None:
            lock.take()
    except VitcamError as error:
        unkept.value = f"no events and no clips are kept: {error}"
        log.warning("%s", unkept.value)
    return not unkept.value


def _heat_rules(heat: HeatSettings, machine: Machine, classifier: Classifier) -> GovernorRules | None:
    """None: nothing is limited, because the user wants it so, or because nobody knows where this machine is slowed."""
    limit = heat.limit or (PI_LIMIT if machine.is_pi else 0.0)
    return GovernorRules(limit, classifier.runtime.threads) if heat.enabled and limit else None


def _acting(
    settings: Settings, classifier: Classifier, environ: Mapping[str, str], history: Current[EventStore | None]
) -> RuleEngine:
    # only one run of a camera uses a state folder, but any number of runs of files
    outbox = state_folder(environ) if is_camera(settings.camera.source) else None
    return RuleEngine(
        settings,
        Vocabulary.of(classifier),
        outbox,
        environ,
        note=lambda outcome: note(history.value, outcome),
        picture=lambda event: picture_soon(history.value, event),
    )


def _words(model: str, classifier: Classifier) -> LiveLabels | None:
    if not classifier.card.word_capacity:
        return None
    return LiveLabels(read_open_vocabulary(classifier.path), destination_of(model, classifier.path))


def _source_options(
    options: RunOptions, classifier: Classifier, pipeline: Pipeline, publisher: Publisher, handles: _Handles
) -> SourceOptions:
    camera = options.settings.camera
    watched = options.settings.web.enabled
    return SourceOptions(
        input=classifier.input,
        width=camera.width,
        height=camera.height,
        fps=camera.fps,
        realtime=True if options.realtime is None and watched else options.realtime,
        loop=options.loop,
        every_s=seconds_of(camera.every),
        ask_every_s=seconds_of(camera.ask_every),
        playback=handles.playback,
        on_unreadable=publisher.unreadable,
        orientation=Orientation.of(camera.rotate, camera.flip),
        active_crop=handles.crop,
        active_areas=handles.areas,
        wanted=pipeline.wants_frame,
    )


def _build_web(
    settings: Settings,
    pipeline: Pipeline,
    classifier: Classifier,
    photos: PhotoClassifier,
    handles: _Handles,
    where: Binding,
) -> "WebServer":
    from vitcam.web.server import WebServer  # aiohttp takes 0.3 s to import

    parts = WebParts(
        latest=pipeline.latest,
        predicted=pipeline.predicted,
        state=pipeline.state,
        model=model_info(classifier),
        photos=photos,
        default=Current(default_variant(settings, classifier)),
        crop=handles.crop,
        areas=handles.areas,
        playback=handles.playback,
        demand=handles.demand,
        words=handles.words,
        history=handles.history.value,
        set_aside=handles.aside,
    )
    return WebServer(parts, where)


def _let_go_of_pictures(handles: _Handles, pipeline: Pipeline, publisher: Publisher) -> None:
    """Tell every holder of pictures when masks are drawn: those nearer to the source first."""
    handles.areas.on_new_masks(pipeline.let_go, publisher.let_go)
    if (clips := handles.recording.value.clips) is not None:
        handles.areas.on_new_masks(clips.queue.let_go)
    if (history := handles.history.value) is not None:
        handles.areas.on_new_masks(history.let_go)
