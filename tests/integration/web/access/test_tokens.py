"""Tokens that another camera gets with the password, listed and taken back."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.web.camera import Camera
from tests.secured import PASSWORD, Answer, ask, basic, bearer
from vitcam.access.tokens import load_tokens
from vitcam.web.server import WebServer

JSON = {"Content-Type": "application/json"}


def send(server: WebServer, headers: dict[str, str], body: Any) -> Answer:
    return ask(server.url, "/api/tokens", "POST", json.dumps(body).encode(), JSON | headers)


@pytest.mark.smoke
def test_another_camera_gets_a_token_with_the_password_and_it_can_be_taken_back(
    guarded: WebServer, folder: Path
) -> None:
    owner = basic(PASSWORD)
    made = json.loads(send(guarded, owner, {"name": "kitchen"}).body)
    shown = bearer(made["token"])

    assert (made["name"], made["scope"]) == ("kitchen", "read")
    assert ask(guarded.url, "/api/state", headers=shown).status == 200
    assert send(guarded, shown, {"name": "more"}).status == 403  # it may only look
    assert ask(guarded.url, "/api/tokens", headers=shown).status == 403
    listed = ask(guarded.url, "/api/tokens", headers=owner)
    assert [(each["name"], each["scope"]) for each in json.loads(listed.body)["tokens"]] == [("kitchen", "read")]
    assert made["token"] not in str(listed.body)

    assert ask(guarded.url, "/api/tokens/kitchen", "DELETE", headers=owner).status == 200
    assert ask(guarded.url, "/api/state", headers=shown).status == 401
    assert ask(guarded.url, "/api/tokens/kitchen", "DELETE", headers=owner).status == 404
    assert load_tokens(folder) == ()


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, "send"),
        ([], "send"),
        ({"name": 1}, "send"),
        ({"name": "a", "more": 1}, "send"),
        ({"name": "a/b"}, "cannot name a token"),
        ({"name": "a", "scope": "all"}, "'all' is not one"),
        ({"name": "a", "scope": ["read"]}, "is not one"),
        ({"name": "there"}, "there is a token 'there' already"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(guarded: WebServer, body: Any, told: str) -> None:
    owner = basic(PASSWORD)
    assert send(guarded, owner, {"name": "there", "scope": "control"}).status == 200
    refused = send(guarded, owner, body)

    assert refused.status == 400
    assert told in json.loads(refused.body)["error"]


def test_wrong_passwords_are_limited_as_at_the_login(guarded: WebServer) -> None:
    statuses = [send(guarded, basic("wrong"), {"name": "thief"}).status for _ in range(12)]

    assert statuses[0] == 401
    assert statuses[-1] == 429


def test_where_everybody_may_do_everything_there_are_no_tokens(camera: Camera, server: WebServer) -> None:
    refused = send(server, {}, {"name": "kitchen"})

    assert json.loads(ask(server.url, "/api/tokens").body) == {"tokens": []}
    assert refused.status == 404
    assert "no token is needed" in json.loads(refused.body)["error"]
