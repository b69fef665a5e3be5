"""A whole daemon with a real broker: what is published, what may be asked for, and what is left after a kill."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.daemon import Daemon, answer_to, daemon
from tests.eventually import eventually
from tests.mosquitto import Mosquitto, Subscriber, settings_of
from tests.soak.camera import FaultyCamera
from vitcam.storage.outbox import Delivery, Outbox

pytestmark = pytest.mark.slow("vitcam/parts/mqtt", "tests/mosquitto.py")
PASSWORD = "hunter2-of-the-broker"


@pytest.mark.fault(
    "the daemon is killed while it is connected with an MQTT broker",
    injected="SIGKILL to a daemon, then another start",
    observed="the broker says offline by the last will, and online after the start",
)
def test_a_day_with_a_broker(tmp_path: Path) -> None:
    with Mosquitto(tmp_path / "broker") as broker:
        environment = {**settings_of(broker, user="cam", password=PASSWORD), "XDG_STATE_HOME": str(tmp_path)}
        with Subscriber(broker, "vitcam/cam/#") as subscriber:
            with daemon("--source", "demo", **environment) as running:
                running.wait_for("ok")
                _publishes(subscriber)
                _does_what_it_is_asked(running, subscriber)
                _says_nothing_secret(running, subscriber, environment)
                assert subscriber.of("vitcam/cam/status")[-1] == b"online"
                running.end(signal.SIGKILL)
                assert eventually(lambda: subscriber.of("vitcam/cam/status")[-1] == b"offline")
            with daemon("--source", "demo", **environment) as running:
                assert eventually(lambda: subscriber.of("vitcam/cam/status")[-1] == b"online")
                running.wait_for("ok")
                broker.kill()
                assert eventually(lambda: "127.0.0.1" in running.state()["mqtt"]["trouble"])
                assert running.state()["mqtt"]["trouble"] in running.state()["notices"]
                before = running.state()["frames"]["classified"]
                assert eventually(lambda: running.state()["frames"]["classified"] > before + 5)
                assert running.state()["status"] == "ok"
                broker.start()
                assert eventually(lambda: running.state()["mqtt"]["connected"])
                code, took_s = running.end()
                assert (code, took_s < 1.5) == (0, True)
                assert eventually(lambda: subscriber.of("vitcam/cam/status")[-1] == b"offline")
        with Subscriber(broker, "vitcam/cam/state") as late:
            assert eventually(lambda: late.heard)
            assert late.heard[0][2], "the state is retained"


_FILL = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
INSERT INTO deliveries
SELECT i, 'mqtt', '', 'e' || i, '', json_object('id', 'e' || i, 'x', printf('%.600c', 'x')), 0, 0.0, 752 FROM n
"""


@pytest.mark.fault(
    "a page of the outbox is damaged where events wait for an MQTT broker",
    injected="garbage in three pages of `outbox.db`, before the start",
    observed="every other event that waited arrives in order, so do new ones, without a restart; the state and the log "
    "say so once",
)
def test_a_damaged_outbox_stops_no_event(tmp_path: Path) -> None:
    state = tmp_path / "vitcam"
    box = Outbox(state)
    box.put(Delivery("mqtt", "", "first", "", "{}"))
    box.remove(*box.first("mqtt", ""))
    box.close()
    with closing(sqlite3.connect(state / "outbox.db")) as database, database:
        database.execute(_FILL)
    with (state / "outbox.db").open("r+b") as file:
        for page in (40, 41, 50):
            file.seek(page * 4096)
            file.write(os.urandom(4096))
    with Mosquitto(tmp_path / "broker") as broker, FaultyCamera(size=(320, 180)) as camera:
        environment = {**settings_of(broker, user="cam", password=PASSWORD), "XDG_STATE_HOME": str(tmp_path)}
        with (
            Subscriber(broker, "vitcam/cam/event") as subscriber,
            daemon("--source", camera.url, "--model", "mnist", "--set", "events.dwell_s=0.2", **environment) as running,
        ):
            assert eventually(lambda: any(len(each["id"]) == 26 for each in subscriber.records("vitcam/cam/event")))
            assert eventually(lambda: running.state()["mqtt"]["waiting"] == 0)
            found, log = running.state(), running.errors()

    waited = [each["id"] for each in subscriber.records("vitcam/cam/event") if each["id"].startswith("e")]
    assert waited == [name for name in (f"e{number}" for number in range(1, 501)) if name in {*waited}]
    assert 470 <= len(waited) < 500
    assert found["status"] == "ok"
    assert [f"{len(waited)} that could be read" in each for each in found["notices"]] == [True]
    assert (log.count("is damaged"), "Traceback" in log) == (1, False)
    assert len([*state.glob("outbox.db.damaged-*T??????")]) == 1


