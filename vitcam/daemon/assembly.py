"""Makes the parts of a run and connects them, from the source to the sinks; nothing runs yet."""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from vitcam.config.identity import Identity
from vitcam.config.settings import Settings, labels_in
from vitcam.config.validators import seconds_of
from vitcam.daemon.binding import binding
from vitcam.daemon.classifiers import CameraClassifier, PhotoClassifier, StoredPictureClassifier
from vitcam.daemon.configured import ConfiguredModel, ConfiguredNames, ConfiguredOutput, ConfiguredView
from vitcam.daemon.daemon import Daemon, RunOptions
from vitcam.daemon.disk_watch import DiskWatch
from vitcam.daemon.model import LastModel, load_first_model
from vitcam.daemon.model_choice import RunningModel
from vitcam.daemon.part_options import (
    build_sink,
    check_overlay,
    default_variant,
    follower_of,
    gate_of,
    trouble_with_names,
)
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.recording import Recording, recording_of
from vitcam.daemon.report import Reporter
from vitcam.daemon.run import Run
from vitcam.daemon.run_state import RunState
from vitcam.daemon.running_settings import RunningSettings
from vitcam.daemon.saved_state.page_choices import initial_areas, initial_crop
from vitcam.daemon.saved_state.page_settings import PageSettings, initial_names
from vitcam.daemon.saved_state.set_aside import SetAside
from vitcam.daemon.saved_state.trials import Trials
from vitcam.daemon.source import SourceOpener
from vitcam.folders import state_folder
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.watched import WatchedNow
from vitcam.machine import Machine
from vitcam.model.labels import unknown_labels
from vitcam.parts import PARTS
from vitcam.pictures.view import Orientation
from vitcam.pipeline.limits import PaceLimits
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline
from vitcam.redaction import redacted
from vitcam.run.kinds import HoldsPixels, Sees
from vitcam.run.objects import Objects
from vitcam.run.part import load_each
from vitcam.run_model import RunModel, vocabulary_of
from vitcam.slot import Current
from vitcam.sources import is_camera
from vitcam.sources.active_crop import ActiveCrop
from vitcam.sources.playback import Playback
from vitcam.sources.source import SourceOptions
from vitcam.storage.lock import FolderLock
from vitcam.storage.outbox import Outbox
from vitcam.text import readable
from vitcam.web.given import WebParts
from vitcam.web.open_pages import OpenPages
from vitcam.web.revisions import Revisions
from vitcam.web.stream.variant import Demand

if TYPE_CHECKING:
    from vitcam.fetch.picture_fetch import PictureFetch
    from vitcam.web.server import WebServer

