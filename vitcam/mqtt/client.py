"""The connection to the broker, in a thread of its own. A broker that is away, slow or refuses costs nobody else."""

import asyncio
import json
import logging
import threading
import time
from collections import deque
from collections.abc import Mapping
from functools import partial

from vitcam.frames import Event, Prediction, Unreadable
from vitcam.mqtt.broker import Broker, BrokerTrouble, OtherVersion, Refusal
from vitcam.mqtt.jobs import done_in, first_to_end, wait_for
from vitcam.mqtt.session import END_WITHIN_S, KIND, MqttParts, MqttSession, Signals
from vitcam.sinks.sink import Summary
from vitcam.state import MqttState
from vitcam.storage.outbox import Delivery
from vitcam.threads.worker import Watched, Worker
from vitcam.wire import event_record

log = logging.getLogger(__name__)

_MOST_INCOMING = 4096  # events that the disk has not taken yet
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0
_LOG_EVERY_S = 600.0
_TRUSTED_AFTER_S = 5.0  # a broker that refused: once a connection has lived so long, it takes messages again


class MqttClient:
    """A sink that passes events on, and a thread that talks with the broker.

    broker         how it is reached
    versions       of the protocol, the one that is tried first in front
    parts          what is sent and done
    snapshots      whether a picture is published when an event begins
    first_pause_s  after a failure; doubled at each further one
    """

    def __init__(
        self,
        broker: Broker,
        versions: tuple[str, ...],
        parts: MqttParts,
        snapshots: bool = True,
        first_pause_s: float = _FIRST_PAUSE_S,
    ) -> None:
        self.parts = parts
        self._broker = broker
        self._versions = deque(versions)
        self._snapshots = snapshots
        self._first_pause_s = first_pause_s
        self._incoming: deque[Delivery] = deque()
        self._dropped = 0
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._signals = Signals()
        self._closing = threading.Event()
        self._connected = self._opened = False
        self._trouble = ""
        self._refused = False
        self._forgetting: asyncio.TimerHandle | None = None
        self._logged: tuple[str, float] = ("", float("-inf"))
        self._worker = Worker("mqtt", self._run)
        self.workers: tuple[Watched, ...] = (self._worker, parts.disk, parts.doing)

    # in any thread

    def start(self) -> None:
        """Connect, again and again."""
        self._worker.start()

    def retain(self, messages: Mapping[str, str]) -> None:
        """Have the broker keep these messages, by topic, from now on and after each connect.

        A topic that was in the last call and is not in this one is cleared.
        """
        gone = {
            topic: "" for topic, text in self.parts.retained.items() if text
        }  # others were cleared by the last call
        self.parts.retained = {**gone, **messages}
        self._wake("retained_changed")

    def announce(self) -> None:
        """Send all retained messages again."""
        self._wake("announce")

    def state(self) -> MqttState:
        """For the state of the run."""
        lost = self.parts.outbox.given_up(KIND) + self._dropped
        waiting = self.parts.outbox.waiting(KIND) + len(self._incoming)
        return MqttState(True, self._connected, self._broker.address, waiting, lost, self._trouble)

    # a sink

    def serving(self, url: str) -> None: ...

    def prediction(self, prediction: Prediction, changed: bool) -> None: ...

    def unreadable(self, bad: Unreadable) -> None: ...

    def event(self, event: Event) -> None:
        """Take an event over; does not wait. Where too many wait for the disk, it is dropped and counted."""
        body = json.dumps(event_record(event), ensure_ascii=False)
        if not self._take(Delivery(KIND, "", event.id, "", body)):
            self._dropped += 1
        elif event.phase == "new" and self._snapshots:
            self._wake("picture_wanted")

    # a `Courier`

    @property
    def away(self) -> str:
        if self._connected:
            return ""
        return self._trouble or f"the MQTT broker {self._broker.address} is not connected yet"

    def alert(self, delivery: Delivery) -> bool:
        return self._take(delivery)

    def _take(self, delivery: Delivery) -> bool:
        """Does not wait. False: too many wait for the disk."""
        if len(self._incoming) >= _MOST_INCOMING:
            return False
        self._incoming.append(delivery)
        self._wake("came")
        return True

    def close(self, summary: Summary | None) -> None:
        """Send what waits if that is quick, say that the camera is offline, and end."""
        self._closing.set()
        if not self._worker.started:
            return
        self._wake("over")
        self._worker.join(2 * END_WITHIN_S)
        self._worker.stop()
        for executor in (self.parts.disk, self.parts.doing):
            executor.shutdown(wait=False, cancel_futures=True)

    # in the thread

    def _run(self) -> None:
        """May begin again after an error."""
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(self._main())
        finally:
            with self._lock:
                self._loop = None
            self._connected = False
            loop.close()

    def _wake(self, name: str) -> None:
        """Set one of the signals. In any thread."""
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(getattr(self._signals, name).set)

    async def _main(self) -> None:
        self._signals = signals = Signals()
        signals.came.set()  # an earlier turn may have left something
        with self._lock:
            self._loop = asyncio.get_running_loop()
        if self._closing.is_set():
            self._signals.over.set()
        helpers = [asyncio.create_task(each) for each in (self._beat(), self._keep())]
        pause_s = self._first_pause_s
        try:
            while not self._signals.over.is_set():
                if await self._try_once():
                    pause_s = self._first_pause_s
                await wait_for(self._signals.over, pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            await self._write_down()
            await done_in(self.parts.disk, lambda: None)  # what `_keep` has begun
        finally:
            for helper in helpers:
                helper.cancel()
            await asyncio.gather(*helpers, return_exceptions=True)

    async def _try_once(self) -> bool:
        """One connection, from its begin to its end; False where there was none, or one that took nothing."""
        self._opened = False
        try:
            await first_to_end(self._session(), self._signals.over.wait(), grace_s=END_WITHIN_S)
        except BrokerTrouble as trouble:
            self._say(str(trouble))
            if isinstance(trouble, OtherVersion):
                self._versions.rotate(-1)
            self._refused = isinstance(trouble, Refusal)
            self._opened = self._opened and not self._refused
        finally:
            self._connected = False
            if self._forgetting is not None:
                self._forgetting.cancel()
        return self._opened

    async def _session(self) -> None:
        """Raises BrokerTrouble where there is no connection, or it ends."""
        async with self._broker.connected(self._versions[0]) as client:
            await MqttSession(client, self.parts, self._signals, self._note_opened, self._write_down).serve()

    def _note_opened(self) -> None:
        self._connected = self._opened = True
        if self._refused:  # it took the connection before, too
            self._forgetting = asyncio.get_running_loop().call_later(_TRUSTED_AFTER_S, self._forget_trouble)
        else:
            self._forget_trouble()
        if self._snapshots:
            self._signals.picture_wanted.set()
        log.info(
            "connected with the MQTT broker %s; the topics begin with %s", self._broker.address, self.parts.topics.base
        )

    def _forget_trouble(self) -> None:
        self._refused, self._trouble = False, ""

    async def _keep(self) -> None:
        """Write down what comes, also while there is no broker."""
        while True:
            await self._signals.came.wait()
            self._signals.came.clear()
            await self._write_down()

    async def _write_down(self) -> None:
        came = [self._incoming.popleft() for _ in range(len(self._incoming))]
        if came:
            given_up = await done_in(self.parts.disk, partial(self.parts.outbox.put, *came))
            for each in filter(lambda each: each.rule, given_up):
                self.parts.told(each, "failed", "it is too old, or too many newer messages wait")
            self._signals.more.set()

    async def _beat(self) -> None:
        while True:
            self._worker.beat()
            await asyncio.sleep(1.0)

    def _say(self, trouble: str) -> None:
        """Log it, the same sentence not too often."""
        self._trouble = trouble
        said, at_s = self._logged
        if trouble != said or time.monotonic() - at_s >= _LOG_EVERY_S:
            self._logged = (trouble, time.monotonic())
            log.warning("%s; events wait, and it is tried again", trouble)
