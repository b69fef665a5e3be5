"""Every route × every kind of caller: who is let in, and what the others are answered."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.integration.web.camera import Camera
from tests.secured import PASSWORD, ask, basic, bearer, cookie, log_in, protected, sent
from vitcam.access.tokens import Scope, create_token, revoke_token
from vitcam.web.route import Route
from vitcam.web.route_table import ROUTES

REFUSED = 401


@dataclass(frozen=True)
class House:
    """A server, and the credentials that open it."""

    url: str
    callers: dict[str, dict[str, str]]
    """What each kind of caller sends."""


LET_IN = {
    "the password": Scope.CONTROL,
    "a session": Scope.CONTROL,
    "a session and a wrong password": Scope.CONTROL,
    "a token that controls": Scope.CONTROL,
    "a token that reads": Scope.READ,
}
"""Caller -> what it may do. Everybody else may do nothing."""
KEPT_OUT = (
    "nobody",
    "another user with the password",
    "the password without a user",
    "a token that was revoked",
    "a token as the password",
    "the password as a token",
    "an unknown session",
    "a session that was closed",
    "half of a session",
    "Basic that is not base64",
    "an unknown scheme",
    "an empty header",
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("state")
    token = partial(create_token, folder)
    reads, controls, gone = token("reads", Scope.READ), token("controls", Scope.CONTROL), token("gone", Scope.CONTROL)
    revoke_token(folder, "gone")
    with Camera() as camera, protected(camera, folder) as server:
        opened, closed = cookie(log_in(server.url)), cookie(log_in(server.url))
        ask(server.url, "/logout", "POST", headers=closed)
        yield House(
            server.url,
            {
                "nobody": {},
                "the password": basic(),
                "a session": opened,
                "a session and a wrong password": opened | basic("of the proxy in front"),
                "a token that controls": bearer(controls),
                "a token that reads": bearer(reads),
                "another user with the password": basic(user="root"),
                "the password without a user": basic(user=""),
                "a token that was revoked": bearer(gone),
                "a token as the password": basic(controls),
                "the password as a token": bearer(PASSWORD),
                "an unknown session": {"Cookie": "vitcam_session=0123456789"},
                "a session that was closed": closed,
                "half of a session": {"Cookie": opened["Cookie"][:-20]},
                "Basic that is not base64": {"Authorization": "Basic %%%"},
                "an unknown scheme": {"Authorization": f"Digest {PASSWORD}"},
                "an empty header": {"Authorization": ""},
            },
        )


FILES = {"/page/{name}": "app.js", "/page/{folder}/{name}": "teach.js", "/login/{name}": "login.js"}


def status(house: House, route: Route, caller: str, address: str) -> int:
    """What a caller is answered, from an address of its own: wrong passwords of the others must not delay it."""
    target = route.path.replace("{name}", FILES.get(route.path, "none")).replace("{id}", "none")
    target = target.replace("{folder}", "teach").replace("{label}", "none").replace("{picture}", "none.jpg")
    with sent(house.url, target, route.method, headers=house.callers[caller], address=address) as answer:
        return answer.status


# logging out would end the sessions of the house; test_sessions.py does it
@pytest.mark.parametrize(
    "route", [route for route in ROUTES if route.path != "/logout"], ids=lambda route: f"{route.method} {route.path}"
)
def test_a_route_lets_in_those_who_may_and_nobody_else(house: House, route: Route) -> None:
    number = ROUTES.index(route) + 1
    answers = {
        caller: status(house, route, caller, f"127.0.{number}.{i + 1}") for i, caller in enumerate(house.callers)
    }

    assert set(answers) == {*LET_IN, *KEPT_OUT}
    if route.needs is None:
        assert not {REFUSED, 403} & set(answers.values())
        return
    assert {answers[caller] for caller in KEPT_OUT} == {REFUSED}
    for caller, scope in LET_IN.items():
        assert answers[caller] != REFUSED
        assert (answers[caller] == 403) == (route.needs is Scope.CONTROL and scope is Scope.READ)


@pytest.mark.parametrize("method", ["HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
@pytest.mark.parametrize("target", ["/", "/stream", "/api/state", "/api/crop", "/nothing", "/api/", "/.git/config"])
def test_other_methods_and_paths_say_nothing_to_callers_without_a_password(
    house: House, method: str, target: str
) -> None:
    assert ask(house.url, target, method).status == REFUSED


def test_a_caller_that_is_let_in_gets_404_and_405_as_ever(house: House) -> None:
    known = house.callers["the password"]

    assert ask(house.url, "/nothing", headers=known).status == 404
    assert ask(house.url, "/api/state", "PUT", headers=known).status == 405


def test_health_says_its_status_and_nothing_else_to_everybody(tmp_path: Path) -> None:
    with Camera() as camera, protected(camera, tmp_path) as server:
        camera.lose_signal("the camera rtsp://camera.secret.example was unplugged")
        anybody, known = ask(server.url, "/readyz"), ask(server.url, "/readyz", headers=cookie(log_in(server.url)))

        assert (anybody.status, anybody.body) == (503, b'{"error": "no_signal"}')
        assert b"unplugged" in known.body
        assert ask(server.url, "/healthz").body == b'{"status": "ok"}'
