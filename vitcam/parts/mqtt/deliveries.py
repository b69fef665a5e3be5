"""Events or alerts on their way to a broker: they are kept on the disk until it has confirmed them."""

import logging
from collections import deque
from concurrent.futures import Future
from dataclasses import replace

from vitcam.parts.mqtt.shared import MqttParts
from vitcam.storage.outbox import Delivery
from vitcam.threads.event_room import EventRoom

log = logging.getLogger(__name__)

KIND = "mqtt"
_MOST_INCOMING = 4096  # that the disk has not taken yet
_READ_AT_ONCE = 256


class Deliveries:
    """Those to one topic, in order. One that the broker has confirmed is never sent again.

    destination  in the outbox
    by           the broker, for people
    """

    def __init__(self, topic: str, destination: str, by: str, parts: MqttParts) -> None:
        self.topic = topic
        self.dropped = 0
        """Since too many waited for the disk, or the broker does not take such ones."""
        self.in_flight: dict[int, Delivery] = {}
        """Sent and not confirmed, by the number of the packet."""
        self._destination = destination
        self._by = by
        self._parts = parts
        self._incoming: deque[Delivery] = deque()
        self._room = EventRoom(_MOST_INCOMING)
        self._keeping = False
        self._batch: deque[Delivery] = deque()
        self._confirmed: list[Delivery] = []
        self._lost: list[Delivery] = []
        self._more = True  # the outbox may have some that are not in the batch
        self._moving: Future[list[Delivery]] | None = None

    # in any thread

    def take(self, delivery: Delivery, phase: str = "new") -> bool:
        """Have the disk keep it; does not wait. False: too many wait for that.

        phase  of its event: the end of one whose beginning was taken is taken
        """
        if not self._room.takes(delivery.event_id, phase, len(self._incoming)):
            self.dropped += 1
            return False
        self._incoming.append(replace(delivery, destination=self._destination))
        self._keep()
        return True

    @property
    def incoming(self) -> int:
        """How many the disk has not taken yet."""
        return len(self._incoming)

    def _keep(self) -> None:
        if self._incoming and not self._keeping:
            self._keeping = True
            try:
                self._parts.disk.submit(self._write_down)
            except RuntimeError:  # the system gives no thread now, or this is the end
                self._keeping = False

    def _write_down(self) -> None:
        self._keeping = False
        came = [self._incoming.popleft() for _ in range(len(self._incoming))]
        if not came:
            return
        for each in self._parts.outbox.put(*came):
            if each.rule:
                self._parts.tell_senders(each, "failed", "it is too old, or too many newer messages wait")
        self._more = True

    # in the thread of the connection

    @property
    def all_said(self) -> bool:
        """Whether nothing waits."""
        return not (
            self._incoming
            or self._more
            or self._batch
            or self.in_flight
            or self._confirmed
            or self._lost
            or self._moving
        )

    def begin(self) -> None:
        """A new connection: what the one before did not confirm is sent first."""
        self._batch = deque(sorted([*self.in_flight.values(), *self._batch], key=lambda each: each.number))
        self.in_flight.clear()

    def next(self) -> Delivery | None:
        """The oldest one that is not sent yet, if it was read already."""
        return self._batch.popleft() if self._batch else None

    def confirmed(self, delivery: Delivery) -> None:
        """The broker has it."""
        self._confirmed.append(delivery)

    def give_up(self, delivery: Delivery, why: str) -> None:
        """The broker does not take it, and never will."""
        log.warning("%s", why)
        self._lost.append(delivery)
        self.dropped += 1
        if delivery.rule:
            self._parts.tell_senders(delivery, "failed", why)

    def put_back(self, delivery: Delivery) -> None:
        """It is sent again later, in its place."""
        self._batch = deque(sorted([delivery, *self._batch], key=lambda each: each.number))

    def move(self) -> None:
        """Have the disk forget what was confirmed, and read what follows."""
        self._keep()
        if self._moving is not None:
            if not self._moving.done():
                return
            moving, self._moving = self._moving, None
            self._batch.extend(moving.result())
            if self._batch:
                self._more = True
        wanted = self._more and not self._batch and not self.in_flight
        confirmed, lost = self._confirmed, self._lost
        if not (wanted or confirmed or lost):
            return
        if wanted:
            self._more = False  # before the disk is asked: `_write_down` may say otherwise at once
        try:
            self._moving = self._parts.disk.submit(self._forget_and_read, confirmed, lost, wanted)
        except RuntimeError:  # the system gives no thread now, or this is the end
            self._more = True
        else:
            self._confirmed, self._lost = [], []

    def _forget_and_read(self, confirmed: list[Delivery], lost: list[Delivery], wanted: bool) -> list[Delivery]:
        waited = self._parts.outbox.remove(*confirmed, *lost)
        for each in waited:  # others were given up meanwhile, and it was said
            if each.rule and each not in lost:
                self._parts.tell_senders(each, "ok", f"{self._by} has it")
        return self._parts.outbox.first(KIND, self._destination, _READ_AT_ONCE) if wanted else []
