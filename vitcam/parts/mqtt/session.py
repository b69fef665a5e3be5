"""One connection to the broker, from its first message to its last: what is sent, and what is heard."""

import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vitcam.parts.mqtt.broker import (
    ANSWER_S,
    BAD_PAYLOAD,
    LET_READ,
    LET_WRITE,
    RAISE,
    SHUTTING_DOWN,
    TAKEN_OVER,
    Broker,
    BrokerTrouble,
    SentTooMuch,
)
from vitcam.parts.mqtt.deliveries import Deliveries
from vitcam.parts.mqtt.refusals import Refusals
from vitcam.parts.mqtt.shared import MqttParts
from vitcam.parts.mqtt.topics import COMMANDS, OFFLINE, ONLINE
from vitcam.run.underway import Way
from vitcam.storage.outbox import Delivery

if TYPE_CHECKING:
    from paho.mqtt.client import MQTTMessage
    from paho.mqtt.reasoncodes import ReasonCode

    from vitcam.parts.mqtt.connection import Connection

END_WITHIN_S = 0.5
_TURN_S = 0.05  # what comes from other threads waits so long at most
_STATE_EVERY_S, _STATE_LATEST_S = 1.0, 60.0
_PICTURE_EVERY_S = 2.0
_MOST_COMMANDS = 16  # that wait for the one before
_BREAKS_WITHIN_S = 0.2  # of an answer: mosquitto 2.0 confirms what it denies, and may then close the connection
_SLOW_BYTES_S = 20_000  # a picture takes its time on a slow network


@dataclass(frozen=True, slots=True)
class Ask:
    """What the broker is asked while nothing else waits for an answer: if the connection breaks, this broke it."""

    topic: str
    payload: bytes = b""
    """To be retained there."""
    to_hear: tuple[str, ...] = ()
    """Topics to hear of instead."""


