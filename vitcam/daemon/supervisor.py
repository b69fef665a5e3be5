"""`vitcam run`: starts the parts of a run, watches over them, and ends them in time."""

import logging
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from vitcam.config.web import WebSettings
from vitcam.daemon.assembly import assemble
from vitcam.daemon.daemon import Daemon, RunOptions
from vitcam.daemon.reload import Reloader
from vitcam.daemon.saved_state.page_settings import PageSettings
from vitcam.daemon.saved_state.set_aside import SETTLED_S, SetAside
from vitcam.daemon.serving import note_address, serving_lock
from vitcam.daemon.shutdown import ShutdownRequest, shutdown_signals
from vitcam.daemon.source import imported_meanwhile
from vitcam.daemon.systemd import Notifier
from vitcam.daemon.watchdog import Verdict, faults_of, look_after, may_feed
from vitcam.errors import RestartAsked, SourceError, VitcamError
from vitcam.folders import state_folder
from vitcam.model.files import model_folders
from vitcam.pictures.opencv import use_one_thread
from vitcam.processes.resources import (
    allow_many_files,
    collect_garbage_often,
    settle_heap,
)
from vitcam.run.ending import Ending
from vitcam.run.kinds import Runs
from vitcam.sinks.sink import Summary
from vitcam.sources import is_camera
from vitcam.storage.files import remove_abandoned
from vitcam.storage.lock import FolderLock
from vitcam.terminal.consoles import stderr_console

log = logging.getLogger(__name__)

_TICK_S = 0.1  # how soon a signal or the end of a file is seen
_STATUS_S = 1.0
_FIRST_S = 0.5  # the page waits so long for the first picture at most; a camera may take longer
_TRIM_S = 10.0


def supervise(options: RunOptions, environ: Mapping[str, str]) -> None:
    """Run until the source is over, or a signal ends it.

    raises  SourceError for a source that is not there, unless it is waited for; ModelError; VitcamError for a port in
            use, for a state folder that another daemon uses, and for what ends a stage
    """
    notifier = Notifier.from_environ(environ)
    # a camera that was chosen on the page is waited for, so that the page is there to choose another one
    patient = options.wait or notifier.listened_to or "camera.source" in options.of_page
    # signals are handled from the first moment on: loading takes a second, too
    source = options.settings.camera.source
    folder = state_folder(environ)
    if options.settings.web.enabled:
        _try_port(options.settings.web)
    with (
        shutdown_signals() as shutdown,
        FolderLock(folder) as lock,
        serving_lock(folder) as serving,
        _advice(source, patient),
    ):
        if is_camera(source):  # a run of files does without a history where another one keeps it
            lock.take()
            _tidy(folder)
        use_one_thread()
        allow_many_files()

        def make(chosen: RunOptions) -> Daemon:
            with imported_meanwhile(chosen.settings.camera.source):
                return assemble(chosen, environ, patient, _terminal(notifier), service=notifier.listened_to, lock=lock)

        daemon = _assembled(options, environ, make)
        if daemon.web is not None:
            with daemon.set_aside.exempt():
                daemon.web.start(lambda: daemon.pipeline.predicted.get(0, _FIRST_S))
        daemon.pipeline.start(daemon.open_source)
        for each in daemon.objects.each(Runs):
            each.start()
        if daemon.web is not None:
            daemon.web.wait_until_serving()
            if daemon.is_live and folder is not None:
                note_address(folder, daemon.web.url, serving)
        collect_garbage_often()
        _settle_heap(daemon)
        notifier.ready("starting")
        _watch(daemon, notifier, shutdown, Reloader(options, daemon))
        notifier.stopping("ending")
        daemon.trials.close()
        daemon.set_aside.settled()
        asked = daemon.settings.restart_asked.is_set()
        shutdown.requested = shutdown.requested or asked
        _end(daemon, shutdown, RestartAsked("another start was asked for on the page") if asked else None)


def _try_port(settings: WebSettings) -> None:
    """Raises VitcamError for a port that is not available: it is said at once, and not after the model is loaded."""
    from vitcam.web.server import listen

    listen(settings.host, settings.port).close()


def _tidy(folder: Path | None) -> None:
    """Remove what a process that was killed left where state and taught models are written."""
    remove_abandoned(model_folders()[0], own=True)
    if folder is not None:
        remove_abandoned(folder, own=True)


def _assembled(options: RunOptions, environ: Mapping[str, str], make: Callable[[RunOptions], Daemon]) -> Daemon:
    """The daemon. Where a start is refused with what was set on the page and not without it, that is set aside."""
    try:
        return make(options)
    except VitcamError as refusal:
        aside = SetAside.of(options.settings, environ, options.model_fixed)
        if not options.of_page or not aside.refuse_settings(f"a start with the settings of the page failed: {refusal}"):
            raise
        try:
            return make(options.with_page(PageSettings(state_folder(environ)).layer))
        except VitcamError:  # the page is not to blame
            aside.use()
            raise refusal from None


def _terminal(notifier: Notifier) -> Callable[[str], None] | None:
    """Prints what no log may keep. None: nobody would read it, or a service manager would keep it."""
    if notifier.listened_to or not sys.stderr.isatty():
        return None
    return stderr_console().print


