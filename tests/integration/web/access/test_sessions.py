"""A session from the login to its end, and what ends with it."""

import contextlib
import json
from http.client import HTTPException, HTTPResponse
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.integration.web.camera import Camera
from tests.secured import FORM, PASSWORD, ask, basic, bearer, cookie, log_in, protected, quick_hash, sent
from vitcam.access.guard import Guard
from vitcam.access.password import save_password
from vitcam.access.tokens import Scope, create_token, revoke_token
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

ENDS_WITHIN_S = 20.0


def test_a_login_opens_the_page_and_its_cookie_is_for_this_server_alone(guarded: WebServer) -> None:
    answer = log_in(guarded.url)
    attributes = {part.strip().lower() for part in answer.header("Set-Cookie").split(";")[1:]}

    assert (answer.status, answer.header("Location")) == (303, "./")
    assert {"httponly", "samesite=strict", "path=/"} <= attributes
    assert not {"secure"} & attributes  # plain http
    assert not [part for part in attributes if part.startswith("domain")]
    assert ask(guarded.url, "/", headers=cookie(answer)).status == 200


def test_a_wrong_password_opens_nothing_and_is_answered_with_a_sentence(guarded: WebServer) -> None:
    answer = log_in(guarded.url, "wrong")

    assert (answer.status, json.loads(answer.body)["error"]) == (401, "this is not the password")
    assert answer.header("Set-Cookie") == ""


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", FORM),
        (b"password=", FORM),
        (b"password=a&password=b", FORM),
        (b"password=" + b"x" * 300, FORM),
        (b"password=%FF", FORM),
        (b"\xff", FORM),
        (b"&".join(b"a=1" for _ in range(100)), FORM),
        (b"a=1", FORM),
        (b'{"password": "x"}', "application/json"),
        (b"password=x", "multipart/form-data"),
    ],
)
def test_a_form_that_is_not_a_login_is_refused_with_a_sentence(guarded: WebServer, body: bytes, kind: str) -> None:
    answer = ask(guarded.url, "/login", "POST", body, {"Content-Type": kind})

    assert answer.status == 400
    assert b'"error"' in answer.body


def test_logging_out_ends_the_session_and_the_streams_that_it_has_open(guarded: WebServer) -> None:
    known = cookie(log_in(guarded.url))
    other = cookie(log_in(guarded.url))
    with (
        sent(guarded.url, "/stream?width=320", headers=known) as ended,
        sent(guarded.url, "/stream?width=320", headers=other) as stays,
    ):
        ended.read(1000)
        answer = ask(guarded.url, "/logout", "POST", headers=known)
        reads_to_its_end(ended)

        assert stays.read(1000)
    assert (answer.status, answer.header("Location")) == (303, "login")
    assert 'vitcam_session=""' in answer.header("Set-Cookie")
    assert ask(guarded.url, "/api/state", headers=known).status == 401
    assert ask(guarded.url, "/api/state", headers=other).status == 200


def test_the_cookie_that_a_client_brings_is_never_taken_for_its_session(guarded: WebServer) -> None:
    planted = {"Cookie": "vitcam_session=planted"}
    answer = log_in(guarded.url, **planted)

    assert answer.session not in ("", "planted")
    assert ask(guarded.url, "/api/state", headers=planted).status == 401


def test_two_vitcams_on_one_machine_keep_their_sessions_in_one_cookie(guarded: WebServer, tmp_path: Path) -> None:
    with Camera() as other_camera, protected(other_camera, tmp_path / "other") as other:
        first = cookie(log_in(guarded.url))
        both = cookie(log_in(other.url, **first))
        opened = [ask(server.url, "/api/state", headers=both).status for server in (guarded, other)]
        left = cookie(ask(guarded.url, "/logout", "POST", headers=both))
        after = [ask(server.url, "/api/state", headers=left).status for server in (guarded, other)]

    assert opened == [200, 200]
    assert after == [401, 200]


