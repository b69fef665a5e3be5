"""What a run keeps of what it sees: events, and how they come into the history."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from vitcam.config.settings import Settings, StoreSettings
from vitcam.errors import VitcamError
from vitcam.folders import state_folder
from vitcam.history.reclassified import Reclassify
from vitcam.history.recorder import Recorder
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.names.vocabulary import Vocabulary, means_any
from vitcam.run.ending import Ending
from vitcam.run.kinds import Configured, HoldsPixels, Runs
from vitcam.state import History
from vitcam.storage.lock import FolderLock
from vitcam.threads.worker import Watched

log = logging.getLogger(__name__)

_TOGETHER_S = 5.0  # many events are over by then, and are written once, with their best picture


@dataclass(frozen=True)
class Recording(Runs, HoldsPixels, Configured):
    """The history of a run; nothing is kept where it is None."""

    history: EventStore | None = None
    no_history: str = ""
    """Why no events are kept, if that is not what the settings ask for."""

    @property
    def workers(self) -> tuple[Watched, ...]:
        return () if self.history is None else (self.history.worker,)

    def history_state(self) -> History:
        """What the state says of the history."""
        return History(trouble=self.no_history) if self.history is None else self.history.state()

    @property
    def trouble(self) -> str:
        """Why the history cannot be written; empty while it can."""
        return "" if self.history is None else self.history.trouble

    @property
    def notice(self) -> str:
        """What happened to the history's file since the start; empty if nothing did."""
        return "" if self.history is None else self.history.notice

    @property
    def rests(self) -> str:
        """Why no event is deleted because of its age until a person has said so; empty where it is."""
        return self.history_state().rests

    def drop_pixels(self) -> None:
        if self.history is not None:
            self.history.drop_pixels()

    def start(self) -> None:
        """Begin to write."""
        if self.history is not None:
            self.history.start()

    def stop(self, ending: Ending) -> None:
        """Write what waits, and end."""
        if self.history is not None:
            self.history.stop(ending.left_s())

    def apply(self, new: Settings) -> None:
        if self.history is not None:
            self.history.change(retention_of(new.store))


def recording_of(
    settings: Settings,
    environ: Mapping[str, str],
    vocabulary: Vocabulary,
    reclassify: Reclassify,
    lock: FolderLock | None = None,
) -> tuple[Recording, Recorder | None]:
    """The history that the settings ask for, and what makes its events of frames; None where nothing is kept.

    vocabulary  by which the settings may name labels and groups
    reclassify  as `EventStore` takes it
    lock        of the state folder; a run that does not get it keeps no events; None: nobody else uses the folder
    """
    no_history = _why_none(settings.store, lock)
    history = None if no_history else event_store(settings.store, environ, reclassify, vocabulary)
    if history is None:
        return Recording(no_history=no_history), None
    names = settings.store.forget
    recorder = Recorder(history.put, lambda event: means_any(names, event, vocabulary))
    return Recording(history), recorder


def _why_none(settings: StoreSettings, lock: FolderLock | None) -> str:
    """Why this run may not write events and pictures; empty if it may."""
    try:
        if settings.enabled and lock is not None:
            lock.take()
    except VitcamError as error:
        why = f"no events are kept: {error}"
        log.warning("%s", why)
        return why
    return ""


def event_store(
    settings: StoreSettings, environ: Mapping[str, str], reclassify: Reclassify, vocabulary: Vocabulary
) -> EventStore | None:
    """The history of this state folder; None if nothing is to be kept, or there is no such folder.

    vocabulary  knows what people say for labels and groups
    reclassify  as `EventStore` takes it
    """
    folder = state_folder(environ)
    if not settings.enabled or folder is None:
        return None
    return EventStore(
        folder, retention_of(settings), reclassify, together_s=_TOGETHER_S, everyday_of=vocabulary.everyday
    )


def retention_of(settings: StoreSettings) -> RetentionRules:
    """What is kept for how long."""
    rests = settings.unread and (
        f"no event is deleted because of its age, since {settings.unread}; set store.keep_days again, on the page or "
        f"in a configuration file; {_room(settings)}"
    )
    return RetentionRules(settings.keep_days, settings.max_mb, rests)


def _room(settings: StoreSettings) -> str:
    if not settings.max_mb:
        return "store.max_mb sets no limit either"
    return f"store.max_mb goes on: beyond {settings.max_mb:,.15g} MB the oldest events are deleted"
