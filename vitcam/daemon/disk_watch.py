"""Looks whether the disk takes what is kept, and whether the installed models can be read."""

import logging
import threading
from pathlib import Path

from vitcam.model.files import unreadable_models
from vitcam.run.ending import Ending
from vitcam.run.kinds import Runs
from vitcam.storage.room import trouble_with
from vitcam.threads.worker import Worker

log = logging.getLogger(__name__)

LOOK_EVERY_S = 5.0


class DiskWatch(Runs):
    """In a thread of its own, since a disk may hang.

    folder  the state folder; None: there is none
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._over = threading.Event()
        self.worker = Worker("disk", self._run)
        self.trouble = ""
        """Why nothing could be kept at the last look, as one sentence; empty if all was well."""
        self.unreadable: tuple[str, ...] = ()
        """Why installed models could not be read at the last look, a sentence for each."""

    @property
    def workers(self) -> tuple[Worker, ...]:
        return (self.worker,)

    def start(self) -> None:
        """Begin to look, in a thread of its own."""
        self.worker.start()

    def stop(self, ending: Ending) -> None:
        """Look no more. Does not wait: a disk that hangs must not delay the end."""
        self._over.set()
        self.worker.stop()

    def look(self) -> None:
        """Look once. What begins to be wrong is logged."""
        before = {self.trouble, *self.unreadable}
        self.trouble = "" if self._folder is None else trouble_with(self._folder)
        self.unreadable = tuple(unreadable_models())
        for sentence in filter(None, (self.trouble, *self.unreadable)):
            if sentence not in before:
                log.error("%s", sentence)

    def _run(self) -> None:
        while not self._over.is_set():
            self.worker.beat()
            self.look()
            self._over.wait(LOOK_EVERY_S)
