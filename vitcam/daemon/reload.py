"""After SIGHUP or a change on the page: gives the parts of a run what they can take over. No part stops for it."""

import logging
from collections.abc import Mapping
from dataclasses import replace

from vitcam.config.compare import Changes, with_changes
from vitcam.config.settings import Settings
from vitcam.daemon.part_options import (
    check_overlay,
    default_variant,
    gate_of,
    inbox_limits_of,
    prints_every,
    trouble_with_names,
)
from vitcam.daemon.parts import Daemon, RunOptions
from vitcam.daemon.recording import retention_of
from vitcam.daemon.saved_state.page_choices import initial_areas, initial_crop
from vitcam.errors import VitcamError
from vitcam.zones.active import ActiveAreas
from vitcam.zones.areas import Areas

log = logging.getLogger(__name__)


class Reloader:
    """Called in the supervisor's thread only.

    options  those of the run
    environ  of the process
    """

    def __init__(self, options: RunOptions, daemon: Daemon, environ: Mapping[str, str]) -> None:
        self._running = daemon.settings.running
        self._read_again = options.read_again
        self._daemon = daemon
        self._environ = environ

    def reload(self) -> str:
        """Read the settings again and use what can be used. Wrong settings change nothing.

        returns  one sentence for the status line on what is not in use; empty if all settings are
        """
        try:
            changes = self._take(self._daemon.settings.with_unsaved(self._read_again()))
        except VitcamError as error:
            refused = f"the settings stay as they were: {error}"
            log.error("%s", refused)
            return refused
        refused = self._daemon.models.read_again()
        if refused:
            log.error("%s", refused)
        log.log(logging.WARNING if changes.restart else logging.INFO, "the settings were read again: %s", changes)
        return "; ".join(filter(None, (changes.restart_sentence, refused)))

    def take_new(self) -> None:
        """Use what was set on the page since the last call."""
        for new in self._daemon.settings.new():
            if not new.done.set_running_or_notify_cancel():  # nobody waits for it any more
                continue
            try:
                new.done.set_result(self._take(new.wanted))
            except VitcamError as error:  # whoever has set it gets it
                new.done.set_exception(error)

    def _take(self, wanted: Settings) -> Changes:
        """Use what can be used. Raises UsageError for an overlay that the model does not give; nothing changes then."""
        model = self._daemon.model.value
        if wanted.overlay.mode != self._running.overlay.mode and not model.trouble:
            check_overlay(wanted, model.classifier)
        changes = Changes.between(self._running, wanted)
        self._running = with_changes(self._running, wanted, changes.live)
        self._give_out(changes)
        return changes

    def _give_out(self, changes: Changes) -> None:
        """Each part gets a new value as a whole, and takes it at its next frame, prediction or request."""
        daemon, settings = self._daemon, self._running
        daemon.settings.take(settings)
        daemon.model.value.classifier.top_k = settings.model.top_k
        if changes.touch("names"):
            daemon.names.fix(settings.names.wanted)
            if trouble := trouble_with_names(daemon.names, daemon.model.value.classifier):
                log.warning("%s", trouble)
        daemon.models.settings = settings
        daemon.publisher.rules = settings.events.rules
        daemon.rule_engine.change(settings)
        daemon.pipeline.follower.follow = settings.look.follow
        daemon.console.every = prints_every(settings.log, daemon.every_by_default)
        if changes.touch("motion") or changes.touch("model"):
            # a new gate knows no picture, so it is made only where its own settings have changed
            gate = gate_of(settings.motion) if changes.touch("motion") else daemon.pipeline.gate
            daemon.pipeline.change(settings.model.fps, gate)
        if "camera.crop" in changes.live:
            daemon.crop.become(initial_crop(settings.camera, self._environ, daemon.trials))
        daemon.peers.change(settings.peers.own)
        self._give_room()
        if changes.touch("zones") or "camera.masks" in changes.live:
            try:
                daemon.areas.become(self._areas(changes, daemon.areas.areas))
            except VitcamError as error:  # the masks are in force, and something holds a picture of before
                log.error("%s", error)
        if daemon.web is not None:
            daemon.web.change(default_variant(settings, daemon.model.value.classifier), settings.web.names)

    def _give_room(self) -> None:
        """What is kept may take more room, or less."""
        daemon, settings = self._daemon, self._running
        if daemon.collector is not None:
            daemon.collector.data_sets.max_mb = settings.collect.max_mb
        if daemon.inbox is not None:
            daemon.inbox.inbox.limits = inbox_limits_of(settings)
        if (history := daemon.recording.history) is not None:
            history.change(retention_of(settings.store))

    def _areas(self, changes: Changes, before: Areas) -> ActiveAreas:
        """As at a start; but where the configuration did not change, what was drawn on the page stays."""
        wanted = initial_areas(self._running, self._environ, self._daemon.trials)
        areas = wanted.areas
        if not changes.touch("zones"):
            areas = replace(areas, zones=before.zones)
        if "camera.masks" not in changes.live:
            areas = replace(areas, masks=before.masks)
        return wanted.with_areas(areas)
