"""Which runs keep events, and where."""

import time
from collections.abc import Mapping

from vitcam.actions.task import Outcome
from vitcam.config.settings import StoreSettings
from vitcam.daemon.publisher import Publisher
from vitcam.errors import VitcamError
from vitcam.folders import state_folder
from vitcam.history.budget import WriteBudget
from vitcam.history.deduplication import Reclassify
from vitcam.history.recorder import Origin, Recorder
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import Action
from vitcam.model.classifier import Classifier
from vitcam.state import History
from vitcam.wire import wall_time

_SOON_S = 2.0


def event_store(settings: StoreSettings, environ: Mapping[str, str], reclassify: Reclassify) -> EventStore | None:
    """The history of this state folder; None if nothing is to be kept, or there is no such folder.

    reclassify  as `EventStore` takes it
    """
    folder = state_folder(environ)
    if not settings.enabled or folder is None:
        return None
    return EventStore(folder, retention_of(settings), WriteBudget(settings.written_mb), reclassify)


def retention_of(settings: StoreSettings) -> RetentionRules:
    """What is kept for how long."""
    return RetentionRules(settings.keep_days, settings.max_mb)


def state_of(store: EventStore | None, unkept: str) -> History:
    """What the state says of the history. unkept: why there is none, if that is not what the settings ask for."""
    return History(trouble=unkept) if store is None else store.state()


def note(store: EventStore | None, outcome: Outcome) -> None:
    """Keep with its event what came of an action."""
    if store is not None:
        now = wall_time(time.monotonic_ns())
        store.note_action(outcome.event_id, Action(outcome.rule, outcome.kind, outcome.status, outcome.detail, now))


def picture_soon(store: EventStore | None, event_id: str) -> bytes | None:
    """The JPEG of an event that began just now: waits two seconds at most until it is on the disk."""
    if store is None:
        return None
    try:
        event = store.wait_for_picture(event_id, _SOON_S)
        return store.picture(event) if event else None
    except VitcamError:
        return None


def record(store: EventStore, settings: StoreSettings, publisher: Publisher, classifier: Classifier) -> None:
    """Let the publisher's events be kept."""
    card = classifier.card
    origin = Origin(card.name, card.graph_sha256)
    forget = frozenset(settings.forget)
    publisher.show_to(Recorder(store.put, origin, store.budget.detail, forget))
