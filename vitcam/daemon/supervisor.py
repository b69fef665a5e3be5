"""`vitcam run`: puts source, model, sinks, web and service manager together, and watches over them until the end."""

import logging
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vitcam.config.duration import seconds_of
from vitcam.config.settings import ModelSettings, MotionSettings, Settings
from vitcam.daemon.console_sink import build_sink
from vitcam.daemon.file_limit import allow_many
from vitcam.daemon.opener import Opener
from vitcam.daemon.photo_classifier import PhotoClassifier
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.saved_crops import initial_crop
from vitcam.daemon.shutdown import Asked, asked_to_end
from vitcam.daemon.systemd import Notifier
from vitcam.daemon.watchdog import Hearts, Verdict, may_feed
from vitcam.errors import ConfigError, ModelError, SourceError, UsageError, VitcamError
from vitcam.events import Rules
from vitcam.frames import Frame, Prediction
from vitcam.model.classifier import Classifier
from vitcam.model.open import open_classifier
from vitcam.model.record import model_info
from vitcam.motion import MotionGate, Rest
from vitcam.pictures.opencv import use_one_thread
from vitcam.pictures.overlay_kinds import OVERLAYS, default_overlay, is_available
from vitcam.pictures.view import Orientation
from vitcam.pipeline.pipeline import Job, Pipeline
from vitcam.redaction import redacted
from vitcam.sinks.sink import Summary
from vitcam.sources import is_camera
from vitcam.sources.active_crop import ActiveCrop
from vitcam.sources.playback import Playback
from vitcam.sources.source import SourceOptions
from vitcam.text import readable

if TYPE_CHECKING:
    from vitcam.web.server import WebServer

log = logging.getLogger(__name__)

_TICK_S = 0.1  # how soon a signal or the end of a file is seen
_STATUS_S = 1.0
_END_WITHIN_S = 0.6  # for the web, and again for the stages: together below `ending.AT_LAST_S`


@dataclass(frozen=True, slots=True)
class Run:
    """What is asked of one `vitcam run`, beside the settings."""

    settings: Settings
    model_from: str = ""
    """Where the configuration names the model; empty where nobody did, or an option of the command line."""
    realtime: bool | None = None
    loop: bool | None = None
    wait: bool = False
    """Start without the camera, and keep trying."""


def supervise(run: Run, environ: Mapping[str, str]) -> None:
    """Run until the source is over, or somebody ends it.

    raises  SourceError for a source that is not there, unless it is waited for; ModelError; VitcamError for a port in
            use and for whatever ends a stage
    """
    notifier = Notifier.from_environ(environ)
    patient = run.wait or notifier.listened_to
    # the first moment: loading takes a second, too
    with asked_to_end() as asked, _advice(run.settings.camera.source, patient):
        use_one_thread()
        allow_many()
        watched = _assemble(run, environ, patient)
        if watched.web is not None:
            watched.web.start()
        watched.pipeline.start()
        if watched.web is not None:  # takes 0.2 s, in which the first picture is classified already
            watched.web.wait_until_serving()
            watched.publisher.serving(watched.web.url)
        notifier.ready("starting")
        _watch(watched, notifier, asked)
        notifier.stopping("ending")
        _end(watched, asked)


@contextmanager
def _advice(source: str, patient: bool) -> Iterator[None]:
    """Tell whoever waits for no camera what else can be done; the card that says why there is no picture need not."""
    try:
        yield
    except SourceError as error:
        if patient or not is_camera(source):
            raise
        raise SourceError(
            f"{error}; `--wait` starts without the camera and keeps trying, `--source demo` plays the bundled clip"
        ) from error


def _assemble(run: Run, environ: Mapping[str, str], patient: bool) -> "_Watched":
    """Load and connect everything; nothing runs yet."""
    settings = run.settings
    realtime = True if run.realtime is None and settings.web.enabled else run.realtime  # somebody watches
    playback = Playback()
    classifier = _configured_model(run)
    wish = SourceOptions(
        input=classifier.input,
        width=settings.camera.width,
        height=settings.camera.height,
        fps=settings.camera.fps,
        realtime=realtime,
        loop=run.loop,
        every_s=seconds_of(settings.camera.every),
        playback=playback,
        on_unreadable=lambda bad: publisher.unreadable(bad),
        orientation=Orientation.of(settings.camera.rotate, settings.camera.flip),
        region=lambda: active_crop.region,
        wanted=lambda: pipeline.wants_frame(),
    )
    opener = Opener(settings.camera.source, wish)
    live = opener.prepare(patient)
    active_crop = initial_crop(settings.camera, environ)
    sink = build_sink(settings.log, not (live or realtime), classifier.labels)
    publisher = Publisher(_rules(settings), [sink], lambda: pipeline.over.set())
    job = Job(
        opener,
        readable(redacted(settings.camera.source)) or "auto",
        classifier.card.name,
        patient,
        settings.model.fps,
        _gate(settings.motion),
    )

    def classify(frame: Frame) -> Prediction:
        return classifier(frame, explain=web is not None and web.wants_explanation)

    pipeline = Pipeline(job, classify, publisher.prediction)
    _check_overlay(settings, classifier)
    photos = PhotoClassifier(classifier)
    web = _build_web(settings, pipeline, classifier, active_crop, photos, playback) if settings.web.enabled else None
    return _Watched(pipeline, web, publisher, photos)


def _configured_model(run: Run) -> Classifier:
    """A model that the configuration names and that cannot be used is a bad configuration: ConfigError."""
    try:
        return load_model(run.settings.model)
    except ModelError as error:
        if not run.model_from:
            raise
        raise ConfigError(f"{run.model_from}: model.name: {error}") from error


