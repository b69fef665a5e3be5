"""`/api/predictions`: server-sent events."""

import json
import time
from itertools import pairwise

from tests.integration.web.camera import Camera, Client
from vitcam.web.given import Binding
from vitcam.web.server import WebServer


def test_predictions_come_as_events_with_the_same_json_as_everywhere(server: WebServer) -> None:
    with Client(server, "/api/predictions") as client:
        first, event = client.read_event(), client.read_event()
    record = json.loads(event["data"])

    assert client.headers["Content-Type"] == "text/event-stream"
    assert event["event"] == "prediction"
    assert ("id" in event, first["retry"], "retry" in event) == (False, "1000", False)
    assert record["type"] == "prediction"
    assert record["top"][0] == {"label": "cup", "p": 0.9}
    assert "attention" not in record
    assert record["frame"] == {"width": 1280, "height": 720, "crop": [0.21875, 0.0, 0.5625, 1.0]}


def test_attention_is_sent_only_on_request(server: WebServer) -> None:
    with Client(server, "/api/predictions?attention=1") as client:
        record = json.loads(client.read_event()["data"])

    assert [len(record["attention"]), len(record["attention"][0]), len(record["attention"][0][0])] == [3, 4, 4]


def test_events_follow_the_camera_in_order_and_without_repeats(server: WebServer) -> None:
    with Client(server, "/api/predictions") as client:
        seqs = [seq_of(client.read_event()) for _ in range(20)]

    assert seqs == sorted(set(seqs))


def test_a_client_that_reconnects_gets_the_newest_and_no_history(camera: Camera, server: WebServer) -> None:
    with Client(server, "/api/predictions") as client:
        first = seq_of(client.read_event())
    camera.wait_for_frames(15)
    with Client(server, "/api/predictions") as client:
        resumed = seq_of(client.read_event())

    assert resumed > first + 5
    assert camera.seq - resumed < 10


def test_a_client_that_pauses_gets_the_newest_afterwards_and_no_backlog() -> None:
    with Camera(fps=100, grid=(12, 14, 14)) as camera:  # events of 20 kB
        server = WebServer(camera.parts(), Binding())
        server.start()
        with Client(server, "/api/predictions?attention=1") as client:
            client.read_event()
            camera.wait_for_frames(400)
            ids = [seq_of(client.read_event()) for _ in range(30)]
            newest = camera.seq
        server.stop(2)

    assert newest - ids[-1] < 50
    assert max(after - before for before, after in pairwise(ids)) > 250  # the pause was skipped, not queued


def test_predictions_are_not_sent_faster_than_people_can_see() -> None:
    with Camera(fps=300) as camera:
        server = WebServer(camera.parts(), Binding())
        server.start()
        with Client(server, "/api/predictions") as client:
            client.read_event()
            began = time.monotonic()
            for _ in range(30):
                client.read_event()
            took_s = time.monotonic() - began
        server.stop(2)

    assert took_s > 0.85


def seq_of(event: dict[str, str]) -> int:
    """The number of the frame that a prediction is of."""
    return int(json.loads(event["data"])["seq"])
