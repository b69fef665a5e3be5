"""Which sites may show the page in a frame, and what that means for sessions and for requests of other sites."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.web.camera import Camera
from tests.secured import ask, cookie, log_in, protected
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

HOME = "https://home.example"
HTTPS = {"X-Forwarded-Proto": "https"}
CROP = '{"crop": null}'


@pytest.fixture
def framed(camera: Camera, folder: Path) -> Iterator[WebServer]:
    with protected(
        camera, folder, Binding(frame_ancestors=(f"{HOME}/", "http://HA.local:8123"), proxies=("127.0.0.1",))
    ) as server:
        yield server


def ancestors(server: WebServer, target: str) -> str:
    return ask(server.url, target).header("Content-Security-Policy").partition("frame-ancestors ")[2]


def test_only_named_sites_may_frame_the_page(guarded: WebServer, framed: WebServer) -> None:
    assert {ancestors(guarded, target) for target in ("/", "/login", "/api/state")} == {"'self'"}
    assert {ancestors(framed, target) for target in ("/", "/login", "/api/state")} == {
        f"'self' {HOME} http://ha.local:8123"
    }


def test_a_session_travels_into_frames_by_https_alone(guarded: WebServer, framed: WebServer) -> None:
    plain, safe = (log_in(framed.url, **headers).header("Set-Cookie") for headers in ({}, HTTPS))
    usual = log_in(guarded.url).header("Set-Cookie")
    ended = ask(
        framed.url, "/logout", "POST", headers=cookie(log_in(framed.url, **HTTPS)) | HTTPS | {"Origin": framed.url}
    )

    assert safe.endswith("Path=/; HttpOnly; Secure; SameSite=None; Partitioned")
    assert plain.endswith("; SameSite=Strict")
    assert usual.endswith("; SameSite=Strict")
    assert "Max-Age=0" in ended.header("Set-Cookie")
    assert "Partitioned" in ended.header("Set-Cookie")  # else the browser keeps the one of the frame


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": HOME}, 403),
        ({"Origin": "null"}, 403),
        ({}, 403),
    ],
)
def test_only_the_page_itself_changes_anything_with_a_session_that_travels(
    framed: WebServer, headers: dict[str, str], status: int
) -> None:
    known = cookie(log_in(framed.url, **HTTPS))
    assert ask(framed.url, "/api/crop", "POST", CROP, known | headers).status == status
    assert ask(framed.url, "/api/crop", "POST", CROP, known | {"Origin": framed.url}).status == 200


def test_pictures_may_be_shown_elsewhere_only_where_a_site_is_named(framed: WebServer, guarded: WebServer) -> None:
    for server, policy in ((framed, "cross-origin"), (guarded, "same-site")):
        answer = ask(server.url, "/snapshot.jpg", headers=cookie(log_in(server.url)))
        assert answer.header("Cross-Origin-Resource-Policy") == policy