def test_a_session_outlasts_a_restart_and_is_in_no_file_as_it_is(camera: Camera, folder: Path) -> None:
    with protected(camera, folder) as before:
        answer = log_in(before.url)
    with protected(camera, folder) as after:
        status = ask(after.url, "/api/state", headers=cookie(answer)).status
    written = "".join(path.read_text() for path in folder.iterdir())

    assert status == 200
    assert answer.session not in written
    assert PASSWORD not in written
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_another_password_ends_sessions_and_streams_of_the_old_one(camera: Camera, folder: Path) -> None:
    with protected(camera, folder) as server:
        known = cookie(log_in(server.url))
        with (
            sent(server.url, "/stream?width=320", headers=known) as stream,
            sent(server.url, "/api/predictions", headers=basic()) as events,
        ):
            stream.read(1000)
            events.read(100)
            save_password(folder, quick_hash("another one", b"fedcba9876543210"))
            reads_to_its_end(stream)
            reads_to_its_end(events)

        assert ask(server.url, "/api/state", headers=known).status == 401
        assert ask(server.url, "/api/state", headers=basic()).status == 401
        assert ask(server.url, "/api/state", headers=basic("another one")).status == 200


def test_a_token_that_is_revoked_opens_nothing_and_its_streams_end(camera: Camera, folder: Path) -> None:
    token = create_token(folder, "screen", Scope.READ)
    with protected(camera, folder) as server, sent(server.url, "/stream?width=320", headers=bearer(token)) as stream:
        stream.read(1000)
        revoke_token(folder, "screen")
        reads_to_its_end(stream)

        assert ask(server.url, "/api/state", headers=bearer(token)).status == 401


def test_a_token_that_is_created_while_the_server_runs_opens_it_soon(guarded: WebServer, folder: Path) -> None:
    token = create_token(folder, "late", Scope.READ)

    assert eventually(lambda: ask(guarded.url, "/api/state", headers=bearer(token)).status == 200, ENDS_WITHIN_S)


@pytest.mark.parametrize("damage", ["delete", "cut", "garbage"])
def test_secrets_that_cannot_be_read_any_more_stay_in_force_and_open_nothing_else(
    camera: Camera, folder: Path, damage: str
) -> None:
    token = create_token(folder, "screen", Scope.READ)
    guard = Guard(quick_hash(), folder)
    with protected(camera, folder, Binding(guard=guard)) as server:
        for path in (folder / "password", folder / "tokens.json"):
            match damage:
                case "delete":
                    path.unlink()
                case "cut":
                    path.write_bytes(path.read_bytes()[:20])
                case _:
                    path.write_bytes(b"\xff\x00[")
        guard.refresh()

        assert ask(server.url, "/api/state", headers=basic()).status == 200
        assert ask(server.url, "/api/state").status == 401
        assert ask(server.url, "/api/state", headers=bearer(token)).status == (401 if damage == "delete" else 200)


def test_sessions_that_are_damaged_with_their_copy_end_and_nothing_else(camera: Camera, folder: Path) -> None:
    with protected(camera, folder) as before:
        known = cookie(log_in(before.url))
    for name in ("sessions.json", "sessions.json.copy"):
        (folder / name).write_text('{"half')
    with protected(camera, folder) as after:
        assert ask(after.url, "/api/state", headers=known).status == 401
        assert log_in(after.url).status == 303


def test_a_disk_that_cannot_be_written_loses_no_login(camera: Camera, folder: Path) -> None:
    with protected(camera, folder) as server:
        (folder / "sessions.json").mkdir()  # cannot be replaced by a file
        answer = log_in(server.url)

        assert ask(server.url, "/api/state", headers=cookie(answer)).status == 200


def test_a_person_gets_the_login_page_and_a_program_a_401(guarded: WebServer) -> None:
    person = ask(guarded.url, "/", headers={"Accept": "text/html,application/xhtml+xml"})
    stream = ask(guarded.url, "/?action=stream", headers={"Accept": "text/html"})
    own_page = ask(guarded.url, "/api/state", headers={"Sec-Fetch-Site": "same-origin"})

    assert (person.status, person.header("Location")) == (303, "login")
    assert "Basic" in stream.header("WWW-Authenticate")
    # with Basic, browsers would open a window of their own over the page
    assert own_page.header("WWW-Authenticate") == 'Bearer realm="vitcam"'


def reads_to_its_end(answer: HTTPResponse) -> None:
    """Read until the server ends the connection. Raises TimeoutError if it does not."""
    with contextlib.suppress(ConnectionError, HTTPException, ValueError):  # it is cut in the middle
        while answer.read(65536):
            pass
