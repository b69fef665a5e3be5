"""What the camera saw before, as pictures that are none of the labels that are taught."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from vitcam.errors import VitcamError
from vitcam.history.database.search import MOST as NEWEST
from vitcam.history.store import EventStore
from vitcam.history.stored import Query, StoredEvent
from vitcam.parts.teach.cache import Seen
from vitcam.parts.teach.photos import Looker
from vitcam.pictures.decode import decode_image

MOST = 60
"""Pictures: more take time and change little."""

log = logging.getLogger(__name__)


def seen_before(folder: Path, labels: Sequence[str], looker: Looker) -> list[Seen]:
    """What the base makes of the pictures of events, evenly among the newest ones, in the order of time.

    Events of one of the labels are left out. A history that cannot be read costs nothing but its help.

    folder  the state folder
    """
    store, names = EventStore(folder), {label.casefold() for label in labels}
    try:
        newest = store.find(Query(), NEWEST).events
    except VitcamError as error:
        log.info("the history is left out: %s", error)
        return []
    own = [event for event in reversed(newest) if event.frame and not event.frame_of and not _named(event) & names]

    def ask(event: StoredEvent) -> Seen | None:
        try:
            jpeg = store.seen(event)
            return looker.see(decode_image(jpeg)) if jpeg else None
        except VitcamError:  # it is damaged, or it was deleted meanwhile
            return None

    with ThreadPoolExecutor(len(os.sched_getaffinity(0)), "look") as pool:
        found = pool.map(ask, own[:: max(1, math.ceil(len(own) / MOST))])
        return [seen for seen in found if seen is not None]


def _named(event: StoredEvent) -> set[str]:
    return {name.casefold() for name in (event.label, event.displayed, event.everyday, event.corrected) if name}


def unlike(history: Sequence[Seen], taught: Sequence[Seen]) -> list[Seen]:
    """The pictures that the base takes for something else than any taught photo: the thing that is taught may be in the
    history, too."""
    says = {each.best_label for each in taught}
    return [each for each in history if each.best_label not in says]
