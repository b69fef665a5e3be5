"""State, model, health, errors, the files of the page, and the allowed hosts."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.daemon import answer_to
from tests.integration.web.camera import MODEL, Camera, Client
from tests.integration.web.lines import connected
from vitcam.model.record import model_record
from vitcam.web.given import Binding
from vitcam.web.server import WebServer
from vitcam.web.stream.variant import Variant


def get_json(server: WebServer, target: str, **headers: str) -> tuple[int, dict[str, Any]]:
    with Client(server, target, headers=headers) as client:
        found: dict[str, Any] = json.loads(client.read_body())
        return client.status, found


@pytest.mark.smoke
def test_the_state_says_what_runs_and_how_many_clients_there_are(server: WebServer) -> None:
    with Client(server, "/stream?width=320") as stream, Client(server, "/api/predictions") as events:
        stream.read_part()
        events.read_event()
        _, state = get_json(server, "/api/state")

    assert set(state) == {
        "status",
        "reason",
        "uptime_s",
        "source",
        "model",
        "fps",
        "frames",
        "ms",
        "heat",
        "zones",
        "model_loads",
        "follows",
        "following",
        "history",
        "actions",
        "clips",
        "problem",
        "reasons",
        "notices",
        "set_aside",
        "cost",
        "clients",
        "view",
        "playback",
        "paused",
        "resting_since",
        "mqtt",
        "peers",
        "second",
        "access",
        "unsaved",
        "name",
    }
    assert state["access"] is None
    assert state["status"] == "ok"
    assert set(state["fps"]) == {"captured", "classified", "dropped"}
    assert set(state["frames"]) == {"captured", "classified", "dropped", "skipped", "encoded"}
    assert state["frames"]["encoded"] >= 1
    assert state["clients"] == {"stream": 1, "predictions": 1}


def test_a_camera_is_paused_and_goes_on_and_cannot_be_stepped_through(camera: Camera) -> None:
    server = WebServer(camera.parts(pause=camera.pause), Binding())
    server.start()
    answers = []
    try:
        for wish in ({"paused": True}, {"step": 1}, {"paused": False}):
            status, record = answer_to(f"{server.url}/api/playback", wish)
            answers.append((status, record.get("paused"), camera.paused))
    finally:
        server.stop(2)

    assert answers == [(200, True, True), (409, None, True), (200, False, False)]


def test_the_model_card_is_served_with_the_parameters_of_the_stream(server: WebServer) -> None:
    _, model = get_json(server, "/api/model")

    assert model_record(MODEL).items() <= model.items()
    assert model["stream"]["overlays"] == ["none", "attention", "heat", "grid"]
    assert model["stream"]["default"]["overlay"] == "attention"


def test_the_brief_model_card_leaves_out_what_is_long(server: WebServer) -> None:
    whole, brief = get_json(server, "/api/model")[1], get_json(server, "/api/model?brief=true")[1]

    assert brief.keys() == whole.keys()
    assert (brief["labels"], brief["groups"], brief["trained_on"], brief["provenance"]) == ([], [], [], {})
    assert brief["label_count"] == whole["label_count"] == len(whole["labels"])
    assert get_json(server, "/api/model?brief=1")[0] == 400


def test_without_a_picture_the_daemon_is_healthy_but_not_ready(camera: Camera, server: WebServer) -> None:
    ready_before = get_json(server, "/readyz")[0]
    camera.lose_signal("the cable is loose")
    ready_after, reason = get_json(server, "/readyz")
    alive, _ = get_json(server, "/healthz")

    assert (ready_before, ready_after, alive) == (200, 503, 200)
    assert reason == {"error": "the cable is loose"}


@pytest.mark.parametrize("path", ["/nothing", "/api/events", "/statistics", "/page/../server.py", "/page/none.js"])
def test_an_unknown_path_is_a_404_with_one_sentence(server: WebServer, path: str) -> None:
    status, answer = get_json(server, path)

    assert status == 404
    assert "there is nothing at" in answer["error"]


def test_a_wrong_method_is_refused_with_the_allowed_ones(server: WebServer) -> None:
    with Client(server, "/api/classify") as client:
        answer = json.loads(client.read_body())

    assert client.status == 405
    assert client.headers["Allow"] == "POST"
    assert answer == {"error": "/api/classify does not take GET; allowed: POST"}


@pytest.mark.parametrize("target", ["/", "/stream", "/snapshot.jpg", "/api/state", "/api/predictions", "/nothing"])
def test_every_answer_has_the_security_headers(server: WebServer, target: str) -> None:
    with Client(server, target) as client:
        headers = client.headers

    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Server"] == "vitcam"


def test_no_file_of_the_page_loads_anything_from_another_site(server: WebServer) -> None:
    with Client(server, "/") as client:
        html = client.read_body().decode()

    assert "http://" not in html
    assert "https://" not in html
    assert "<script>" not in html
    assert "style=" not in html


@pytest.mark.parametrize("name", ["style.css", "app.js", "icon.svg"])
def test_a_file_in_the_browsers_cache_is_not_sent_again(server: WebServer, name: str) -> None:
    with Client(server, f"/page/{name}") as first:
        body = first.read_body()
    with Client(server, f"/page/{name}", headers={"If-None-Match": first.headers["ETag"]}) as second:
        pass

    assert first.status == 200
    assert len(body) > 100
    assert second.status == 304


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:9000", "[::1]:80", "LOCALHOST.:80"])
def test_every_name_of_this_machine_is_answered(server: WebServer, host: str) -> None:
    assert get_json(server, "/healthz", Host=host)[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "pi.localhost", "evil.localhost:8420", "127.0.0.1.evil.example", "192.168.1.5", "[::1", ""]
)
def test_a_foreign_name_for_this_machine_is_refused(server: WebServer, host: str) -> None:
    status, answer = get_json(server, "/api/state", Host=host)

    assert status == 403
    assert "localhost only" in answer["error"]
    assert "web.names" in answer["error"]


@pytest.fixture(scope="module")
def public() -> Iterator[WebServer]:
    """A server for the whole network, which has a name in DNS."""
    with Camera() as camera:
        running = WebServer(camera.parts(), Binding("0.0.0.0", host_names=("Cam.example.org",)))
        running.start()
        yield running
        running.stop(2)


@pytest.mark.parametrize(
    "host",
    [
        "192.168.1.5:8420", "[fe80::1]:8420", "PI:8420", "pi.local.", "pi.lan:80", "pi.home.arpa", "pi.internal",
        "CAM.Example.org.:8420", socket.gethostname(),
    ],
)  # fmt: skip
def test_a_server_for_the_whole_network_answers_to_names_that_only_this_network_can_assign(
    public: WebServer, host: str
) -> None:
    assert get_json(public, "/healthz", Host=host)[0] == 200


def test_names_and_the_default_picture_can_be_changed_while_the_server_runs() -> None:
    with Camera() as camera:
        server = WebServer(camera.parts(), Binding("0.0.0.0", host_names=("old.example.org",)))
        server.start()
        before = get_json(server, "/healthz", Host="new.example.org")[0]
        server.change(Variant(overlay="grid", opacity=0.9), ("New.example.org",))
        after = [get_json(server, "/healthz", Host=f"{name}.example.org")[0] for name in ("old", "new")]
        default = get_json(server, "/api/model")[1]["stream"]["default"]
        server.stop(2)

    assert before == 403
    assert after == [403, 200]
    assert (default["overlay"], default["opacity"]) == ("grid", 0.9)


def test_a_name_that_somebody_else_may_own_is_refused_with_the_name_of_the_setting(public: WebServer) -> None:
    for host in (
        "evil.example:8420", "192.168.1.5.evil.example", "local.evil.example", "evillocal.example",
        "cam.example.org.evil.example", "evil.example.", "other.cam.example.org", "pi.fritz.box",
    ):  # fmt: skip
        for target in ("/snapshot.jpg", "/api/state"):
            status, answer = get_json(public, target, Host=host)

            assert (status, "web.names" in answer["error"]) == (403, True), (host, target)


def test_a_host_header_that_names_no_host_is_refused(public: WebServer) -> None:
    for host in ("", "[::1", ":8420", "a@pi", "pi:http", "pi/evil.example", "[]", "."):
        assert get_json(public, "/healthz", Host=host)[0] in (400, 403), host


@pytest.mark.parametrize(
    "head",
    [
        "GET /healthz HTTP/1.0\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: pi\r\nHost: evil.example\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: \x7f\r\n\r\n",
    ],
)
def test_a_request_with_no_host_header_with_two_or_a_broken_one_is_refused(public: WebServer, head: str) -> None:
    with connected(public, head.encode()) as line:
        assert line.recv(12)[9:] in (b"400", b"403")


def test_a_head_request_ends_at_once_even_for_a_stream(server: WebServer) -> None:
    for target in ("/stream", "/api/predictions", "/snapshot.jpg", "/"):
        with Client(server, target, method="HEAD") as client:
            assert client.status == 200


@pytest.mark.parametrize(
    ("path", "policy"), [("/api/state", "same-origin"), ("/", "same-origin"), ("/snapshot.jpg", "same-site")]
)
def test_pages_of_other_sites_may_not_load_what_is_answered(server: WebServer, path: str, policy: str) -> None:
    with Client(server, path) as client:
        assert client.headers["Cross-Origin-Resource-Policy"] == policy
