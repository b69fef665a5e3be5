"""One connection to the broker, from its first message to its last: what is sent, and what is heard."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Literal

from vitcam.mqtt.broker import WINDOW, Refusal, notice_refusals
from vitcam.mqtt.commands import MqttCommands
from vitcam.mqtt.jobs import done_in, first_to_end
from vitcam.mqtt.report import Report
from vitcam.mqtt.topics import COMMANDS, OFFLINE, ONLINE, Topics
from vitcam.storage.outbox import Delivery, Outbox
from vitcam.threads.worker import WatchedExecutor

if TYPE_CHECKING:
    from aiomqtt import Client, Message

KIND = "mqtt"
END_WITHIN_S = 0.5
_READ_AT_ONCE = 16 * WINDOW
_STATE_EVERY_S, _STATE_LATEST_S = 1.0, 60.0
_PICTURE_EVERY_S = 2.0


@dataclass(frozen=True, slots=True)
class Listener:
    """Somebody who wants messages of a topic that is not this camera's."""

    topic: str
    heard: Callable[[str], None]
    """Gets the text. Called in the event loop: it may not wait."""


@dataclass(slots=True)
class MqttParts:
    """What every connection of a run uses."""

    topics: Topics
    address: str
    """Of the broker, for people."""
    outbox: Outbox
    """Where events wait."""
    report: Callable[[], Report]
    """The state message."""
    picture: Callable[[], bytes | None]
    """The JPEG of now; None: there is none. It may block."""
    commands: MqttCommands | None
    """What the broker may ask for; None: nothing."""
    disk: WatchedExecutor = field(default_factory=lambda: WatchedExecutor("mqtt disk"))
    """The thread that asks the outbox."""
    doing: WatchedExecutor = field(default_factory=lambda: WatchedExecutor("mqtt commands"))
    """The thread that does commands and makes pictures."""
    listeners: tuple[Listener, ...] = ()
    retained: Mapping[str, str] = field(default_factory=dict)
    """What the broker is to keep, by topic. Replaced as a whole."""
    told: Callable[[Delivery, Literal["ok", "failed"], str], None] = lambda *_: None
    """Gets what came of each alert: of a delivery with the name of a rule. In any thread."""
    confirmed: deque[Delivery] = field(default_factory=lambda: deque(maxlen=2 * WINDOW))
    """The events and alerts that a broker has confirmed last."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What wakes a connection. Made in its event loop."""

    came: asyncio.Event = field(default_factory=asyncio.Event)
    """Events came that are not written down."""
    more: asyncio.Event = field(default_factory=asyncio.Event)
    """Events were written down."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """The run ends."""
    retained_changed: asyncio.Event = field(default_factory=asyncio.Event)
    announce: asyncio.Event = field(default_factory=asyncio.Event)
    """All retained messages are to be sent again."""
    picture_wanted: asyncio.Event = field(default_factory=asyncio.Event)


class MqttSession:
    """Its methods raise BrokerTrouble and aiomqtt's errors.

    client      is open
    opened      called once the broker has taken everything that a connection begins with
    write_down  puts what came into the outbox
    """

    def __init__(
        self,
        client: "Client",
        parts: MqttParts,
        signals: Signals,
        opened: Callable[[], None],
        write_down: Callable[[], Awaitable[None]],
    ) -> None:
        self._client = client
        self._parts = parts
        self._signals = signals
        self._opened = opened
        self._write_down = write_down
        self._refused: list[str] = []
        """Why the broker did not take messages."""
        self._retained: dict[str, str] = {}
        """What the broker keeps by now, by topic."""

    async def serve(self) -> None:
        """Return once the run ends and everything is said."""
        client, topics = self._client, self._parts.topics
        asked = [topics.set(command) for command in COMMANDS] if self._parts.commands else []
        subscribed = [*asked, topics.status, *(listener.topic for listener in self._parts.listeners)]
        notice_refusals(client, self._refused.append)
        await self._publish(topics.status, ONLINE)
        await client.subscribe([(topic, 1) for topic in subscribed])
        self._opened()
        jobs = (self._listen, self._send_events, self._send_state, self._send_pictures, self._send_retained)
        try:
            await first_to_end(*(job() for job in jobs), self._say_goodbye())
        except Exception:
            self._check_refusals()  # a broker may close the connection at once behind one
            raise

    async def _say_goodbye(self) -> None:
        await self._signals.over.wait()
        await self._write_down()
        await done_in(self._parts.disk, lambda: None)  # what `_keep` has begun
        for _ in range(int(END_WITHIN_S * 20)):
            if not self._parts.outbox.waiting(KIND):
                break
            await asyncio.sleep(0.02)
        await self._publish(self._parts.topics.status, OFFLINE)

    async def _listen(self) -> None:
        async for message in self._client.messages:
            await self._hear(message)

    async def _hear(self, message: "Message") -> None:
        topic, payload = str(message.topic), message.payload
        payload = payload if isinstance(payload, bytes) else b""
        if topic == self._parts.topics.status:
            if (
                payload == OFFLINE.encode() and not self._signals.over.is_set()
            ):  # the will of a connection that broke before
                await self._publish(topic, ONLINE)
            return
        for listener in self._parts.listeners:
            if listener.topic == topic:
                listener.heard(payload[:200].decode(errors="replace"))
        command = self._parts.topics.command_of(topic)
        if command is None or self._parts.commands is None:
            return
        if message.retain:  # it would be done again at each connect
            self._parts.commands.refuse(f"set/{command} is refused: it was retained; send commands without retain")
        elif command == "snapshot":
            self._signals.picture_wanted.set()
        else:
            await done_in(self._parts.doing, partial(self._parts.commands.do, command, payload))

    async def _send_events(self) -> None:
        """The oldest first. What was not confirmed is sent again by the next connection.

        So are the last ones that were confirmed: a broker that is killed may have passed them on to nobody.
        """
        for each in [*self._parts.confirmed]:
            await self._deliver(each)
        while True:
            self._signals.more.clear()
            batch = await done_in(self._parts.disk, partial(self._parts.outbox.first, KIND, "", _READ_AT_ONCE))
            if batch:
                await self._send_batch(batch)
            else:
                await self._signals.more.wait()

    async def _send_batch(self, batch: list[Delivery]) -> None:
        """Send them in order, and forget those that the broker has. A new one follows each that was confirmed.

        Waiting for all of a window instead takes 40 ms each time: the broker's answers wait for our next packet.
        """
        free, tasks = asyncio.Semaphore(WINDOW), list[asyncio.Task[None]]()
        try:
            for each in batch:
                await free.acquire()
                task = asyncio.create_task(self._deliver(each))
                task.add_done_callback(lambda _: free.release())
                tasks.append(task)
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            confirmed = [each for each, _ in takewhile(lambda pair: pair[1] is None, zip(batch, results, strict=False))]
            if confirmed:
                self._parts.confirmed.extend(confirmed)
                waited = await done_in(self._parts.disk, partial(self._parts.outbox.remove, *confirmed))
                for each in filter(lambda each: each.rule, waited):  # others were given up, and it was said
                    self._parts.told(each, "ok", f"{self._parts.address} has it")

    async def _deliver(self, delivery: Delivery) -> None:
        """An alert is a delivery that a rule asked for; any other is an event."""
        topics = self._parts.topics
        await self._publish(topics.alert if delivery.rule else topics.event, delivery.body, retain=False)

    async def _publish(self, topic: str, text: str, *, retain: bool = True) -> None:
        """Returns once the broker has it. Raises Refusal where it does not take it."""
        await self._client.publish(topic, text, 1, retain)
        self._check_refusals()

    def _check_refusals(self) -> None:
        if self._refused:
            at = f"the MQTT broker {self._parts.address}"
            raise Refusal(
                f"{at} refuses messages: {self._refused[0]}; let its user write to {self._parts.topics.base}/#"
            )

    async def _send_state(self) -> None:
        sent, sent_s = "", float("-inf")
        while True:
            report = self._parts.report()
            if report.key != sent or time.monotonic() - sent_s >= _STATE_LATEST_S:
                await self._publish(self._parts.topics.state, report.text)
                sent, sent_s = report.key, time.monotonic()
            await asyncio.sleep(_STATE_EVERY_S)

    async def _send_pictures(self) -> None:
        while True:
            await self._signals.picture_wanted.wait()
            self._signals.picture_wanted.clear()
            jpeg = await done_in(self._parts.doing, self._parts.picture)
            if jpeg is None:
                self._signals.picture_wanted.set()  # the first one is still to come
            else:
                await self._client.publish(self._parts.topics.snapshot, jpeg, 0, True)
            await asyncio.sleep(_PICTURE_EVERY_S)

    async def _send_retained(self) -> None:
        while True:
            self._signals.retained_changed.clear()
            for topic, text in self._parts.retained.items():
                if self._retained.get(topic) != text:
                    await self._publish(topic, text)
                    self._retained[topic] = text
            await first_to_end(self._signals.retained_changed.wait(), self._signals.announce.wait())
            if self._signals.announce.is_set():
                self._signals.announce.clear()
                self._retained.clear()
