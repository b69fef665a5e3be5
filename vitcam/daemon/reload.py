"""After SIGHUP or a change on the page: gives the parts of a run what they can take over. No part stops for it."""

import logging

from vitcam.config.compare import Changes, with_changes
from vitcam.config.settings import Settings
from vitcam.daemon.daemon import Daemon, RunOptions
from vitcam.errors import VitcamError
from vitcam.run.kinds import Configured

log = logging.getLogger(__name__)


class Reloader:
    """Called in the supervisor's thread only.

    options  those of the run
    """

    def __init__(self, options: RunOptions, daemon: Daemon) -> None:
        self._running = daemon.settings.running
        self._read_again = options.read_again
        self._settings = daemon.settings
        self._models = daemon.models
        self._objects = daemon.objects

    def reload(self) -> str:
        """Read the settings again and use what can be used. Wrong settings change nothing.

        returns  one sentence for the status line on what is not in use; empty if all settings are
        """
        try:
            changes = self._take(self._settings.with_unsaved(self._read_again()))
        except VitcamError as error:
            refused = f"the settings stay as they were: {error}"
            log.error("%s", refused)
            return refused
        refused = self._models.read_again()
        if refused:
            log.error("%s", refused)
        log.log(logging.WARNING if changes.restart else logging.INFO, "the settings were read again: %s", changes)
        return "; ".join(filter(None, (changes.restart_sentence, refused)))

    def take_new(self) -> None:
        """Use what was set on the page since the last call."""
        for new in self._settings.new():
            if not new.done.set_running_or_notify_cancel():  # nobody waits for it any more
                continue
            try:
                new.done.set_result(self._take(new.wanted))
            except VitcamError as error:  # whoever has set it gets it
                new.done.set_exception(error)

    def _take(self, wanted: Settings) -> Changes:
        """Use what can be used. Raises UsageError for what cannot; nothing has changed then."""
        configured = self._objects.each(Configured)
        for each in configured:
            each.check(wanted)
        changes = Changes.between(self._running, wanted)
        self._running = with_changes(self._running, wanted, changes.live)
        self._settings.set_running(self._running)
        for each in configured:  # gets a new value as a whole, and takes it at its next frame, prediction or request
            each.apply(self._running)
        return changes