@contextmanager
def _advice(source: str, patient: bool) -> Iterator[None]:
    """Add what else can be done, where the run does not wait for the camera."""
    try:
        yield
    except SourceError as error:
        if patient or not is_camera(source):
            raise
        raise SourceError(
            f"{error}; `--wait` starts without the camera and keeps trying, `--source demo` plays the bundled clip"
        ) from error


def _watch(daemon: Daemon, notifier: Notifier, shutdown: ShutdownRequest, reloader: Reloader) -> None:
    """Feed the watchdog while all is well, keep the status line true, and reload when asked to, until the end."""
    feed_every_s = (notifier.watchdog_s or 0.0) / 3
    next_status = next_feed = time.monotonic()
    next_trim = next_status + _TRIM_S
    settled_s = next_status + SETTLED_S
    verdict, note, announced = Verdict(True, ""), "", False
    asked = daemon.settings.restart_asked
    while not shutdown.requested and not asked.is_set() and not daemon.pipeline.over.wait(_TICK_S):
        if not announced and daemon.pipeline.has_tried:  # there is something to watch, or a reason why not
            announced = True
            _announce(daemon)
        if shutdown.take_reload():
            note = _reload(daemon, notifier, reloader)
        reloader.take_new()
        now = time.monotonic()
        if now >= settled_s:
            settled_s = math.inf
            daemon.set_aside.settled()
        if now >= next_status:
            next_status = now + _STATUS_S
            _take_time_zone()
            daemon.state.thread_trouble = look_after(daemon.workers)
            daemon.state.thread_faults = faults_of(daemon.workers)
            daemon.state.stalled = may_feed(time.monotonic_ns(), daemon.heartbeats()).reason
            if notifier.listened_to:
                notifier.status("; ".join(filter(None, (daemon.state.line(), note))))
        if feed_every_s and now >= next_feed:
            next_feed = now + feed_every_s
            verdict = _feed(notifier, daemon, verdict)
        if now >= next_trim:
            next_trim = now + _TRIM_S
            daemon.photos.interpreter.give_back_unused()
            _settle_heap(daemon)


def _take_time_zone() -> None:
    """Follow the time zone of this machine: a new Pi often gets its own only after vitcam has started.

    A process keeps the zone that it began with until it asks. The C library then reads /etc/localtime again only where
    that is another file, so asking takes 3 µs. With TZ in the environment nothing changes.
    """
    before = time.tzname, time.timezone
    time.tzset()
    if (time.tzname, time.timezone) != before:
        log.info("the time zone of this machine has changed: it is %s now", time.strftime("%H:%M (%Z, UTC%z)"))


def _settle_heap(daemon: Daemon) -> None:
    newest = daemon.pipeline.latest.peek()
    settle_heap(0 if newest is None else newest.frame.preview.nbytes)


def _announce(daemon: Daemon) -> None:
    """Say where the page can be watched, on this machine and on others."""
    if daemon.web is None:
        return
    daemon.publisher.serving(daemon.web.url)
    in_network = daemon.web.network_url
    if in_network and in_network != daemon.web.url:
        log.info("other machines in the network watch at %s", in_network)


def _reload(daemon: Daemon, notifier: Notifier, reloader: Reloader) -> str:
    """Read the settings again; returns what the status line should say about them from now on."""
    notifier.reloading()
    note = reloader.reload()
    notifier.ready("; ".join(filter(None, (daemon.state.line(), note))))
    return note


def _feed(notifier: Notifier, daemon: Daemon, before: Verdict) -> Verdict:
    verdict = may_feed(time.monotonic_ns(), daemon.heartbeats())
    if verdict.feed:
        notifier.watchdog()
    elif before.feed:
        log.error("the watchdog is not fed any more: %s", verdict.reason)
    return verdict


def _end(daemon: Daemon, shutdown: ShutdownRequest, again: RestartAsked | None = None) -> None:
    """Stop every part within its time. A part that hangs, as a camera's driver may, is left behind.

    again  what is raised where the run ends to be started again
    """
    ending = Ending(shutdown)
    pipeline, publisher, running = daemon.pipeline, daemon.publisher, daemon.objects.each(Runs)
    state = pipeline.state()
    for each in running if ending.in_haste else ():
        each.hurry()
    daemon.photos.close()
    if daemon.fetch is not None:
        daemon.fetch.close()
    if daemon.web is not None:
        daemon.web.stop(ending.left_s())
    ended = pipeline.stop(ending.left_s())
    frames, errors = state.frames.classified, publisher.errors
    failure = pipeline.failure
    with ExitStack() as rest:  # also where the output cannot be written; the last one first
        for each in running:
            rest.callback(each.stop, ending)
        publisher.close(None if failure else Summary(frames, errors, state.frames.dropped, state.uptime_s))
    # the interpreter would end under threads that still run: one that is inside OpenCV aborts the process then
    ended = all([ended, *(worker.join(ending.left_s()) for worker in daemon.workers)])
    if ended:
        daemon.outbox.close()
    if failure is None and errors and not frames and not shutdown.requested:
        failure = VitcamError(f"not one of {errors} file(s) could be read; JPEG, PNG, WebP and BMP pictures can")
    failure = failure or again
    if ended and failure is not None:
        raise failure
    if not ended:
        if failure is not None:
            log.error("%s", failure)
        logging.shutdown()
        sys.stdout.flush()
        os._exit(0 if failure is None else failure.exit_code)
