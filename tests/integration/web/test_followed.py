"""What is followed, over HTTP: its predictions, the picture around it, and what the model saw of it."""

import json
from typing import Any

import cv2
import numpy as np
import pytest

from tests.eventually import eventually
from tests.integration.web.camera import Camera, Client, Followed
from vitcam.frames import Image
from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.rects import Rect
from vitcam.web.server import WebServer

BIRD, BRANCH = Followed(Rect(960, 90, 200, 200), "pagoda"), Followed(Rect(40, 500, 80, 80), known=False)


@pytest.fixture
def following(camera: Camera) -> Camera:
    camera.followed = {7: BIRD, 9: BRANCH}
    assert eventually(lambda: (latest := camera.latest.peek()) is not None and len(latest.looks) == 3)
    return camera


def picture_at(server: WebServer, target: str) -> tuple[Client, Image]:
    with Client(server, target) as client:
        decoded = cv2.imdecode(np.frombuffer(client.read_body(), np.uint8), cv2.IMREAD_COLOR)
    return client, np.asarray(decoded, np.uint8)


@pytest.mark.usefixtures("following")
def test_predictions_of_all_places_come_with_track_and_box(server: WebServer) -> None:
    with Client(server, "/api/predictions") as client:
        found: dict[int | None, Any] = {}
        while len(found) < 3:
            record = json.loads(client.read_event()["data"])
            found[record["track"]] = record

    assert found[7]["box"] == "0.75,0.125,0.15625,0.277778"
    assert found[7]["shown"]["label"] == "pagoda"
    assert found[None]["box"] is None
    assert found[9]["shown"]["label"] is None


@pytest.mark.usefixtures("following")
def test_a_snapshot_of_a_track_is_what_the_model_saw_of_it(server: WebServer) -> None:
    client, plain = picture_at(server, "/snapshot.jpg?track=7&overlay=none&width=640")
    _, small = picture_at(server, "/snapshot?track=7&overlay=none&width=160")
    _, drawn = picture_at(server, "/?action=snapshot&track=7&overlay=heat")

    assert client.status == 200
    assert client.headers["X-Vitcam-Label"] == "pagoda"
    assert plain.shape == (200, 200, 3)
    assert small.shape == (160, 160, 3)
    assert drawn.shape == (200, 200, 3)
    assert abs(float(plain.mean()) - 170) < 15, "the picture grows brighter to the right"
    assert abs(float(drawn.mean()) - float(plain.mean())) > 30


@pytest.mark.usefixtures("following")
def test_the_whole_picture_has_a_frame_around_each_box_where_an_overlay_is_asked_for(server: WebServer) -> None:
    _, plain = picture_at(server, "/snapshot.jpg?overlay=none&width=1280&quality=95")
    _, drawn = picture_at(server, "/snapshot.jpg?overlay=attention&width=1280&quality=95")
    edge = np.s_[100:280, 960]

    assert drawn[edge].min() > 200 > plain[edge].min()
    assert drawn[505:575, 40].min() > 200, "also where nothing was recognised"


@pytest.mark.usefixtures("following")
def test_a_track_that_is_not_followed_is_not_found_and_says_so(server: WebServer) -> None:
    with Client(server, "/snapshot.jpg?track=8") as client:
        sentence = json.loads(client.read_body())["error"]

    assert client.status == 404
    assert sentence.startswith("track 8 is not followed now")


def test_what_was_seen_is_gone_when_masks_were_drawn(following: Camera, server: WebServer) -> None:
    following.freeze()
    _, before = picture_at(server, "/snapshot.jpg?track=7")
    newest = following.latest.peek()
    assert newest is not None
    following.latest.put(ClassifiedFrame(newest.frame, None))
    with Client(server, "/snapshot.jpg?track=7") as client:
        client.read_body()

    assert before.size
    assert client.status == 404
