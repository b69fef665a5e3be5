"""Which runs keep events, and where."""

import time
from collections.abc import Mapping

from vitcam.actions.task import Outcome
from vitcam.config.settings import StoreSettings
from vitcam.daemon.publisher import Publisher, event_id
from vitcam.folders import state_folder
from vitcam.history.budget import WriteBudget
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import Action
from vitcam.history.witness.recorder import Origin, Recorder
from vitcam.model.classifier import Classifier
from vitcam.state import History
from vitcam.wire import wall_time


def event_store(settings: StoreSettings, environ: Mapping[str, str]) -> EventStore | None:
    """The history of this state folder; None if nothing is to be kept, or there is no such folder."""
    folder = state_folder(environ)
    if not settings.enabled or folder is None:
        return None
    return EventStore(folder, retention_of(settings), WriteBudget(settings.written_mb))


def retention_of(settings: StoreSettings) -> RetentionRules:
    """What is kept for how long."""
    return RetentionRules(settings.keep_days, settings.max_mb)


def state_of(store: EventStore | None) -> History:
    """What the state says of the history."""
    return History() if store is None else store.state()


def note(store: EventStore | None, outcome: Outcome) -> None:
    """Keep with its event what came of an action."""
    if store is not None:
        now = wall_time(time.monotonic_ns())
        store.note_action(outcome.event_id, Action(outcome.rule, outcome.kind, outcome.status, outcome.detail, now))


def record(store: EventStore, publisher: Publisher, classifier: Classifier) -> None:
    """Let the publisher's events be kept."""
    card = classifier.card
    origin = Origin(card.name, card.graph_sha256)
    publisher.show_to(Recorder(store.put, store.shift_times, origin, event_id, store.budget.detail))