def load_model(settings: ModelSettings) -> Classifier:
    """Load a model, check its golden images, and say what runs it. Raises ModelError if it answers wrongly."""
    classifier = open_classifier(settings)
    wrong = [result for result in classifier.verify() if not result.ok]
    if wrong:
        first = wrong[0]
        raise ModelError(
            f"{classifier.path} answers {first.name} with {first.found.label} {first.found.p:.2f} instead of "
            f"{first.expected.label} {first.expected.p:.2f} on this machine; reinstall vitcam or export the model again"
        )
    runtime = classifier.runtime
    log.info(
        "model %s, %d labels, on %s %s with %d threads, %d delegate partition(s), %d operator(s) outside",
        classifier.card.name, len(classifier.labels), runtime.name, runtime.version,
        runtime.threads, runtime.partitions, runtime.outside,
    )  # fmt: skip
    return classifier


@dataclass(frozen=True, slots=True)
class _Watched:
    """What the supervisor keeps an eye on."""

    pipeline: Pipeline
    web: "WebServer | None"
    publisher: Publisher
    photos: PhotoClassifier

    def hearts(self) -> Hearts:
        stages = self.pipeline.hearts()
        return Hearts(
            capture_ns=stages.capture_ns,
            classifying_since_ns=stages.classifying_since_ns,
            publishing_since_ns=stages.publishing_since_ns,
            web_ns=None if self.web is None else self.web.beat_ns,
            ended=stages.ended,
        )

    def status(self) -> str:
        """One line for `systemctl status`: what is seen and how fast, or why nothing is."""
        state = self.pipeline.state()
        if state.reason:
            return f"{state.status.replace('_', ' ')}: {state.reason}"
        newest = self.pipeline.predicted.peek()
        guess = f"{newest.top[0].label} {newest.top[0].p:.0%}" if newest else "nothing yet"
        return f"{guess}, {state.fps.classified:.1f} fps"


def _watch(watched: _Watched, notifier: Notifier, asked: Asked) -> None:
    """Until the end: feed the watchdog while all is well, and keep the status line true."""
    feed_every_s = (notifier.watchdog_s or 0.0) / 3
    next_status = next_feed = time.monotonic()
    verdict = Verdict(True, "")
    while not asked.to_end and not watched.pipeline.over.wait(_TICK_S):
        now = time.monotonic()
        if now >= next_status:
            next_status = now + _STATUS_S
            if notifier.listened_to:
                notifier.status(watched.status())
        if feed_every_s and now >= next_feed:
            next_feed = now + feed_every_s
            verdict = _feed(notifier, watched, verdict)


def _feed(notifier: Notifier, watched: _Watched, before: Verdict) -> Verdict:
    verdict = may_feed(time.monotonic_ns(), watched.hearts())
    if verdict.feed:
        notifier.watchdog()
    elif before.feed:
        log.error("the watchdog is not fed any more: %s", verdict.reason)
    return verdict


def _end(watched: _Watched, asked: Asked) -> None:
    """Stop every part within its time. A part that hangs (a camera's driver may) is left behind, not waited for."""
    pipeline, publisher = watched.pipeline, watched.publisher
    state = pipeline.state()
    watched.photos.close()
    if watched.web is not None:
        watched.web.stop(_END_WITHIN_S)
    ended = pipeline.stop(_END_WITHIN_S)
    frames, errors = state.frames.classified, publisher.errors
    failure = pipeline.failure
    publisher.close(None if failure else Summary(frames, errors, state.frames.dropped, state.uptime_s))
    if failure is None and errors and not frames and not asked.to_end:
        failure = VitcamError(f"not one of {errors} file(s) could be read; JPEG, PNG, WebP and BMP pictures can")
    if ended and failure is not None:
        raise failure
    if not ended:
        if failure is not None:
            log.error("%s", failure)
        logging.shutdown()
        sys.stdout.flush()
        os._exit(0 if failure is None else failure.exit_code)


def _rules(settings: Settings) -> Rules:
    events = settings.events
    return Rules(events.half_life_s, events.enter, events.leave, events.dwell_s)


def _gate(settings: MotionSettings) -> MotionGate | None:
    if not settings.enabled:
        return None
    return MotionGate(Rest(settings.threshold, settings.hold_s, settings.rest_fps))


def _build_web(
    settings: Settings,
    pipeline: Pipeline,
    classifier: Classifier,
    active_crop: ActiveCrop,
    photos: PhotoClassifier,
    playback: Playback,
) -> "WebServer":
    from vitcam.web.server import WebServer  # aiohttp takes 0.3 s to import
    from vitcam.web.stream.variant import Variant

    return WebServer(
        pipeline,
        model_info(classifier),
        photos,
        settings.web.host,
        settings.web.port,
        Variant(overlay=_overlay_mode(settings, classifier), opacity=settings.overlay.opacity),
        active_crop,
        names=settings.web.names,
        playback=playback,
    )


def _overlay_mode(settings: Settings, classifier: Classifier) -> str:
    mode = settings.overlay.mode
    return default_overlay(classifier.gives) if mode == "auto" else mode


def _check_overlay(settings: Settings, classifier: Classifier) -> None:
    mode = settings.overlay.mode
    if mode != "auto" and not is_available(OVERLAYS[mode], classifier.gives):
        raise UsageError(
            f"the overlay is {mode}, but {classifier.path} does not give it; export it again with vitcam-train, or "
            "take --overlay auto"
        )