def _publishes(subscriber: Subscriber) -> None:
    """State, events and a picture."""
    assert eventually(lambda: subscriber.of("vitcam/cam/event"))
    assert eventually(lambda: subscriber.of("vitcam/cam/snapshot"))
    assert eventually(lambda: any(state["present"] for state in subscriber.records("vitcam/cam/state")))
    event, state = subscriber.records("vitcam/cam/event")[0], subscriber.records("vitcam/cam/state")[-1]
    assert (event["type"], event["phase"], len(event["id"])) == ("event", "new", 26)
    assert state["model"] == "everyday"
    assert state["mqtt"]["connected"]
    assert {"label", "p", "level", "kind"} == {*state["shown"]}
    snapshot = cv2.imdecode(np.frombuffer(subscriber.of("vitcam/cam/snapshot")[0], np.uint8), cv2.IMREAD_COLOR)
    assert snapshot is not None
    assert snapshot.shape[1] > 100


def _does_what_it_is_asked(running: Daemon, subscriber: Subscriber) -> None:
    """What is hostile or retained changes nothing."""
    subscriber.send("vitcam/cam/set/pause", "ON")
    assert eventually(lambda: running.state()["playback"]["paused"])
    assert eventually(lambda: subscriber.records("vitcam/cam/state")[-1]["controls"]["paused"])
    for command in ("pause", "model", "threshold", "overlay"):
        for payload in (b"", b"\xff\x00", b"x" * 100_000, b'{"a": [', b"../../../etc/passwd", b"1e999"):
            subscriber.send(f"vitcam/cam/set/{command}", payload)
    subscriber.send("vitcam/cam/set/pause", "OFF", retain=True)
    subscriber.send("vitcam/cam/set/threshold", "0.625")
    assert eventually(lambda: subscriber.records("vitcam/cam/state")[-1]["controls"]["threshold"] == 0.625)
    subscriber.send("vitcam/cam/set/overlay", "grid")
    assert eventually(lambda: subscriber.records("vitcam/cam/state")[-1]["controls"]["overlay"] == "grid")
    subscriber.send("vitcam/cam/set/pause", "OFF")
    assert eventually(lambda: not running.state()["playback"]["paused"])
    subscriber.send("vitcam/cam/set/model", "cifar10")
    assert eventually(lambda: subscriber.records("vitcam/cam/state")[-1]["controls"]["model"] == "cifar10")
    pictures = len(subscriber.of("vitcam/cam/snapshot"))
    subscriber.send("vitcam/cam/set/snapshot", "")
    assert eventually(lambda: len(subscriber.of("vitcam/cam/snapshot")) > pictures)
    assert "Traceback" not in running.errors()


def _says_nothing_secret(running: Daemon, subscriber: Subscriber, environment: dict[str, str]) -> None:
    """The password is in no log, no state, no settings and no message."""
    assert answer_to(f"{running.url}/api/settings", {"mqtt.host": "evil.example"}, "PATCH")[0] == 400
    said = [running.errors(), json.dumps(running.state())]
    for command in (["config", "show"], ["doctor"]):
        call = [sys.executable, "-m", "vitcam", *command]
        done = subprocess.run(
            call, capture_output=True, text=True, timeout=120, env={"PATH": "/usr/bin", **environment}
        )
        said += [done.stdout, done.stderr]
    assert f"127.0.0.1:{environment['VITCAM_MQTT_PORT']} answers by MQTT 5" in said[4]
    assert not [text for text in said if PASSWORD in text]
    assert not [payload for _, payload, _ in subscriber.heard if PASSWORD.encode() in payload]