log = logging.getLogger(__name__)


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
    set_aside, trials = SetAside.of(options.settings, environ, options.model_fixed), Trials()
    set_aside.begin()
    last = LastModel(state_folder(environ)) if service else None
    page = PageSettings(state_folder(environ))
    if options.layers is not None and options.of_page:  # some of it may be set aside now
        options = options.with_page(page.layer)
    settings = options.settings
    chosen = "" if options.model_fixed else page.model
    first = load_first_model(settings.model, options.model_from, last, set_aside.model, chosen, options.ahead)
    classifier, model = first.classifier, Current(first)
    names = initial_names(settings.names, page, trials.unsaved)
    vocabulary = vocabulary_of(model, names)
    if not names.in_force.page.changes_nothing:
        log.info("names that were set on the page in an earlier run are in force; change them there")
    classifier.call_by(names)
    if trouble := trouble_with_names(names, classifier):
        log.warning("%s", trouble)
    crop = initial_crop(settings.camera, environ, trials)
    areas = initial_areas(settings, environ, trials)
    running_settings = RunningSettings(
        settings, options.layers, page=page, trials=trials, vocabulary=vocabulary, service=service
    )
    set_aside.offer(crop, areas, running_settings.read)
    set_aside.follow(trials)
    if first.words is None:
        for sentence in unknown_labels([*areas.areas.watched_labels, *labels_in(settings)], vocabulary.known):
            log.warning("%s", sentence)

    # source and classifier
    over, playback, demand = threading.Event(), Playback(), Demand()
    machine, limits = Machine(environ), PaceLimits()
    follower = follower_of(settings, classifier.input, crop, areas.areas)
    camera = CameraClassifier(model, limits=limits, demand=demand)
    publisher = Publisher(settings.events.rules, over.set, areas, vocabulary, follower.tracks)
    pipeline = Pipeline(
        PipelineOptions(
            source=readable(redacted(settings.camera.source)) or "auto",
            model=classifier.card.name,
            patient=patient,
            lasting=settings.web.enabled,
            max_fps=settings.model.fps,
            gate=gate_of(settings),
            limits=limits,
            areas=areas,
            input=classifier.input,
            follower=follower,
            pending=lambda: publisher.pending,
            events=lambda: publisher.lasting,
            worked=trials.worked,
            rested=publisher.rested,
            unseen=publisher.unseen,
            failed=trials.failed,
        ),
        camera,
        publisher.prediction,
        over,
    )
    source_options = _source_options(
        options, model, playback=playback, crop=crop, areas=areas, pipeline=pipeline, publisher=publisher
    )
    open_source = SourceOpener(settings.camera.source, source_options)
    with set_aside.exempt():
        live = open_source.prepare(patient)
    if not first.trouble and "overlay.mode" not in options.of_page:  # of the page, what fits another model stays unused
        check_overlay(settings, classifier)
    every = not (live or options.paced)

    # what becomes of predictions and events
    recording, recorder = Recording(), None
    if not every:
        recording, recorder = recording_of(settings, environ, vocabulary, StoredPictureClassifier(camera), lock)
    # only one run of a camera uses a state folder, but any number of runs of files
    folder = state_folder(environ) if is_camera(settings.camera.source) else None
    outbox = Outbox(folder)
    console = build_sink(settings.log, every, classifier.displayed_labels)

    # what people see of it
    photos = PhotoClassifier(model)
    fetch = _picture_fetch() if settings.web.enabled and settings.web.fetch else None
    disk = DiskWatch(state_folder(environ))
    objects, pages = Objects(), OpenPages()
    state = RunState(objects, pipeline, recording, model, disk, outbox, trials.unsaved, running_settings)
    default = Current(default_variant(settings, classifier))
    models = RunningModel(
        model,
        settings,
        options.model_fixed,
        names=names,
        areas=areas,
        pipeline=pipeline,
        default=default,
        page=page,
        trials=trials,
        objects=objects,
    )
    objects.add(
        publisher,
        *filter(None, (recording, recorder, disk)),
        ConfiguredModel(settings, models, model, pipeline),
        ConfiguredNames(settings, names, model),
        ConfiguredView(settings, environ, crop, areas, trials),
    )
    report = Reporter(
        identity=Identity.of(settings, state_folder(environ), machine),
        state=state,
        events=publisher,
        running=running_settings,
        models=models,
        model=model,
        default=default,
        playback=playback,
        objects=objects,
        watched=WatchedNow(areas, objects, vocabulary),
        vocabulary=vocabulary,
    )
    run = Run(
        settings=settings,
        running=running_settings,
        environ=environ,
        is_set_up=options.is_set_up,
        folder=folder,
        machine=machine,
        model=model,
        models=models,
        names=names,
        vocabulary=vocabulary,
        areas=areas,
        pipeline=pipeline,
        playback=playback,
        history=recording.history,
        is_live=not every,
        outbox=outbox,
        unsaved=trials.unsaved,
        events=publisher,
        camera=camera,
        state=state,
        report=report,
        default=default,
        pages=pages,
        objects=objects,
    )
    for make in load_each(part.make for part in PARTS):
        run.objects.add(*make(run))
    web = None
    if settings.web.enabled:
        parts = WebParts(
            latest=pipeline.latest,
            predicted=pipeline.predicted,
            state=state,
            report=report,
            model=model,
            times=pipeline.times,
            faults=state.faults,
            stalled=lambda: bool(state.stalled),
            models=models,
            photos=photos,
            default=default,
            crop=crop,
            areas=areas,
            names=names,
            playback=playback,
            pause=pipeline.pause,
            demand=demand,
            history=recording.history,
            set_aside=set_aside,
            settings=running_settings,
            unsaved=trials.unsaved,
            revisions=Revisions(state_folder(environ)),
            pages=pages,
            fetch=fetch,
            objects=objects,
        )
        with set_aside.exempt():
            web = _web_server(parts, settings, environ, show)
    objects.add(ConfiguredOutput(settings, console, every, model, web))
    publisher.connect(console)
    _attach(objects, pipeline, publisher, areas)
    return Daemon(
        objects=objects,
        open_source=open_source,
        model=model,
        models=models,
        pipeline=pipeline,
        publisher=publisher,
        is_live=not every,
        photos=photos,
        fetch=fetch,
        outbox=outbox,
        web=web,
        state=state,
        trials=trials,
        set_aside=set_aside,
        settings=running_settings,
    )


def _attach(objects: Objects, pipeline: Pipeline, publisher: Publisher, areas: ActiveAreas) -> None:
    """Show the objects of a run what they see, and have them drop pictures where masks are drawn."""
    everything = objects.each(object)
    publisher.attach(*everything)
    pipeline.attach(*everything)
    others = [each for each in everything if isinstance(each, HoldsPixels) and not isinstance(each, Sees | Publisher)]
    areas.attach(pipeline, publisher, *reversed(others))  # those nearer to the source first


def _source_options(
    options: RunOptions,
    model: Current[RunModel],
    *,
    playback: Playback,
    crop: ActiveCrop,
    areas: ActiveAreas,
    pipeline: Pipeline,
    publisher: Publisher,
) -> SourceOptions:
    camera = options.settings.camera
    return SourceOptions(
        input=model.value.classifier.input,
        input_now=lambda: model.value.classifier.input,
        width=camera.width,
        height=camera.height,
        fps=camera.fps,
        realtime=options.paced,
        loop=options.loop,
        every_s=seconds_of(camera.every),
        ask_every_s=seconds_of(camera.ask_every),
        trust=camera.trust,
        playback=playback,
        on_unreadable=publisher.unreadable,
        orientation=Orientation.of(camera.rotate, camera.flip),
        active_crop=crop,
        active_areas=areas,
        follows=lambda: pipeline.follower.is_on(areas.areas),
        boxes=pipeline.follower.boxes,
        wanted=pipeline.wants_frame,
        rests=lambda: pipeline.rests,
        compares=lambda: pipeline.compares,
        moves=pipeline.moves,
    )


def _picture_fetch() -> "PictureFetch":
    from vitcam.fetch.picture_fetch import PictureFetch  # loads TLS, which few daemons need

    return PictureFetch()


def _web_server(
    parts: WebParts, settings: Settings, environ: Mapping[str, str], show: Callable[[str], None] | None
) -> "WebServer":
    from vitcam.web.server import WebServer  # imports asyncio, which a run without the page does not need

    return WebServer(parts, binding(settings.web, environ, show))
