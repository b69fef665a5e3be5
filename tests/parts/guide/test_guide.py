"""The routes of the guide, with a real server and a real state folder."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.eventually import eventually
from tests.integration.web.camera import Camera
from tests.secured import PASSWORD, Answer, ask, basic, cookie, log_in, quick_hash
from vitcam.access.guard import Guard
from vitcam.access.password import save_password
from vitcam.parts.guide.first_run import FirstRun
from vitcam.run.objects import Objects
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

WATCH = "only watching"


@pytest.fixture
def guarded(camera: Camera, tmp_path: Path) -> Iterator[WebServer]:
    save_password(tmp_path, quick_hash())
    objects = Objects()
    objects.add(FirstRun(tmp_path, False, False))
    parts = camera.parts(objects=objects)
    running = WebServer(parts, Binding(guard=Guard(quick_hash(), tmp_path)))
    running.start()
    yield running
    running.stop(2)


def put(server: WebServer, body: Any, headers: dict[str, str]) -> Answer:
    return ask(server.url, "/api/password", "PUT", json.dumps(body), headers)


def test_who_logs_in_with_the_password_to_watch_changes_nothing(guarded: WebServer) -> None:
    wanted = {"scope": "read", "password": WATCH, "current": PASSWORD}
    assert put(guarded, wanted, basic()).status == 200
    assert eventually(lambda: log_in(guarded.url, WATCH).status == 303)
    watcher = cookie(log_in(guarded.url, WATCH))

    state = json.loads(ask(guarded.url, "/api/state", headers=watcher).body)
    refused = ask(guarded.url, "/api/crop", "POST", '{"crop": null}', watcher)

    assert state["access"]["scope"] == "read"
    assert refused.status == 403
    assert b"password to watch" in refused.body
    assert ask(guarded.url, "/snapshot.jpg", headers=watcher).status == 200
    assert ask(guarded.url, "/api/guide", headers=watcher).status == 403
    assert put(guarded, {"scope": "control", "password": "mine alone", "current": WATCH}, watcher).status == 403
    assert json.loads(ask(guarded.url, "/api/guide", headers=basic()).body)["passwords"] == {
        "control": True,
        "read": True,
    }


def test_a_session_alone_sets_no_password(guarded: WebServer) -> None:
    session = cookie(log_in(guarded.url))
    answers = [
        put(guarded, {"scope": "control", "password": "a new one, please", **current}, session).status
        for current in ({}, {"current": "wrong"}, {"current": PASSWORD})
    ]

    assert answers == [403, 403, 200]
    assert eventually(lambda: ask(guarded.url, "/api/state", headers=session).status == 401), (
        "sessions of the old one end"
    )
    assert log_in(guarded.url, "a new one, please").status == 303


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"scope": "all", "password": "long enough"},
        {"scope": "read", "password": 7},
        {"scope": "read", "password": "short", "current": PASSWORD},
        {"scope": "control", "password": None, "current": PASSWORD},
        {"scope": "read", "password": PASSWORD, "current": PASSWORD},
        {"scope": "read", "password": "long enough", "path": "/etc"},
    ],
)
def test_what_is_not_a_password_is_refused_with_a_sentence(guarded: WebServer, body: Any) -> None:
    answer = put(guarded, body, basic())

    assert answer.status == 400
    assert b'"error"' in answer.body


def test_a_page_that_only_this_machine_reaches_has_no_code(guarded: WebServer) -> None:
    here = ask(guarded.url, "/api/address.svg", headers=basic())
    alone = json.loads(ask(guarded.url, "/api/guide", headers=basic()).body)

    assert (here.status, alone["address"]) == (404, "")


def test_cameras_are_found_and_only_those_give_a_picture(guarded: WebServer) -> None:
    found = json.loads(ask(guarded.url, "/api/cameras", headers=basic()).body)
    picture = ask(guarded.url, "/api/cameras/picture?source=demo", headers=basic())
    others = [
        ask(guarded.url, f"/api/cameras/picture?source={each}", headers=basic()).status for each in ("", "/etc/passwd")
    ]

    assert "demo" in [camera["source"] for camera in found["cameras"]]
    assert picture.header("Content-Type") == "image/jpeg"
    assert others == [400, 400]


def test_the_guide_is_finished_for_everybody(guarded: WebServer) -> None:
    before = json.loads(ask(guarded.url, "/api/guide", headers=basic()).body)["open"]
    assert ask(guarded.url, "/api/guide", "POST", "{}", basic()).status == 200

    assert before
    assert not json.loads(ask(guarded.url, "/api/guide", headers=basic()).body)["open"]


def test_a_run_without_a_guide_says_so_and_the_page_has_nothing_to_complain_of(camera: Camera) -> None:
    running = WebServer(camera.parts(), Binding())
    running.start()
    running.wait_until_serving()
    answer = ask(running.url, "/api/guide")
    running.stop(2)

    assert (answer.status, json.loads(answer.body)) == (200, None)
