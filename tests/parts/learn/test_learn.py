"""What the view Learn asks: whom patches attend to, and pictures from addresses."""

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from tests.daemon import daemon, get_json
from tests.http_camera import OK, jpeg, sends
from tests.http_camera import server as elsewhere
from tests.integration.web.camera import ATTENTION, MODEL, Camera, Photos
from tests.integration.web.test_uploads import photo, post, post_for_bytes
from tests.secured import ask, bearer, protected
from vitcam.access.tokens import Scope, create_token
from vitcam.errors import UsageError
from vitcam.fetch.picture_fetch import PictureFetch
from vitcam.model.attention.packed import unpack
from vitcam.web.given import Binding
from vitcam.web.requests.photos import MAX_OF_ONE
from vitcam.web.server import WebServer

JSON = "application/json"
BINARY = "application/octet-stream"


@contextmanager
def serving(photos: Photos | None = None, fetch: Callable[[str], bytes] | None = None) -> Iterator[WebServer]:
    with Camera() as camera:
        server = WebServer(camera.parts(photos=photos or Photos(), fetch=fetch), Binding())
        server.start()
        try:
            yield server
        finally:
            server.stop(2)


def address(url: object) -> bytes:
    return json.dumps({"url": url}).encode()


def fetch_from(port: int) -> PictureFetch:
    """What is on this machine counts as public here, so that a test needs no network."""
    return PictureFetch(public=lambda _: True, ports=(port,))


def test_the_page_learns_what_there_is(server: WebServer) -> None:
    assert get_json(f"{server.url}/api/learn") == {"fetch": False, "attention": True}
    with serving(fetch=lambda _: b"") as fetching:
        assert get_json(f"{fetching.url}/api/learn") == {"fetch": True, "attention": True}


def test_a_model_without_patches_has_no_attention_to_show() -> None:
    card = replace(MODEL.card, layers=0, heads=0, patch_size=0)
    with Camera() as camera:
        server = WebServer(camera.parts(replace(MODEL, card=card)), Binding())
        server.start()
        assert get_json(f"{server.url}/api/learn")["attention"] is False
        server.stop(2)


@pytest.mark.parametrize("coding", ["gzip", "identity"])
def test_the_attention_comes_packed(server: WebServer, coding: str) -> None:
    status, headers, body = post_for_bytes(
        server, "/api/attention", photo(), "image/png", **{"Accept-Encoding": coding}
    )

    assert (status, headers["Content-Type"]) == (200, BINARY)
    assert headers["Content-Encoding"] == (coding if coding == "gzip" else None)
    assert headers["Cache-Control"] == "no-store"
    assert (gzip.decompress(body) if coding == "gzip" else body) == ATTENTION


def test_a_model_that_does_not_show_it_answers_with_its_sentence() -> None:
    def refuse(_: object) -> bytes:
        raise UsageError("this model file does not show it")

    with serving(Photos(attention=refuse)) as server:
        assert post(server, photo(), target="/api/attention") == (400, {"error": "this model file does not show it"})
        assert post(server, b"", target="/api/attention")[0] == 400
        assert post(server, b"no picture", target="/api/attention")[0] == 400


def test_attention_is_asked_for_one_photo_after_the_other_and_by_few_at_once() -> None:
    at_once, most, free = 0, 0, threading.Event()

    def attention(_: object) -> bytes:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        free.wait(10)
        at_once -= 1
        return ATTENTION

    with serving(Photos(attention=attention)) as server, ThreadPoolExecutor(MAX_OF_ONE + 1) as clients:
        asked = [clients.submit(post_for_bytes, server, "/api/attention", photo(), "") for _ in range(MAX_OF_ONE + 1)]
        wait(asked, return_when=FIRST_COMPLETED)
        free.set()
        found = [each.result()[0] for each in asked]

    assert sorted(found) == [200] * MAX_OF_ONE + [503]
    assert most == 1


def test_a_picture_at_an_address_is_fetched_and_classified() -> None:
    with (
        elsewhere(sends(OK + b"Content-Type: image/jpeg\r\n\r\n" + jpeg())) as port,
        serving(fetch=fetch_from(port)) as server,
    ):
        body = address(f"http://127.0.0.1:{port}/cat.jpg")

        status, headers, found = post_for_bytes(server, "/api/fetch", body, JSON)
        assert (status, headers["Content-Type"], found) == (200, "image/jpeg", jpeg())
        status, answer = post(server, body, **{"Content-Type": f"{JSON}; charset=utf-8"})
        assert (status, answer["image"]) == (200, {"width": 64, "height": 48})
        assert post_for_bytes(server, "/api/attention", body, JSON, **{"Accept-Encoding": "identity"})[2] == ATTENTION