class MqttSession:
    """Its methods raise BrokerTrouble once the connection has ended.

    refusals    of the connections before, and of this one
    deliveries  events and alerts
    cautious    the connection before broke soon: after each answer it is waited whether this one breaks, too
    """

    def __init__(
        self,
        broker: Broker,
        connection: "Connection",
        parts: MqttParts,
        refusals: Refusals,
        deliveries: tuple[Deliveries, ...],
        cautious: bool,
    ) -> None:
        self.opened = self.said_goodbye = False
        """Whether the broker has answered to what a connection begins with, and to what it ends with."""
        self.cautious = cautious
        self._broker = broker
        self._connection = connection
        self._parts = parts
        self._refusals = refusals
        self._deliveries = deliveries
        self._next: Ask | None = None
        self._alone: tuple[int, Ask] | None = None  # with the number of its packet
        self._suspect: Ask | None = None
        self._quiet_until_s = self._patient_until_s = 0.0
        self._hears: set[str] = set()
        self._kept: dict[str, bytes] = {}
        self._state_sent = ("", float("-inf"))
        self._state_next_s = self._picture_next_s = 0.0
        self._drawing: Future[bytes | None] | None = None
        self._way: Way | None = None  # of the picture that is drawn, waits or was sent
        self._commands: deque[Future[bool]] = deque()
        self._over_s: float | None = None
        refusals.took(broker.address)
        if not connection.limits.retains:
            refusals.note(broker.address, broker.keeps_nothing)
        for each in deliveries:
            each.begin()

    def turn(self, over: bool) -> bool:
        """Send and hear what there is; False once everything is said.

        over  the run ends
        """
        for each in self._deliveries:
            each.move()
        if over and self._has_left():
            return False
        self._send()
        if (self._alone or self._in_flight) and time.monotonic() > self._patient_until_s:
            raise self._broker.trouble(TimeoutError(), None, taken=True)
        self._connection.turn(_TURN_S)
        self._take_answers()
        while self._connection.heard:
            self._hear(self._connection.heard.popleft())
        return True

    def finish(self, trouble: BrokerTrouble | None) -> None:
        """Keep what the broker has confirmed, and leave out what it broke the connection for."""
        self._take_answers()
        for each in self._deliveries:
            each.move()
        if isinstance(trouble, SentTooMuch):  # it may be retained, and would come again at once
            for topic in self._hears:
                self._refusals.note(_hearing(topic), str(trouble))
        elif trouble and self._suspect and trouble.reason not in (TAKEN_OVER, SHUTTING_DOWN):
            self._blame(self._suspect)

    def _blame(self, asked: Ask) -> None:
        """Leave out what breaks the connection, but not what each connection begins with."""
        own = f"{self._parts.topics.base}/"
        foreign = [each for each in asked.to_hear if not each.startswith(own)]
        if asked.topic == self._parts.topics.status or (asked.to_hear and not foreign):
            return
        if self._refusals.broke(asked.topic):
            for topic in foreign:
                self._refuse(topic, f"closes the connection when this camera asks to hear {topic}", LET_READ)
            if not foreign:
                why = f"closes the connection when {asked.topic} comes ({len(asked.payload):,} bytes)"
                self._refuse(asked.topic, why, LET_WRITE)

    # what is sent

    @property
    def _in_flight(self) -> int:
        return sum(len(each.in_flight) for each in self._deliveries)

    def _send(self) -> None:
        while self._alone is None and time.monotonic() >= self._quiet_until_s:
            if self._suspect:
                self._refusals.passed(self._suspect.topic)
                self._suspect = None
            self._next = self._next or (self._due() if self._over_s is None else None)
            if self._next is None:
                for each in self._deliveries:
                    self._feed(each)
                return
            if self._in_flight and self._over_s is None:
                return
            ask, self._next = self._next, None
            if ask.topic == self._parts.topics.snapshot and self._way and self._way.expired:
                self._draw_again()
            else:
                self._ask(ask)

    def _due(self) -> Ask | None:
        """What is to be asked now."""
        topics, parts = self._parts.topics, self._parts
        if asked := self._unkept({topics.status: ONLINE}):
            return asked
        commands = [topics.set(command) for command in COMMANDS] if parts.commands else []
        wanted = (*commands, topics.status, *(listener.topic for listener in parts.listeners))
        new = tuple(topic for topic in wanted if topic not in self._hears and not self._refusals.hold(_hearing(topic)))
        if new:
            return Ask(_hearing(new[0]), to_hear=new)
        self.opened = True
        if parts.announce:
            parts.announce, self._kept = False, {topics.status: ONLINE.encode()}
        return self._unkept(parts.retained.messages) or self._state() or self._picture()

    def _unkept(self, messages: Mapping[str, str]) -> Ask | None:
        """The first one that the broker does not keep yet, and may take."""
        for topic, text in messages.items():
            if self._kept.get(topic) != text.encode() and not self._refusals.hold(topic):
                return Ask(topic, text.encode())
        return None

    def _state(self) -> Ask | None:
        now_s, topic = time.monotonic(), self._parts.topics.state
        if now_s < self._state_next_s or self._refusals.hold(topic):
            return None
        self._state_next_s = now_s + _STATE_EVERY_S
        report, (key, sent_s) = self._parts.report(), self._state_sent
        if report.key == key and now_s - sent_s < _STATE_LATEST_S:
            return None
        self._state_sent = (report.key, now_s)
        return Ask(topic, report.text_within(self._connection.room(topic)).encode())

    def _picture(self) -> Ask | None:
        parts, topic, now_s = self._parts, self._parts.topics.snapshot, time.monotonic()
        if self._drawing is None:
            if parts.picture_wanted and now_s >= self._picture_next_s and not self._refusals.hold(topic):
                parts.picture_wanted, self._picture_next_s = False, now_s + _PICTURE_EVERY_S
                self._way = parts.underway.begin()
                self._drawing = parts.doing.submit(parts.picture, self._connection.room(topic))
            return None
        if not self._drawing.done():
            return None
        jpeg, self._drawing = self._drawing.result(), None
        if jpeg is None:  # the first one is still to come
            self._draw_again()
            return None
        return Ask(topic, jpeg)

    def _draw_again(self) -> None:
        self._parts.picture_wanted = True
        self.end_picture()

    def end_picture(self) -> None:
        """No picture is underway any more: it is there, or given up."""
        if self._way is not None:
            self._way.end()
            self._way = None

    def _ask(self, ask: Ask) -> None:
        size = len(ask.payload)
        if ask.to_hear:
            number = self._connection.ask_for(ask.to_hear)
        elif size <= self._connection.room(ask.topic):
            number = self._connection.send(ask.topic, ask.payload, retain=True)
        else:
            self._refuse(ask.topic, f"takes no message of {size:,} bytes, so {ask.topic} is left out", RAISE)
            self.end_picture()
            return
        self._parts.picture_sent |= ask.topic == self._parts.topics.snapshot
        self._alone, self._suspect = (number, ask), ask
        self._be_patient(size)

    def _feed(self, deliveries: Deliveries) -> None:
        topic = deliveries.topic
        while self._in_flight < self._connection.limits.window and not self._refusals.hold(topic):
            if (delivery := deliveries.next()) is None:
                return
            body = delivery.body.encode()
            if len(body) <= self._connection.room(topic):
                self._be_patient(len(body))
                deliveries.in_flight[self._connection.send(topic, body, retain=False)] = delivery
            else:
                why = f"takes no message of {len(body):,} bytes, so one for {topic} is lost"
                deliveries.give_up(delivery, self._broker.refusal(topic, why, RAISE))

    def _be_patient(self, size: int = 0) -> None:
        self._patient_until_s = time.monotonic() + ANSWER_S + size / _SLOW_BYTES_S

    def _has_left(self) -> bool:
        """Send what waits if that is quick, then say that the camera is offline; True once that is done or too late."""
        now_s, offline = time.monotonic(), Ask(self._parts.topics.status, OFFLINE.encode())
        if self._over_s is None:
            self._over_s, self._next = now_s, None
        late_s = now_s - self._over_s - END_WITHIN_S
        self.said_goodbye = self._kept.get(offline.topic) == offline.payload
        if late_s > 0 and self._alone and self._alone[1] != offline:
            self._alone = None  # its answer is not waited for
        if not (self._alone or self.said_goodbye) and (late_s > 0 or all(each.all_said for each in self._deliveries)):
            self._next = offline
        return self.said_goodbye or late_s > END_WITHIN_S

    # what the broker answers

    def _take_answers(self) -> None:
        while self._connection.answers:
            number, reasons = self._connection.answers.popleft()
            self._be_patient()
            if self._alone and self._alone[0] == number:
                ask, self._alone = self._alone[1], None
                self._quiet_until_s = time.monotonic() + _BREAKS_WITHIN_S * (self.cautious and self._over_s is None)
                if ask.to_hear:
                    self._note_hearing(ask.to_hear, reasons)
                else:
                    self._note_kept(ask, reasons[0])
            for each in self._deliveries:
                if (delivery := each.in_flight.pop(number, None)) is not None:
                    self._note_delivered(each, delivery, reasons[0])

    def _note_kept(self, ask: Ask, reason: "ReasonCode") -> None:
        topics = self._parts.topics
        if ask.topic == topics.snapshot:
            self.end_picture()
        if self._takes(ask.topic, reason, len(ask.payload)):
            self._kept[ask.topic] = ask.payload if ask.topic != topics.snapshot else b""
        elif ask.topic == topics.state:
            self._state_sent = ("", float("-inf"))

    def _note_delivered(self, deliveries: Deliveries, delivery: Delivery, reason: "ReasonCode") -> None:
        topic, size = deliveries.topic, len(delivery.body.encode())
        if reason.value == BAD_PAYLOAD:
            why = f"does not take {size:,} bytes, so one for {topic} is lost"
            deliveries.give_up(delivery, self._broker.refusal(topic, why, RAISE))
        elif self._takes(topic, reason, size):
            deliveries.confirmed(delivery)
        elif delivery.urgent:
            deliveries.give_up(delivery, self._refusals.of(topic))
        else:
            deliveries.put_back(delivery)

    def _note_hearing(self, topics: tuple[str, ...], reasons: "list[ReasonCode]") -> None:
        self._hears.update(topics)
        for topic, reason in zip(topics, reasons, strict=False):
            self._refusals.took(_hearing(topic))
            if reason.is_failure:
                self._hears.discard(topic)
                self._refuse(topic, f"does not let this camera hear {topic}: {reason}", LET_READ)

    def _takes(self, topic: str, reason: "ReasonCode", size: int) -> bool:
        """Note what the broker said to a message; whether it has it."""
        if not reason.is_failure:
            self._refusals.took(topic)
        elif reason.value == BAD_PAYLOAD:
            self._refuse(topic, f"does not take {topic} of {size:,} bytes", RAISE)
        else:
            self._refuse(topic, f"refuses {topic}: {reason}", LET_WRITE)
        return not reason.is_failure

    def _refuse(self, topic: str, why: str, cure: str) -> None:
        key = _hearing(topic) if cure == LET_READ else topic
        self._refusals.note(key, self._broker.refusal(topic, why, cure))

    # what is heard

    def _hear(self, message: "MQTTMessage") -> None:
        parts = self._parts
        try:
            topic = message.topic
        except UnicodeDecodeError:  # nobody has asked for it
            return
        if topic == parts.topics.status and message.payload == OFFLINE.encode() and self._over_s is None:
            self._kept.pop(topic, None)  # the will of a connection that broke before
        for listener in parts.listeners:
            if listener.topic == topic:
                listener.heard(message.payload[:200].decode(errors="replace"))
        command = parts.topics.command_of(topic)
        if command is None or parts.commands is None:
            return
        while self._commands and self._commands[0].done():
            self._commands.popleft()
        if message.retain:  # it would be done again at each connect
            parts.commands.refuse(f"set/{command} is refused: it was retained; send commands without retain")
        elif command == "snapshot":
            parts.picture_wanted = True
        elif len(self._commands) >= _MOST_COMMANDS:
            parts.commands.refuse(f"set/{command} is refused: {_MOST_COMMANDS} others wait")
        else:
            with suppress(RuntimeError):  # the run ends
                self._commands.append(parts.doing.submit(parts.commands.do, command, message.payload))


def _hearing(topic: str) -> str:
    """By which refusals to hear of a topic are told from refusals to publish there."""
    return f"to hear {topic}"
