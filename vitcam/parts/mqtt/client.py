"""The connection to the broker, in a thread of its own. A broker that is away, slow or refuses costs nobody else."""

import json
import logging
import random
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

from vitcam.frames import Event, Prediction
from vitcam.parts.mqtt.broker import ANSWER_S, Broker, BrokerTrouble
from vitcam.parts.mqtt.deliveries import KIND, Deliveries
from vitcam.parts.mqtt.dial import Dial
from vitcam.parts.mqtt.refusals import Refusals
from vitcam.parts.mqtt.session import END_WITHIN_S, MqttSession
from vitcam.parts.mqtt.shared import MqttParts
from vitcam.parts.mqtt.state import MqttState, figures_of
from vitcam.parts.mqtt.threads import TALKS
from vitcam.run.ending import Ending
from vitcam.run.figures import Figure
from vitcam.run.kinds import Courier, Hears, HoldsPixels, Reports, Runs
from vitcam.storage.outbox import Delivery
from vitcam.threads.worker import Watched, Worker
from vitcam.wire import event_record

log = logging.getLogger(__name__)

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0
_LOG_EVERY_S = 600.0
_HELD_S = 5.0  # a connection that has lived so long was no accident
_MANY_BREAKS = 3
_UNCONNECTED_END_S = 0.1  # a host that does not answer is not waited for


class MqttClient(Runs, Hears, HoldsPixels, Reports, Courier):
    """Passes events on, with a thread that talks with the broker.

    broker         how it is reached
    parts          what is sent and done
    snapshots      whether a picture is published when an event begins
    first_pause_s  after a failure; doubled at each further one
    """

    def __init__(
        self, broker: Broker, parts: MqttParts, snapshots: bool = True, first_pause_s: float = _FIRST_PAUSE_S
    ) -> None:
        self.parts = parts
        self._broker, self._dial = broker, Dial(broker)
        self._snapshots = snapshots
        self._first_pause_s = self._pause_s = first_pause_s
        self._events = Deliveries(parts.topics.event, "", broker.address, parts)
        self._carried = Deliveries(parts.topics.alert, "alert", broker.address, parts)
        self._refusals = Refusals()
        self._closing = threading.Event()
        self._connected = False
        self._breaks = 0
        """Connections in a row that the broker took and that then broke soon."""
        self._trouble = ""
        self._logged: tuple[str, float] = ("", float("-inf"))
        self._worker = Worker("mqtt", self._run, TALKS)

    @property
    def workers(self) -> tuple[Watched, ...]:
        return (self._worker, self.parts.disk, self.parts.doing)

    # in any thread

    def start(self) -> None:
        """Connect, again and again."""
        self._worker.start()

    def announce(self) -> None:
        """Send all retained messages again."""
        self.parts.announce = True

    def state(self) -> MqttState:
        lost = self.parts.outbox.given_up(KIND) + self._events.dropped + self._carried.dropped
        waiting = self.parts.outbox.waiting(KIND) + self._events.incoming + self._carried.incoming
        refused = self._refusals.sentence
        trouble = refused if self._connected and refused else self._trouble or refused
        return MqttState(True, self._connected, self._broker.address, waiting, lost, trouble)

    def notices(self) -> tuple[str, ...]:
        """Why the broker does not get everything, while that is so."""
        trouble = self.state().trouble
        return (trouble,) if trouble else ()

    def figures(self) -> Iterator[Figure]:
        return figures_of(self.state())

    def heard(self, prediction: Prediction | None, events: tuple[Event, ...]) -> None:
        for event in events:
            self.event(event)

    def event(self, event: Event) -> None:
        """Take an event over; does not wait. Where too many wait for the disk, it is dropped and counted."""
        body = json.dumps(event_record(event), ensure_ascii=False)
        taken = self._events.take(Delivery(KIND, "", event.id, "", body), event.phase)
        if taken and event.phase == "new" and self._snapshots:
            self.parts.picture_wanted = True

    @property
    def away(self) -> str:
        if self._connected:
            return self._refusals.of(self._carried.topic)
        return self._trouble or f"the MQTT broker {self._broker.address} is not connected yet"

    def carry(self, delivery: Delivery) -> bool:
        return self._carried.take(delivery)

    def drop_pixels(self) -> None:
        """Masks were drawn: the broker gets another picture in place of the one that it keeps."""
        self.parts.picture_wanted |= self._snapshots or self.parts.picture_sent
        self.parts.underway.drop_pixels()

    def stop(self, ending: Ending) -> None:
        """Send what waits if that is quick, say that the camera is offline, and end."""
        self._closing.set()
        if not self._worker.started:
            return
        self._worker.join(3 * END_WITHIN_S if self._connected else _UNCONNECTED_END_S)
        self._worker.stop()
        with suppress(RuntimeError, TimeoutError):  # what came last is written down
            self.parts.disk.submit(lambda: None).result(END_WITHIN_S)
        for executor in (self.parts.disk, self.parts.doing):
            executor.shutdown(wait=False, cancel_futures=True)

    # in the thread

    def _run(self) -> None:
        """May begin again after an error."""
        while not self._closing.is_set():
            self._worker.beat(2 * ANSWER_S)
            try:
                self._connect_once()
            except BrokerTrouble as trouble:
                self._say(trouble.sentence)
                pause_s = self._pause_s * random.uniform(0.5, 1.0)  # noqa: S311 - two that were thrown out meet less
                self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)
                self._worker.beat(pause_s)
                self._closing.wait(pause_s)

    def _connect_once(self) -> None:
        """One connection, from its begin to its end. Raises BrokerTrouble where there is none, or it breaks."""
        connection = self._dial.connect()
        deliveries = (self._events, self._carried)
        session = MqttSession(self._broker, connection, self.parts, self._refusals, deliveries, self._breaks > 0)
        self._breaks += 1  # until it has held
        try:
            self._serve(session)
        except BrokerTrouble as trouble:
            session.finish(trouble)
            raise
        finally:
            self._connected = False
            connection.close(session.said_goodbye)
            session.end_picture()

    def _serve(self, session: MqttSession) -> None:
        """Return once the run ends and everything is said."""
        holds_s = max(_HELD_S, 2 * self._pause_s) if self._breaks > 1 else _HELD_S
        began_s = time.monotonic()
        while session.turn(self._closing.is_set()):
            self._worker.beat()
            if not session.opened:
                continue
            if not self._connected:
                self._note_opened()
            if self._breaks and time.monotonic() - began_s >= holds_s:
                self._breaks, self._trouble, self._pause_s = 0, "", self._first_pause_s
                session.cautious = False
        session.finish(None)

    def _note_opened(self) -> None:
        self._connected = True
        if self._breaks <= 1:  # it was away, and is back; one that broke the last connection has to hold this one first
            self._trouble, self._pause_s = "", self._first_pause_s
        self.parts.picture_wanted |= self._snapshots
        address, base = self._broker.address, self.parts.topics.base
        if self._breaks <= 1:
            log.info("connected with the MQTT broker %s; the topics begin with %s", address, base)

    def _say(self, trouble: str) -> None:
        """Log it, the same sentence not too often."""
        if self._breaks >= _MANY_BREAKS and not self._refusals.sentence and trouble.endswith("no reason"):
            trouble += ", again and again; if another camera has the same name, set mqtt.name"
        self._trouble = trouble
        said, at_s = self._logged
        if trouble != said or time.monotonic() - at_s >= _LOG_EVERY_S:
            self._logged = (trouble, time.monotonic())
            log.warning("%s; events wait, and it is tried again", trouble)
