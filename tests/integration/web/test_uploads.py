"""`POST /api/classify` and `POST /api/explain`: photos, and bytes that are not photos."""

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from http.client import HTTPConnection, HTTPMessage
from typing import Any

import cv2
import numpy as np
import pytest

from tests import frames
from tests.integration.web.camera import MODEL, Camera, Client, Photos
from tests.integration.web.lines import answer_of, connected, let_it_see, post_head
from vitcam.errors import VitcamError
from vitcam.frames import Image, Prediction
from vitcam.model.record import ModelInfo
from vitcam.pictures.decode import Decoded, decode_image
from vitcam.pictures.resize import to_model_size
from vitcam.web.given import Binding
from vitcam.web.requests.photos import MAX_OF_ONE
from vitcam.web.server import WebServer


def photo(width: int = 200, height: int = 100) -> bytes:
    return bytes(cv2.imencode(".png", frames.picture(height, width))[1])


def post(
    server: WebServer, body: bytes, *, target: str = "/api/classify", **headers: str
) -> tuple[int, dict[str, Any]]:
    status, _, answer = post_for_bytes(server, target, body, headers.pop("Content-Type", ""), **headers)
    return status, json.loads(answer)


def post_for_bytes(
    server: WebServer, target: str, body: bytes, kind: str, **headers: str
) -> tuple[int, HTTPMessage, bytes]:
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=30)
    connection.request("POST", target, body, headers | {"Content-Type": kind})
    with connection.getresponse() as answer:
        found = answer.status, answer.headers, answer.read()
    connection.close()
    return found


def form(name: str, data: bytes) -> tuple[bytes, str]:
    head = f'--xx\r\nContent-Disposition: form-data; name="{name}"; filename="a.png"\r\n\r\n'
    note = '--xx\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n'
    return note.encode() + head.encode() + data + b"\r\n--xx--\r\n", "multipart/form-data; boundary=xx"


@contextmanager
def serving(classify: Callable[[Image], Prediction]) -> Iterator[WebServer]:
    with Camera() as camera:
        server = WebServer(camera.parts(photos=Photos(classify)), Binding())
        server.start()
        try:
            yield server
        finally:
            server.stop(2)


def test_a_photo_as_the_body_gives_a_prediction_and_the_attention(server: WebServer) -> None:
    status, record = post(server, photo(), **{"Content-Type": "image/png"})

    assert status == 200
    assert record["type"] == "prediction"
    assert record["top"][0] == {"label": "cat", "p": 0.9}
    assert record["ms"]["infer"] == 5.0
    assert record["image"] == {"width": 200, "height": 100}
    assert record["crop"] == {"x": 50, "y": 0, "width": 100, "height": 100}
    assert np.shape(record["attention"]) == (3, 4, 4)
    assert record["frame"] == {"width": 200, "height": 100, "crop": [0.21875, 0.0, 0.5625, 1.0]}


def test_a_photo_in_a_form_gives_the_same_as_one_in_the_body(server: WebServer) -> None:
    body, kind = form("image", photo())

    status, record = post(server, body, **{"Content-Type": kind})
    assert status == 200
    assert record["top"][0]["label"] == "cat"


def test_the_model_gets_the_photo_in_rgb() -> None:
    seen: list[Image] = []

    def look(image: Image) -> Prediction:
        seen.append(image)
        return frames.prediction()

    red = frames.picture()
    red[:] = (250, 0, 10)
    with serving(look) as server:
        post(server, bytes(cv2.imencode(".png", cv2.cvtColor(red, cv2.COLOR_RGB2BGR))[1]))

    assert (seen[0] == red).all()


