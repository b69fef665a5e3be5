"""A client of the daemon alone, without camera and model: what tests of the connection need."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.frames import SECOND
from vitcam.daemon.shutdown import ShutdownRequest
from vitcam.frames import Event
from vitcam.parts.mqtt.broker import Broker
from vitcam.parts.mqtt.client import MqttClient
from vitcam.parts.mqtt.commands import MqttCommands
from vitcam.parts.mqtt.connection import Connection
from vitcam.parts.mqtt.deliveries import Deliveries
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.shared import MqttParts
from vitcam.parts.mqtt.topics import Topics
from vitcam.run.ending import Ending
from vitcam.run.report import Report
from vitcam.storage.outbox import Delivery, Outbox


def event(number: int, phase: str = "new") -> Event:
    """The event of a number."""
    end_ns = 9 * SECOND if phase == "end" else None
    return Event(f"{number:06}", phase, "tabby", 0.9, SECOND, end_ns, "test")  # type: ignore[arg-type]


@contextmanager
def connecting(
    folder: Path | None, settings: MqttSettings, picture: Callable[[int], bytes] | None = None
) -> Iterator[MqttClient]:
    """A client that tries again soon; it has begun, and ends with the `with`.

    picture  makes one of at most so many bytes; None: none is published
    """
    outbox, topics = Outbox(folder), Topics.of(settings)
    broker = Broker(settings, topics)
    commands = MqttCommands(None, None, lambda _: None, lambda: 0.5)  # type: ignore[arg-type]  # only pause is asked
    parts = MqttParts(
        topics, outbox, lambda: Report(lambda: {"status": "ok"}, ""), picture or (lambda _most: b"\xff\xd8"), commands
    )
    client = MqttClient(broker, parts, snapshots=picture is not None, first_pause_s=0.05)
    client.start()
    try:
        yield client
    finally:
        client.stop(Ending(ShutdownRequest()))
        assert client.workers[0].join(20)
        outbox.close()


class SentTwice:
    """Which events were sent how often, and which of them again although the broker had confirmed them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent: Counter[str] = Counter()
        self.after_confirmation: list[str] = []
        self.confirmed: set[str] = set()
        send, confirm = Connection.send, Deliveries.confirmed

        def noted_send(connection: Connection, topic: str, payload: bytes, retain: bool) -> int:
            if topic.endswith("/event"):
                number = json.loads(payload)["id"]
                self.sent[number] += 1
                self.after_confirmation += [number] if number in self.confirmed else []
            return send(connection, topic, payload, retain)

        def noted_confirm(deliveries: Deliveries, delivery: Delivery) -> None:
            self.confirmed.add(delivery.event_id)
            confirm(deliveries, delivery)

        monkeypatch.setattr(Connection, "send", noted_send)
        monkeypatch.setattr(Deliveries, "confirmed", noted_confirm)

    @property
    def again(self) -> int:
        """How many were sent more than once."""
        return self.sent.total() - len(self.sent)


class Flow:
    """Events that come all the time, from a thread of its own, until the `with` ends."""

    def __init__(self, client: MqttClient, every_s: float) -> None:
        self.count = 0
        self._client = client
        self._every_s = every_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Flow":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.is_set():
            self._client.event(event(self.count))
            self.count += 1
            time.sleep(self._every_s)  # the rate of the events
