"""Room for events in a bounded queue: where a beginning found room, its end always does."""

_MOST_REMEMBERED = 4096


class EventRoom:
    """Decides what a queue takes. Used by one thread, or under the lock of the queue.

    most  so many may wait; only ends of events whose beginning was taken may be more, so as many as last at once
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: dict[str, None] = {}
        """Events whose beginning was taken and whose end was not, the oldest first."""

    def takes(self, event_id: str, phase: str, waiting: int) -> bool:
        """Whether there is room for a report of an event where so many wait already."""
        if phase == "end" and event_id in self._taken:
            del self._taken[event_id]
            return True
        if waiting >= self._most:
            return False
        if phase != "end":
            self._taken[event_id] = None
            if len(self._taken) > _MOST_REMEMBERED:  # an end that never came must not stay for ever
                del self._taken[next(iter(self._taken))]
        return True
