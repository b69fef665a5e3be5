"""Text is sent as gzip, pictures are not compressed again."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.integration.web.camera import MODEL, Camera, Client
from tests.integration.web.lines import answer_of, connected, post_head
from tests.integration.web.test_uploads import photo
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
FILES = ["/", "/page/app.js", "/page/history/history.js", "/page/zones.js", "/page/style.css", "/page/icon.svg"]


@pytest.fixture(scope="module")
def running() -> Iterator[WebServer]:
    with Camera() as camera:
        model = replace(MODEL, labels=tuple(f"thing {n}" for n in range(1000)))
        server = WebServer(camera.parts(model), Binding())
        server.start()
        yield server
        server.stop(2)


@pytest.mark.parametrize("target", [*FILES, "/api/model"])
def test_text_comes_as_gzip_and_is_the_same_once_unpacked(running: WebServer, target: str) -> None:
    with Client(running, target) as plain, Client(running, target, headers=GZIP) as packed:
        body, small = plain.read_body(), packed.read_body()

    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(small) == body
    assert len(small) < 0.7 * len(body)


@pytest.mark.parametrize("wish", ["", "identity", "deflate", "gzip;q=0", "*;q=0", "gzip;q=0, *", "gzip;q=x", "xgzip"])
def test_a_client_that_does_not_accept_gzip_gets_plain_text(running: WebServer, wish: str) -> None:
    for target in ("/", "/api/model"):
        with Client(running, target, headers={"Accept-Encoding": wish}) as client:
            assert "Content-Encoding" not in client.headers


@pytest.mark.parametrize("target", FILES)
def test_plain_and_compressed_files_have_different_tags_and_are_not_sent_twice(running: WebServer, target: str) -> None:
    tags = []
    for wish in ({}, GZIP):
        with Client(running, target, headers=wish) as first:
            tags.append(first.headers["ETag"])
        with Client(running, target, headers={**wish, "If-None-Match": tags[-1]}) as again:
            assert (again.status, again.headers["ETag"], again.headers["Vary"]) == (304, tags[-1], "Accept-Encoding")
    with Client(running, target, headers={"If-None-Match": tags[1]}) as other:
        assert other.status == 200  # what it has is not what it would be sent

    assert tags[0] != tags[1]


@pytest.mark.parametrize("target", ["/stream?width=320", "/snapshot.jpg?width=320", "/api/predictions", "/healthz"])
def test_streams_pictures_and_short_answers_are_not_compressed(running: WebServer, target: str) -> None:
    with Client(running, target, headers=GZIP) as client:
        assert client.status == 200
        assert "Content-Encoding" not in client.headers


def test_the_answer_to_a_photo_comes_as_gzip(running: WebServer) -> None:
    data = photo(300, 300)
    head = post_head("/api/classify?input=1", len(data), "Accept-Encoding: gzip")
    with connected(running, head + data) as line:
        status, headers, body = answer_of(line)

    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert json.loads(gzip.decompress(body))["input"].startswith("data:image/png")