@pytest.mark.parametrize(
    ("body", "kind", "sentence"),
    [
        (b"", "image/jpeg", "contains no photo"),
        (b"this is a text", "image/jpeg", "not an image"),
        (photo()[:60], "image/png", "not an image"),
        (b"GIF89a" + bytes(50), "image/gif", "GIF"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(50), "image/heic", "a HEIC picture; JPEG, PNG, WebP and BMP"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", "an SVG drawing"),
        (b"%PDF-1.7" + bytes(50), "image/jpeg", "a PDF document"),
        (form("picture", photo())[0], form("picture", photo())[1], "no field 'image'"),
        (form("image", b"")[0], form("image", b"")[1], "contains no photo"),
        (b"no form at all", "multipart/form-data", "form"),
        (b"no form at all", "multipart/form-data; boundary=xx", "form"),
        (form("image", photo())[0][:150], form("image", photo())[1], ""),
    ],
)
def test_bytes_that_are_not_a_photo_are_refused_with_one_sentence(
    server: WebServer, body: bytes, kind: str, sentence: str
) -> None:
    status, answer = post(server, body, **{"Content-Type": kind})

    assert status == 400
    assert sentence in answer["error"]


def test_a_model_that_cannot_be_loaded_is_an_error_of_the_server() -> None:
    def fail(_: Image) -> Prediction:
        raise VitcamError("the model file is gone")

    with serving(fail) as server:
        status, answer = post(server, photo())

    assert status == 503
    assert answer == {"error": "the model file is gone"}


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({"Origin": "http://evil.example"}, False),
        ({"Origin": "null"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({}, True),
    ],
)
def test_a_page_of_another_site_may_not_post(server: WebServer, headers: dict[str, str], allowed: bool) -> None:
    status, _ = post(server, photo(), **headers)

    assert status == (200 if allowed else 403)


def test_the_page_may_post_from_browsers_that_send_only_the_origin(server: WebServer) -> None:
    assert post(server, photo(), Origin=server.url)[0] == 200


def test_too_many_photos_at_once_are_refused() -> None:
    gate = threading.Event()

    def wait(_: Image) -> Prediction:
        gate.wait(60)
        return frames.prediction()

    with serving(wait) as server, ExitStack() as stack:
        request = post_head("/api/classify", len(photo())) + photo()
        lines = [stack.enter_context(connected(server, request)) for _ in range(MAX_OF_ONE)]
        let_it_see(server)
        refused, answer = post(server, photo())
        gate.set()
        statuses = [answer_of(line)[0] for line in lines]

    assert refused == 503
    assert "try again" in answer["error"]
    assert statuses == [200] * MAX_OF_ONE


def test_streams_go_on_while_a_photo_is_classified() -> None:
    begun, over = threading.Event(), threading.Event()

    def slow(_: Image) -> Prediction:
        begun.set()
        over.wait(60)
        return frames.prediction()

    request = post_head("/api/classify", len(photo())) + photo()
    with serving(slow) as server, Client(server, "/stream?width=320") as viewer, connected(server, request) as line:
        assert begun.wait(60)
        began, gaps = time.monotonic(), []
        for _ in range(30):
            viewer.read_part()
            gaps.append(time.monotonic() - began)
            began = time.monotonic()
        over.set()
        status = answer_of(line)[0]

    assert status == 200
    assert max(gaps) < 1


def test_the_input_is_the_picture_that_the_model_received(server: WebServer) -> None:
    large = photo(640, 480)
    status, record = post(server, large, target="/api/classify?input=1")

    kind, _, coded = record["input"].partition(",")
    given = cv2.imdecode(np.frombuffer(base64.b64decode(coded), np.uint8), cv2.IMREAD_COLOR)
    spec = MODEL.card.input
    assert (status, kind) == (200, "data:image/png;base64")
    assert (cv2.cvtColor(given, cv2.COLOR_BGR2RGB) == to_model_size(decode_image(large), spec)).all()
    assert "input" not in post(server, large)[1]


@contextmanager
def explaining(explain: Callable[[Decoded], Image], model: ModelInfo) -> Iterator[WebServer]:
    def draw(photo: Decoded, scheme: str = "") -> Image:
        return explain(photo)

    with Camera() as camera:
        server = WebServer(camera.parts(model, Photos(explain=draw)), Binding())
        server.start()
        try:
            yield server
        finally:
            server.stop(2)


@pytest.mark.parametrize("as_form", [True, False])
def test_the_figure_of_a_photo_comes_as_png(as_form: bool) -> None:
    body, kind = form("image", photo()) if as_form else (photo(), "image/png")
    with explaining(lambda sent: sent.image[::2], replace(MODEL, gives=frozenset({"rollout"}))) as server:
        status, headers, png = post_for_bytes(server, "/api/explain", body, kind)

    assert (status, headers["Content-Type"]) == (200, "image/png")
    figure = cv2.cvtColor(cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    assert (figure == frames.picture(100, 200)[::2]).all()


def test_explain_and_classify_share_one_quota() -> None:
    gate, begun = threading.Event(), threading.Event()

    def wait(sent: Decoded) -> Image:
        begun.set()
        gate.wait(60)
        return sent.image

    with explaining(wait, replace(MODEL, gives=frozenset({"rollout"}))) as server, ExitStack() as stack:
        request = post_head("/api/explain", len(photo())) + photo()
        lines = [stack.enter_context(connected(server, request)) for _ in range(MAX_OF_ONE)]
        begun.wait(30)
        late = next(answer for answer in iter(lambda: post(server, photo()), None) if answer[0] != 200)
        gate.set()
        assert [answer_of(line)[0] for line in lines] == [200] * MAX_OF_ONE

    assert late[0] == 503
    assert "try again" in late[1]["error"]
