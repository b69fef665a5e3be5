"""What a person says of the pictures in the inbox: they get a name and go into a data set, or they are thrown away."""

import threading
from collections import deque
from dataclasses import dataclass, replace

from vitcam.errors import UsageError
from vitcam.parts.teach.datasets.store import DataSets
from vitcam.parts.teach.datasets.teachable import checked_label
from vitcam.parts.teach.inbox.entry import InboxEntry, checked_id
from vitcam.parts.teach.inbox.store import Inbox
from vitcam.parts.teach.inbox.untaught import Untaught

_REMEMBERED = 10


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    entry: InboxEntry
    jpeg: bytes
    dataset: str
    label: str
    """Empty: it was thrown away."""


class InboxAnswers:
    """Any thread may call it. The last ten answers can be taken back, as long as this process runs.

    inbox      where the pictures wait
    data_sets  where they go
    """

    def __init__(self, inbox: Inbox, data_sets: DataSets) -> None:
        self.inbox, self.data_sets = inbox, data_sets
        self.untaught = Untaught(data_sets)
        self._lock = threading.Lock()
        self._last: deque[_Answer] = deque(maxlen=_REMEMBERED)

    def name(self, entry_id: str, dataset: str, label: str) -> None:
        """Put a picture into a data set, `LABEL/ID.jpg`.

        raises  UsageError if there is none of that id, for a label or a data set that cannot be one, and where there is
                no room; VitcamError if it cannot be written; nothing is changed then
        """
        with self._lock:
            entry = self.inbox.entry(entry_id)
            jpeg = self.inbox.picture(entry_id)
            self.data_sets.add(dataset, label, f"{entry.id}.jpg", jpeg)
            self._answered(_Answer(entry, jpeg, dataset, checked_label(label)))

    def correct(self, entry: InboxEntry, dataset: str, jpeg: bytes) -> None:
        """A person has said what an event shows: its picture goes into the data set at once, and nobody is asked again.

        Where its label can be none of the data set, or there is no room, it waits in the inbox.

        entry   with that label
        raises  VitcamError
        """
        with self._lock:
            self.data_sets.forget(f"{entry.id}.jpg")
            try:
                self.data_sets.add(dataset, entry.label or "", f"{entry.id}.jpg", jpeg)
            except UsageError:
                self.inbox.add(entry, jpeg)
            else:
                self.inbox.remove([entry.id])

    def uncorrect(self, entry_id: str) -> None:
        """The event has its own label again. Raises VitcamError."""
        with self._lock:
            self.data_sets.forget(f"{checked_id(entry_id)}.jpg")
            self.inbox.remove([entry_id])

    def throw_away(self, entry_id: str) -> None:
        """Delete a picture. Raises UsageError if there is none of that id, VitcamError if it cannot be deleted."""
        with self._lock:
            entry = self.inbox.entry(entry_id)
            self._answered(_Answer(entry, self.inbox.picture(entry_id), "", ""))

    def take_back(self, entry_id: str) -> None:
        """Put a picture back into the inbox. Raises UsageError for an answer that is not remembered, VitcamError."""
        with self._lock:
            found = next((each for each in self._last if each.entry.id == checked_id(entry_id)), None)
            if found is None:
                raise UsageError(
                    f"the answer about {entry_id} cannot be taken back: only the last {_REMEMBERED} can be"
                )
            back = replace(found.entry, doubt=1.0)  # the next pictures that come must not take its place at once
            if not self.inbox.add(back, found.jpeg, wanted=True):
                raise UsageError(
                    "the answer cannot be taken back: the inbox may keep no picture of this size; set "
                    "inbox.pictures or inbox.max_mb higher"
                )
            self.inbox.forget(found.entry)
            self._last.remove(found)
            if found.label:
                try:
                    self.data_sets.delete(found.dataset, found.label, f"{found.entry.id}.jpg")
                except UsageError:  # somebody has moved or deleted it there
                    self.inbox.remove([found.entry.id])
                    raise

    def drop_pixels(self) -> None:
        """Nothing can be taken back any more: pictures that were deleted are in no memory either."""
        with self._lock:
            self._last.clear()

    def _answered(self, answer: _Answer) -> None:
        self.inbox.remove([answer.entry.id])
        self.inbox.remember(answer.entry)
        self._last.append(answer)
