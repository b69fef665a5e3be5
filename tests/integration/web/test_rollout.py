"""Attention rollout over the picture: computed while somebody watches it, refused if the model cannot give it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from http.client import HTTPConnection
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.daemon import daemon, get_json
from tests.eventually import eventually
from tests.integration.web.camera import MODEL, Camera, Client
from tests.integration.web.test_uploads import photo, post
from tests.needs import need_model
from vitcam.web.given import Binding
from vitcam.web.server import WebServer


@pytest.fixture
def explaining(camera: Camera) -> Iterator[WebServer]:
    """Serves a camera whose model computes a rollout on request. Only its lower right patch is hot."""
    running = WebServer(camera.parts(replace(MODEL, gives=frozenset({"rollout"}))), Binding())
    running.start()
    yield running
    running.stop(2)


def picture_of(jpeg: bytes) -> NDArray[np.int16]:
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.int16)


def snapshot(server: WebServer, overlay: str) -> NDArray[np.int16]:
    with Client(server, f"/snapshot.jpg?width=320&overlay={overlay}&opacity=1") as client:
        return picture_of(client.read_body())


def test_the_model_computes_rollout_until_the_last_viewer_of_a_rollout_leaves(
    camera: Camera, explaining: WebServer
) -> None:
    with Client(explaining, "/stream?overlay=attention&width=320") as other:
        other.read_part()
        unasked = camera.explained
        with Client(explaining, "/stream?overlay=rollout&width=320") as client:
            client.read_part()
            asked = eventually(lambda: camera.explained > unasked + 5)
        stopped = eventually(lambda: not camera.demand.explanation)
        other.read_part()

    assert unasked == 0
    assert asked
    assert stopped


def test_a_snapshot_waits_for_the_rollout_it_asked_for(camera: Camera, explaining: WebServer) -> None:
    camera.freeze_picture()
    plain, rollout, attention = (snapshot(explaining, overlay) for overlay in ("none", "rollout", "attention"))
    wanted = camera.demand.explanation
    change = np.abs(rollout - plain).max(axis=2)

    assert change[150:178, 220:248].mean() > 30, "the hot patch, in the corner of the square that the model sees"
    assert change[:85, 72:155].mean() < 3, "cold patches keep the picture"
    assert np.abs(attention - rollout).max() > 30
    assert not wanted


@pytest.mark.parametrize("target", ["/stream", "/snapshot.jpg"])
def test_rollout_of_a_model_without_it_is_refused_with_one_sentence(server: WebServer, target: str) -> None:
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=10)
    connection.request("GET", f"{target}?overlay=rollout")
    answer = connection.getresponse()
    error = json.loads(answer.read())["error"]
    offered = get_json(f"{server.url}/api/model")["stream"]["overlays"]
    connection.close()

    assert answer.status == 400
    assert error == f"overlay is 'rollout'; allowed: {', '.join(offered)}"
    assert "rollout" not in offered


def test_the_daemon_draws_rollout_and_returns_it_for_a_photo() -> None:
    need_model("everyday")
    with daemon("--source", "demo:ram", "--fps", "5", "--overlay", "rollout") as running:
        running.wait_for("ok")
        model = get_json(f"{running.url}/api/model")
        server: Any = running  # it has a `url`, too
        status, answer = post(server, photo())
        with Client(server, "/stream?width=320") as client:
            named = eventually(lambda: "X-Vitcam-Label" in client.read_part()[0])

    rollout = np.array(answer["rollout"])
    assert (model["rollout"], model["stream"]["default"]["overlay"]) == (True, "rollout")
    assert named
    assert status == 200
    assert rollout.shape == (14, 14)
    assert (rollout >= 0).all()
    assert 0 < rollout.sum() < 1, "the class token keeps a part of its own"
