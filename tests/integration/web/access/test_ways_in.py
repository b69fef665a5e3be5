"""Ways in that others have tried on other products, one test each."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import pytest

from tests.integration.web.camera import Camera
from tests.secured import (
    FORM,
    PASSWORD,
    ask,
    basic,
    bearer,
    cookie,
    log_in,
    protected,
    quick_hash,
)
from vitcam.access.guard import Guard
from vitcam.access.tokens import Scope, create_token
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

GUESSES = 10_000
CHECKED_IN_A_MINUTE = 20


class CountingGuard(Guard):
    """Counts the passwords that are checked."""

    checked = 0

    def scope_of(self, password: str) -> Scope | None:
        type(self).checked += 1
        return super().scope_of(password)


@contextmanager
def counted(camera: Camera, folder: Path, binding: Binding = Binding()) -> Iterator[WebServer]:  # noqa: B008 - frozen
    """A server whose guard counts."""
    CountingGuard.checked = 0
    guard = CountingGuard(quick_hash(), folder)
    with protected(
        camera, folder, Binding(proxies=binding.proxies, host_names=binding.host_names, guard=guard)
    ) as server:
        yield server


def raw(url: str, request: bytes) -> bytes:
    """What a server answers to bytes, until it closes the connection or says nothing for a while."""
    place = urlsplit(url)
    with socket.create_connection((str(place.hostname), place.port or 0), timeout=10) as line:
        line.sendall(request)
        line.settimeout(1.5)
        received = b""
        try:
            while data := line.recv(65536):
                received += data
        except (TimeoutError, ConnectionError):
            pass
        return received


def test_dns_rebinding_a_foreign_name_gets_nothing_even_with_a_session(guarded: WebServer) -> None:
    known = cookie(log_in(guarded.url))

    assert ask(guarded.url, "/api/state", headers=known | {"Host": "evil.example"}).status == 403
    assert log_in(guarded.url, Host="evil.example").status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("target", ["/login", "/logout", "/api/crop", "/api/words", "/api/classify"])
def test_a_form_or_fetch_of_another_site_changes_nothing(
    guarded: WebServer, headers: dict[str, str], target: str
) -> None:
    known = cookie(log_in(guarded.url))
    answer = ask(guarded.url, target, "POST", b"password=x", {"Content-Type": FORM} | known | headers)

    assert answer.status == 403
    assert ask(guarded.url, "/api/state", headers=known).status == 200


def test_a_page_of_another_site_cannot_read_or_frame_what_a_session_opens(guarded: WebServer) -> None:
    answer = ask(guarded.url, "/api/state", headers=cookie(log_in(guarded.url)) | {"Origin": "http://evil.example"})

    assert answer.header("Access-Control-Allow-Origin") == ""
    assert "frame-ancestors 'self'" in answer.header("Content-Security-Policy")


@pytest.mark.parametrize(
    "name", ["token", "access_token", "auth", "password", "vitcam_session", "key", "Authorization"]
)
def test_a_token_in_the_address_opens_nothing(guarded: WebServer, folder: Path, name: str) -> None:
    token = create_token(folder, "screen", Scope.CONTROL)
    session = log_in(guarded.url).session

    for secret in (token, session, PASSWORD.replace(" ", "+")):
        assert ask(guarded.url, f"/api/state?{name}={secret}").status == 401


def test_a_password_in_the_address_is_not_read(guarded: WebServer) -> None:
    host = urlsplit(guarded.url).netloc
    request = f"GET http://vitcam:{PASSWORD.replace(' ', '%20')}@{host}/api/state HTTP/1.1\r\nHost: {host}\r\n\r\n"

    assert b" 200 " not in raw(guarded.url, request.encode()).split(b"\r\n")[0]


@pytest.mark.parametrize(
    "smuggled",
    [
        "Content-Length: 0\r\nContent-Length: 44",
        "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding:\tchunked, identity",
        "X: 1\r\n Authorization: Basic eA==",
        "X: 1\nAuthorization: {known}",
        "X: 1\rAuthorization: {known}",
        "Authorization: {known}\r\nAuthorization: Basic eA==",
        "Authorization: Basic eA==\r\nAuthorization: {known}",
        "Authorization\x00: {known}",
        " Authorization: {known}",
    ],
)
def test_a_request_that_two_servers_may_read_differently_is_not_let_in(guarded: WebServer, smuggled: str) -> None:
    known = basic()["Authorization"]
    head = f"POST /api/crop HTTP/1.1\r\nHost: localhost\r\n{smuggled.format(known=known)}\r\n\r\n"
    inner = "0\r\n\r\nGET /api/state HTTP/1.1\r\nHost: localhost\r\n\r\n"

    answer = raw(guarded.url, (head + inner).encode())

    assert b"HTTP/1.1 2" not in answer
    assert b"uptime_s" not in answer
    assert ask(guarded.url, "/healthz").status == 200


@pytest.mark.parametrize(
    "target",
    [
        "/login/../api/state",
        "/login/..%2fapi/state",
        "/login/%2e%2e/api/state",
        "/login/..;/api/state",
        "/login//../../etc/passwd",
        "/login/index.html",
        "/login/app.js",
        "/login/login.js/../../page/app.js",
        "/login/login.js%00.css",
        "//api/state",
        "/healthz/../api/state",
        "/healthz%2f..%2fapi%2fstate",
        "/HEALTHZ/../api/state",
        "/API/STATE",
        "/api/state/",
        "/api%2fstate",
        "/page/../../../etc/passwd",
        "/page/..%2f..%2fserver.py",
    ],
)
def test_no_way_around_in_the_path_leads_past_the_password(guarded: WebServer, target: str) -> None:
    answer = raw(guarded.url, f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())

    assert answer.split(b" ")[1] in (b"400", b"401", b"404")
    assert b"uptime_s" not in answer
    assert b"root:" not in answer


def test_a_wrong_user_costs_as_much_work_as_a_wrong_password(camera: Camera, folder: Path) -> None:
    with counted(camera, folder) as server:
        checked = []
        for i, headers in enumerate([basic("wrong"), basic(user="root"), basic("wrong", user="root")]):
            assert ask(server.url, "/api/state", headers=headers, address=f"127.0.0.{i + 10}").status == 401
            checked.append(CountingGuard.checked)

    assert checked == [1, 2, 3]


def test_ten_thousand_guesses_from_one_address_are_hardly_checked_and_delay_nobody_else(
    camera: Camera, folder: Path
) -> None:
    token = create_token(folder, "screen", Scope.READ)
    with counted(camera, folder) as server:
        known = cookie(log_in(server.url))
        began, statuses = time.monotonic(), set()
        checked_before = CountingGuard.checked
        place = urlsplit(server.url)
        with (
            socket.create_connection(
                (str(place.hostname), place.port or 0), timeout=30, source_address=("127.0.0.66", 0)
            ) as line,
            line.makefile("rb") as answers,
        ):
            for i in range(GUESSES):
                line.sendall(guess(f"guess {i}"))
                statuses.add(status_of(answers))
                if i % 1000 == 0:
                    assert ask(server.url, "/api/state", headers=known, address="127.0.0.2").status == 200
                    assert ask(server.url, "/api/state", headers=basic(), address="127.0.0.3").status == 200
                    assert ask(server.url, "/api/state", headers=bearer(token), address="127.0.0.66").status == 200
        minutes = (time.monotonic() - began) / 60
        checked = CountingGuard.checked - checked_before - 1  # the one of 127.0.0.3

    assert statuses == {401, 429}
    assert checked <= CHECKED_IN_A_MINUTE * max(1.0, minutes)


def test_the_right_password_from_an_address_that_guessed_has_to_wait_too(guarded: WebServer) -> None:
    assert ask(guarded.url, "/api/state", headers=basic()).status == 200  # proved, and so checked in no time
    for i in range(6):
        ask(guarded.url, "/api/state", headers=basic(f"wrong {i}"))
    answer = ask(guarded.url, "/api/state", headers=basic())

    assert (answer.status, log_in(guarded.url).status) == (429, 429)
    assert 1 <= int(answer.header("Retry-After")) <= 60
    assert ask(guarded.url, "/api/state", headers=basic(), address="127.0.0.2").status == 200


def test_many_right_passwords_at_once_are_all_let_in(guarded: WebServer) -> None:
    lines = []
    for _ in range(12):
        line = socket.create_connection((str(urlsplit(guarded.url).hostname), urlsplit(guarded.url).port or 0), 30)
        line.sendall(guess(PASSWORD))
        lines.append(line)
    statuses = []
    for line in lines:
        with line, line.makefile("rb") as answers:
            statuses.append(status_of(answers))

    assert set(statuses) == {200}


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Client-IP", "True-Client-IP"])
def test_a_claimed_address_does_not_escape_the_limit_of_guesses(camera: Camera, folder: Path, header: str) -> None:
    with counted(camera, folder) as server:
        statuses = [
            ask(server.url, "/api/state", headers=basic(f"{i}") | {header: f"10.0.0.{i}"}).status for i in range(10)
        ]

    assert statuses[-1] == 429
    assert CountingGuard.checked < 10


def test_behind_a_proxy_the_address_that_it_saw_counts_and_not_what_the_client_claims(
    camera: Camera, folder: Path
) -> None:
    with counted(camera, folder, Binding(proxies=("127.0.0.0/29",))) as server:
        statuses = [
            ask(
                server.url, "/api/state", headers=basic(f"{i}") | {"X-Forwarded-For": f"10.0.0.{i}, 192.168.1.9"}
            ).status
            for i in range(10)
        ]
        other = ask(server.url, "/api/state", headers=basic() | {"X-Forwarded-For": "192.168.1.10, 127.0.0.2"})
        not_the_proxy = ask(
            server.url, "/api/state", headers=basic() | {"X-Forwarded-For": "192.168.1.9"}, address="127.0.0.40"
        )

    assert statuses[-1] == 429
    assert other.status == 200
    assert not_the_proxy.status == 200


def test_only_a_trusted_proxy_may_say_which_name_and_scheme_were_asked_for(camera: Camera, folder: Path) -> None:
    claimed = {"X-Forwarded-Host": "camera.example.org", "X-Forwarded-Proto": "https"}
    with protected(camera, folder, Binding(proxies=("127.0.0.1",), host_names=("camera.example.org",))) as server:
        through = log_in(server.url, **claimed)
        evil = log_in(server.url, **{**claimed, "X-Forwarded-Host": "camera.example.org, evil.example"})
        direct = ask(
            server.url, "/login", "POST", "password=correct+horse+7", {"Content-Type": FORM} | claimed, "127.0.0.2"
        )

    assert "Secure" in through.header("Set-Cookie")
    assert evil.status == 403
    assert "Secure" not in direct.header("Set-Cookie")


def guess(password: str) -> bytes:
    """A request with this password, on a connection that stays open."""
    shown = basic(password)["Authorization"]
    return f"GET /api/state HTTP/1.1\r\nHost: localhost\r\nAuthorization: {shown}\r\n\r\n".encode()


def status_of(answers: IO[bytes]) -> int:
    """The status of the next answer, whose body is read, too."""
    status, length = int(answers.readline().split()[1]), 0
    while line := answers.readline().strip():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    answers.read(length)
    return status
