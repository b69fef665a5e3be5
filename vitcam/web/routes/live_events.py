"""Events as server-sent events: each one, after it was stored, to every client that keeps reading."""

import asyncio
import contextlib
import json
import re
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext

from vitcam.history.record import stored_record
from vitcam.history.store import EventStore
from vitcam.history.stored import StoredEvent

MOST_UNSENT = 256
"""Messages that wait for one client. One further behind is disconnected; it asks for the rest when it is back."""
_EVENT_ID = re.compile(r"[0-9A-Z]{26}")


class EventInbox:
    """What waits for one client.

    base  where a proxy shows vitcam to it
    """

    def __init__(self, base: str) -> None:
        self.base = base
        self._messages: dict[object, bytes] = {}
        self._came = asyncio.Event()
        self._overflowed = False

    def put(self, message: bytes, about: object = None) -> None:
        """Add a message; called on the event loop.

        about  it takes the place of one that waits and is about the same, such as an event and its phase; None: of none
        """
        key = about or object()
        self._messages.pop(key, None)
        self._overflowed = self._overflowed or len(self._messages) >= MOST_UNSENT
        if not self._overflowed:
            self._messages[key] = message
        self._came.set()

    async def next(self) -> bytes:
        """The oldest message. Raises ConnectionResetError if the client has lost some."""
        while not self._messages:
            if self._overflowed:
                raise ConnectionResetError("the client does not keep up with the events")
            self._came.clear()
            await self._came.wait()
        return self._messages.pop(next(iter(self._messages)))


class LiveEvents:
    """Made on the event loop; the store tells it of events in its own thread.

    executor  reads what a client has missed
    """

    def __init__(self, store: EventStore | None, executor: Executor) -> None:
        self._store = store
        self._executor = executor
        self._loop = asyncio.get_running_loop()
        self._inboxes: tuple[EventInbox, ...] = ()
        if store is not None:
            store.follow(self._told)

    @contextmanager
    def inbox(self, base: str) -> Iterator[EventInbox]:
        """Gets every event while the context lasts."""
        inbox = EventInbox(base)
        self._inboxes += (inbox,)
        with nullcontext() if self._store is None else self._store.watched():
            try:
                yield inbox
            finally:
                self._inboxes = tuple(each for each in self._inboxes if each is not inbox)

    async def missed(self, last_id: str | None, base: str) -> list[bytes]:
        """Events after the last one that a client has got, and some before it, which may have ended since.

        last_id  what the client says; nothing is sent for anything but the id of an event
        """
        store = self._store
        if store is None or last_id is None or not _EVENT_ID.fullmatch(last_id):
            return []
        found = await asyncio.wrap_future(self._executor.submit(store.after, last_id))
        return [_message(event, "", base) for event in found]

    def tell(self, kind: str, data: bytes) -> int:
        """Send an event of this kind to every client; returns how many there are. In any thread."""
        inboxes, message = self._inboxes, b"event: %s\ndata: %s\n\n" % (kind.encode(), data)
        try:
            for inbox in inboxes:
                self._loop.call_soon_threadsafe(inbox.put, message)
        except RuntimeError:  # the event loop has ended
            return 0
        return len(inboxes)

    def _told(self, event: StoredEvent, phase: str) -> None:
        if not self._inboxes:
            return
        with contextlib.suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(self._deliver, event, phase)

    def _deliver(self, event: StoredEvent, phase: str) -> None:
        messages = {base: _message(event, phase, base) for base in {inbox.base for inbox in self._inboxes}}
        for inbox in self._inboxes:
            inbox.put(messages[inbox.base], (event.id, phase))


def _message(event: StoredEvent, phase: str, base: str) -> bytes:
    record = stored_record(event, phase, base)
    return f"event: event\nid: {event.id}\ndata: {json.dumps(record)}\n\n".encode()