def test_what_lies_there_is_passed_on_only_if_it_is_a_picture() -> None:
    secret = b"<html>the page of a router</html>"
    for data in (secret, jpeg()[:200], b"\x89PNG\r\n\x1a\n" + bytes(100), b"<svg xmlns='http://www.w3.org/2000/svg'/>"):
        with (
            elsewhere(sends(OK + b"Content-Type: image/png\r\n\r\n" + data)) as port,
            serving(fetch=fetch_from(port)) as server,
        ):
            status, _, found = post_for_bytes(server, "/api/fetch", address(f"http://127.0.0.1:{port}/"), JSON)
            assert status == 400
            assert secret not in found
            assert set(json.loads(found)) == {"error"}


def test_a_picture_with_too_many_pixels_is_refused_by_its_header() -> None:
    huge = b"BM" + (54).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little") + (40).to_bytes(4, "little")
    huge += (100_000).to_bytes(4, "little") * 2 + b"\1\0\x18\0" + bytes(24)
    with (
        elsewhere(sends(OK + b"Content-Type: image/bmp\r\n\r\n" + huge)) as port,
        serving(fetch=fetch_from(port)) as server,
    ):
        status, _, found = post_for_bytes(server, "/api/fetch", address(f"http://127.0.0.1:{port}/"), JSON)

    assert status == 400
    assert "error" in json.loads(found)


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"url": 3}', b'{"url": ["http://a"]}', b"x" * 5000, b"\xff"])
def test_a_body_that_names_no_address_is_refused(body: bytes) -> None:
    asked: list[str] = []
    with serving(fetch=lambda url: asked.append(url) or b"") as server:  # type: ignore[func-returns-value]
        status, _, found = post_for_bytes(server, "/api/fetch", body, JSON)

    assert status in (400, 413)
    assert "error" in json.loads(found)
    assert asked == []


@pytest.mark.parametrize("target", ["/api/fetch", "/api/classify", "/api/explain", "/api/attention"])
def test_without_the_setting_no_address_is_asked(target: str) -> None:
    with elsewhere(sends(b"")) as port, Camera() as camera:
        server = WebServer(camera.parts(replace(MODEL, gives=frozenset({"rollout"}))), Binding())
        server.start()
        status, _, found = post_for_bytes(server, target, address(f"http://127.0.0.1:{port}/"), JSON)
        server.stop(2)

    assert status == 409
    assert "[web]" in json.loads(found)["error"]


def test_a_slow_address_keeps_no_photo_waiting() -> None:
    free, waits = threading.Event(), threading.Event()

    def slow(_: str) -> bytes:
        waits.set()
        free.wait(10)
        return photo()

    with serving(fetch=slow) as server:
        asking = threading.Thread(
            target=post, args=(server, address("http://slow.example/")), kwargs={"Content-Type": JSON}
        )
        asking.start()
        assert waits.wait(5)
        status, _ = post(server, photo())
        assert status == 200
        assert asking.is_alive()
        free.set()
        asking.join(10)


def test_who_may_only_watch_may_not_make_the_daemon_work(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("state")
    token = create_token(folder, "reads", Scope.READ)
    with Camera() as camera, protected(camera, folder) as server:
        for target in ("/api/attention", "/api/fetch"):
            assert ask(server.url, target, "POST", headers=bearer(token)).status == 403
        assert ask(server.url, "/api/learn", headers=bearer(token)).status == 200


def test_a_real_daemon_shows_whom_patches_attend_to_and_refuses_this_machine() -> None:
    with daemon("--source", "demo", "--loop", "--set", "web.fetch=true") as running:
        running.wait_for("ok")
        server = running
        status, _, body = post_for_bytes(server, "/api/attention", photo(), "image/png")  # type: ignore[arg-type]
        refused = post(server, address(f"{running.url}/snapshot.jpg"), target="/api/fetch", **{"Content-Type": JSON})  # type: ignore[arg-type]
        inside = post(server, address("http://localhost/"), target="/api/fetch", **{"Content-Type": JSON})  # type: ignore[arg-type]

    header, blocks = unpack(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
    assert status == 200
    assert header["tokens"] == 197
    assert len(blocks) == 12
    assert all(np.isfinite(block).all() for block in blocks)
    assert refused[0] == 400
    assert "port" in refused[1]["error"]
    assert "public internet" in inside[1]["error"]
