"""`/snapshot.jpg`: one picture, captured after the request."""

import time
from contextlib import ExitStack

import cv2
import numpy as np
import pytest

from tests.integration.web.camera import Camera, Client
from vitcam.web.given import Binding
from vitcam.web.server import WebServer


@pytest.mark.parametrize("target", ["/snapshot.jpg", "/snapshot", "/?action=snapshot"])
def test_every_name_of_the_snapshot_gives_one_jpeg(server: WebServer, target: str) -> None:
    with Client(server, target) as client:
        jpeg = client.read_body()

    assert client.status == 200
    assert client.headers["Content-Type"] == "image/jpeg"
    assert cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).shape == (540, 960, 3)


def test_a_snapshot_is_captured_after_the_request(server: WebServer) -> None:
    for _ in range(5):
        asked = time.time()
        with Client(server, "/snapshot.jpg?width=320") as client:
            assert float(client.headers["X-Timestamp"]) > asked - 0.001  # two clocks, read one after the other


def test_a_snapshot_is_fresh_although_a_slow_stream_has_the_same_variant(server: WebServer) -> None:
    with Client(server, "/stream?width=320&fps=2") as stream:
        stream.read_part()
        asked = time.time()
        with Client(server, "/snapshot.jpg?width=320&fps=2") as client:
            captured = float(client.headers["X-Timestamp"])

    assert captured > asked - 0.001
    assert time.time() - asked < 1.5


def test_without_a_new_frame_the_snapshot_is_the_newest_one(camera: Camera, server: WebServer) -> None:
    camera.freeze()
    began = time.monotonic()
    with Client(server, "/snapshot.jpg?width=320") as client:
        client.read_body()

    assert client.status == 200
    assert client.headers["X-Vitcam-Seq"] == str(camera.seq - 1)
    assert 0.9 < time.monotonic() - began < 2.5


def test_before_the_first_frame_the_snapshot_is_a_placeholder_with_status_503() -> None:
    camera = Camera()
    camera.lose_signal("no camera is connected")
    server = WebServer(camera.parts(), Binding())
    server.start()
    with Client(server, "/snapshot.jpg?width=320") as client:
        jpeg = client.read_body()
    server.stop(2)

    assert client.status == 503
    assert cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).shape == (180, 320, 3)
    assert "X-Vitcam-Seq" not in client.headers


def test_many_snapshots_at_once_share_one_picture(server: WebServer) -> None:
    before = server.encoder.encoded
    with ExitStack() as stack:
        clients = [stack.enter_context(Client(server, "/snapshot.jpg?width=320", read=False)) for _ in range(10)]
        for client in clients:
            client.read_head()

    assert all(client.status == 200 for client in clients)
    assert server.encoder.encoded - before <= 4
