"""Debian's mosquitto as a child process, and a subscriber whose session outlives both."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from tests.daemon import free_port
from tests.eventually import eventually
from tests.needs import need_program

_SBIN = f"{os.environ['PATH']}:/usr/sbin"  # where Debian puts it


class Mosquitto:
    """A broker that keeps sessions and retained messages on the disk, as Debian's does. Ends with the `with`.

    folder  for its files
    lines   more of its configuration, such as passwords
    saves   whether it writes down each change at once, which makes it slow
    queue   how many messages wait for a client; 0: any number
    """

    def __init__(self, folder: Path, *lines: str, saves: bool = True, queue: int = 0) -> None:
        self.port = free_port()
        self._folder = folder
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)  # it may give up root's rights
        self._config = folder / "mosquitto.conf"
        self._config.write_text(
            "\n".join(
                [
                    f"listener {self.port} 127.0.0.1",
                    *(lines or ["allow_anonymous true"]),
                    "persistence true",
                    f"persistence_location {folder}/",
                    *(("autosave_interval 1", "autosave_on_changes true") if saves else ()),
                    f"max_queued_messages {queue}",
                    "max_inflight_messages 0",  # what it has confirmed waits in no queue
                    "user root",
                    "",
                ]
            )
        )
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Mosquitto":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin, with what it has kept."""
        os.environ["PATH"] = _SBIN
        program = need_program("mosquitto")
        with (self._folder / "log").open("ab") as output:
            self._process = subprocess.Popen([program, "-c", str(self._config)], stdout=output, stderr=output)
        assert eventually(lambda: self._answers() or self._ended()), self.log()
        assert not self._ended(), self.log()

    def read_again(self) -> None:
        """Take over the files that its configuration names."""
        assert self._process is not None
        self._process.send_signal(signal.SIGHUP)

    def stop(self) -> None:
        """End it in order: it writes down what it keeps."""
        self._end(kill=False)

    def kill(self) -> None:
        """SIGKILL."""
        self._end(kill=True)

    def keep(self) -> None:
        """Write down now what it keeps: sessions, subscriptions and messages that wait."""
        file = self._folder / "mosquitto.db"
        before = file.stat().st_mtime_ns if file.exists() else 0
        assert self._process is not None
        self._process.send_signal(signal.SIGUSR1)
        assert eventually(lambda: file.exists() and file.stat().st_mtime_ns != before)

    def log(self) -> str:
        return (self._folder / "log").read_text()

    def _end(self, kill: bool) -> None:
        process = self._process
        if process is not None:
            (process.kill if kill else process.terminate)()
            process.wait(30)

    def _ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def _answers(self) -> bool:
        return f"127.0.0.1 port {self.port}" in self.log() or "running" in self.log().rpartition("starting")[2]


class Subscriber:
    """Hears every message of some topics at QoS 1, in a session that the broker keeps. Ends with the `with`."""

    def __init__(self, broker: Mosquitto, *topics: str, login: tuple[str, str] | None = None) -> None:
        self.heard: list[tuple[str, bytes, bool]] = []
        """Topic, payload, and whether it was retained."""
        self._broker = broker
        self._topics = topics
        self._client = client = paho.Client(CallbackAPIVersion.VERSION2, client_id="a-subscriber", clean_session=False)
        if login:
            client.username_pw_set(*login)
        client.reconnect_delay_set(1, 1)
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        self._subscribed = False

    def __enter__(self) -> "Subscriber":
        self._client.connect("127.0.0.1", self._broker.port)
        self._client.loop_start()
        assert eventually(lambda: self._subscribed)
        self._broker.keep()
        return self

    def __exit__(self, *_: object) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def send(self, topic: str, payload: str | bytes, retain: bool = False) -> None:
        self._client.publish(topic, payload, 1, retain)

    def of(self, topic: str) -> list[bytes]:
        """All payloads of a topic, in order."""
        return [payload for found, payload, _ in self.heard if found == topic]

    def records(self, topic: str) -> list[dict[str, Any]]:
        """The same as JSON."""
        return [json.loads(payload) for payload in self.of(topic)]

    def _on_connect(self, client: paho.Client, *_: object) -> None:
        client.subscribe([(topic, 1) for topic in self._topics])

    def _on_subscribe(self, *_: object) -> None:
        self._subscribed = True

    def _on_message(self, _client: paho.Client, _data: object, message: paho.MQTTMessage) -> None:
        self.heard.append((message.topic, bytes(message.payload), message.retain))


def settings_of(broker: Mosquitto, name: str = "cam", **others: str) -> Mapping[str, str]:
    """The environment of a daemon that talks with it."""
    found = {"host": "127.0.0.1", "port": str(broker.port), "name": name, **others}
    return {f"VITCAM_MQTT_{key.upper()}": value for key, value in found.items()}
