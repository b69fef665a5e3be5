"""What the parts of a run need of the settings: made at the start, and again when the settings were read again."""

import logging
import os
import sys
from typing import Protocol, TextIO

from vitcam.config.settings import LogSettings, Settings
from vitcam.errors import UsageError
from vitcam.look.areas import Areas, Zone
from vitcam.look.follower import Follower
from vitcam.look.motion import GateOptions, MotionGate
from vitcam.model.classifier import Classifier
from vitcam.names.active import ActiveNames
from vitcam.names.naming import trouble_with
from vitcam.pictures.overlay_kinds import OVERLAYS, default_overlay, is_available
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import Follow, Region
from vitcam.sinks.journal import JournalLines, is_read_by_journal
from vitcam.sinks.jsonl import JsonLines
from vitcam.sinks.sink import Sink
from vitcam.sources import is_camera, is_film
from vitcam.sources.active_crop import ActiveCrop
from vitcam.terminal.consoles import stderr_console
from vitcam.web.stream.variant import Variant

log = logging.getLogger(__name__)


def zones_of(settings: Settings) -> tuple[Zone, ...]:
    """The zones that the configuration names."""
    return tuple(
        Zone(zone.name, Region.parse(zone.rect), zone.labels, zone.enter, zone.leave, zone.dwell_s, zone.follow)
        for zone in settings.zones
    )


def masks_of(settings: Settings) -> tuple[Region, ...]:
    """The masks that the configuration names."""
    return tuple(map(Region.parse, settings.camera.masks))


def follow_of(settings: Settings) -> Follow:
    """Whether what moves is followed where no zone says it itself."""
    return settings.look.follow_in(camera=is_camera(settings.camera.source))


def follower_of(settings: Settings, spec: InputSpec | None, crop: ActiveCrop, areas: Areas) -> Follower:
    """What follows things in a run.

    spec  the model's input; None: the model takes any size
    """
    follower = Follower(follow_of(settings), spec, lambda: crop.region)
    if follower.is_on(areas):
        log.info('what moves is looked at, too, in all pixels of the camera; look.follow = "off" follows nothing')
    return follower


def gate_of(settings: Settings) -> MotionGate | None:
    """A new gate, which knows no picture yet; None if every frame is classified."""
    motion, look, source = settings.motion, settings.look, settings.camera.source
    rests = is_camera(source) or ("rest" in look.given and not is_film(source))
    if not look.rest or not rests:
        return None
    log.info("while nothing moves, the camera rests: the model looks every %g s; look.rest = 0 never rests", look.rest)
    return MotionGate(GateOptions(motion.threshold, motion.hold_s, look.rest))


def trouble_with_names(names: ActiveNames, classifier: Classifier) -> str:
    """What of the names in force cannot be used with this model, as one sentence; empty if all can."""
    groups = classifier.groups.members if classifier.groups else {}
    return trouble_with(names.in_force.wanted, classifier.labels, groups)


def default_variant(settings: Settings, classifier: Classifier) -> Variant:
    """What viewers get who choose nothing."""
    mode = settings.overlay.mode
    given = mode != "auto" and is_available(OVERLAYS[mode], classifier.gives)  # a model that stands in may not give it
    overlay = mode if given else default_overlay(classifier.gives)
    return Variant(overlay=overlay, opacity=settings.overlay.opacity)


def check_overlay(settings: Settings, classifier: Classifier) -> None:
    """Raises UsageError if the model does not give what the overlay draws."""
    mode = settings.overlay.mode
    if mode != "auto" and not is_available(OVERLAYS[mode], classifier.gives):
        raise UsageError(
            f"the overlay is {mode}, but {classifier.path} does not give it; export it again with vitcam-train, or "
            "take --overlay auto"
        )


class ConsoleSink(Sink, Protocol):
    """A sink that shows every prediction, or changes only."""

    every: bool


def wants_json(settings: LogSettings, out: TextIO) -> bool:
    """Whether JSON lines are written: they were asked for, or the output is not a terminal."""
    return settings.format == "json" or (settings.format == "auto" and not out.isatty())


def prints_every(settings: LogSettings, every_by_default: bool) -> bool:
    """Whether every prediction is printed, not only changes.

    every_by_default  meaning of `emit = auto`: True for files
    """
    return settings.emit == "all" or (settings.emit == "auto" and every_by_default)


def build_sink(settings: LogSettings, every_by_default: bool, labels: tuple[str, ...]) -> ConsoleSink:
    """The console's sink.

    every_by_default  as in `prints_every`
    labels            of the model
    """
    every = prints_every(settings, every_by_default)
    if wants_json(settings, sys.stdout):
        lines = JournalLines if is_read_by_journal(sys.stdout, os.environ) else JsonLines
        return lines(sys.stdout, every)
    from vitcam.sinks.console import RichConsole

    return RichConsole(stderr_console(), every, labels)
