"""A client of the daemon alone, without camera and model: what tests of the connection need."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.frames import SECOND
from vitcam.config.mqtt import MqttSettings
from vitcam.frames import Event
from vitcam.mqtt.broker import Broker
from vitcam.mqtt.client import MqttClient
from vitcam.mqtt.report import Report
from vitcam.mqtt.session import MqttParts
from vitcam.mqtt.topics import Topics
from vitcam.storage.outbox import Outbox


def event(number: int, phase: str = "new") -> Event:
    """The event of a number."""
    end_ns = 9 * SECOND if phase == "end" else None
    return Event(f"{number:06}", phase, "tabby", 0.9, SECOND, end_ns, "test")  # type: ignore[arg-type]


@contextmanager
def connecting(
    folder: Path | None, settings: MqttSettings, versions: tuple[str, ...] = ("5", "3.1.1")
) -> Iterator[MqttClient]:
    """A client that tries again soon; it has begun, and ends with the `with`."""
    outbox, topics = Outbox(folder), Topics.of(settings)
    broker = Broker(settings, topics)
    parts = MqttParts(
        topics, broker.address, outbox, lambda: Report(lambda: {"status": "ok"}, ""), lambda: b"\xff\xd8", None
    )
    client = MqttClient(broker, versions, parts, snapshots=False, first_pause_s=0.05)
    client.start()
    try:
        yield client
    finally:
        client.close(None)
        assert client.workers[0].join(20)
        outbox.close()


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
