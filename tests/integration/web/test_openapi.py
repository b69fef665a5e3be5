"""What a real daemon answers is what its description says, to the last key."""

import io
import json
import shutil
import socket
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openapi_schema_validator import OAS31Validator

from tests.daemon import Daemon, answer_to, daemon, get_json
from tests.eventually import eventually
from tests.http_camera import jpeg, server
from tests.parts.peers.test_peer_watch import as_vitcam
from tests.parts.teach.inbox.entries import JPEG, entry
from tests.parts.teach.integration.test_teach_in_a_run import pictures
from vitcam.parts.teach.inbox.store import Inbox, InboxLimits
from vitcam.web.route_table import ROUTES

PHOTO = (Path(__file__).parents[3] / "models" / "golden" / "coffee.jpg").read_bytes()


def zip_of_one() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("cup/1.jpg", PHOTO)
    return file.getvalue()


ENDLESS = ("/stream", "/api/predictions")
# the keys of RFC 8291, 5
SUBSCRIPTION = json.dumps(
    {
        "endpoint": "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
        "keys": {
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        },
        "expirationTime": None,
    }
).encode()
FITTING: dict[str, bytes] = {
    "/api/alerts": b'{"label": "cup", "sound": true}',
    "/api/alerts/{id}": b'{"for_s": 5}',
    "/api/alerts/ntfy": b"{}",
    "/api/alerts/push": SUBSCRIPTION,
    "/api/classify": PHOTO,
    "/api/explain": PHOTO,
    "/api/attention": PHOTO,
    "/api/crop": b'{"crop": [0, 0, 0.5, 0.5]}',
    "/api/names": b'{"language": "de", "names": {"tabby cat": "Mia"}}',
    "/api/guide": b"{}",
    "/api/password": b'{"scope": "read", "password": "only watching"}',
    "/api/playback": b'{"paused": false}',
    "/api/remembered": b'{"use": false}',
    "/api/settings": b'{"store.keep_days": 20}',
    "/api/events/{id}": b'{"favourite": true}',
    "/api/model": b'{"name": "cifar10", "check": true}',
    "/api/collect": b'{"label": "cup", "count": 1}',
    "/api/photo-labels": b'{"paths": ["cat/1.jpg", "2.jpg"]}',
    "/api/datasets/{name}/{label}/{picture}": b'{"label": "mug"}',
    "/api/datasets/{name}/{label}": PHOTO,
    "/api/datasets/{name}": zip_of_one(),
    "/api/inbox/{id}": b'{"label": null}',
    "/api/teach": b'{"dataset": "mine", "name": "discs"}',
    "/api/zones": b'{"zones": {"left": {"rect": [0, 0, 0.5, 1]}}, "masks": [[0.9, 0, 0.1, 0.1]]}',
}
WITH_BODY = ("POST", "PUT", "PATCH")
WRONG = [
    ("GET", "/stream?overlay=x", 400),
    ("GET", "/?action=snapshot&width=1", 400),
    ("GET", "/page/none.js", 404),
    ("GET", "/api/events?since=tomorrow", 400),
    ("GET", "/api/events/export?format=x", 400),
    ("DELETE", "/api/events", 400),
    ("PATCH", "/api/events/none", 404),
    ("PATCH", "/api/alerts/none", 404),
    ("POST", "/api/alerts", 400),
    ("POST", "/api/alerts/push", 400),
    ("POST", "/api/alerts/ntfy", 400),
    ("POST", "/api/tokens", 404),
    ("GET", "/page/history/none.js", 404),
    ("POST", "/api/classify", 400),
    ("POST", "/api/crop", 400),
    ("POST", "/api/words", 400),
    ("POST", "/api/remembered", 400),
    ("PUT", "/api/zones", 400),
    ("PUT", "/api/names", 400),
    ("PATCH", "/api/settings", 400),
    ("POST", "/api/restart", 409),
    ("PUT", "/api/password", 400),
    ("GET", "/api/cameras/picture", 400),
    ("GET", "/api/address.svg", 404),
]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")  # what a request sets must not reach other tests


@pytest.fixture(scope="module")
def running(state: Path) -> Iterator[Daemon]:
    clips = ("--set", "clips.enabled=true", "--set", "clips.after_s=0")
    with (
        server(as_vitcam(jpeg())) as other,
        daemon(
            *("--source", "demo", "--loop", *clips, "--set", f"peers.mine=http://127.0.0.1:{other}"),
            STATE_DIRECTORY=str(state),
        ) as started,
    ):
        started.wait_for("ok")
        yield started


@pytest.fixture(scope="module")
def added() -> Iterator[bytes]:
    """What adds another camera on the page."""
    with server(as_vitcam(jpeg())) as other:
        yield json.dumps({"address": f"http://127.0.0.1:{other}", "name": "added"}).encode()


@pytest.fixture(scope="module")
def document(running: Daemon) -> dict[str, Any]:
    with urllib.request.urlopen(f"{running.url}/openapi.json", timeout=10) as answer:
        found: dict[str, Any] = json.load(answer)
        assert answer.headers["Content-Type"] == "application/json"
        return found


def ask(url: str, method: str, body: bytes | None = None) -> tuple[int, str, bytes]:
    """Status, media type and body; of an endless answer the first line."""
    request = urllib.request.Request(url, body, {"Content-Type": "application/octet-stream"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            endless = any(name in url for name in ENDLESS) or "action=stream" in url
            found = answer.readline() if endless else answer.read()
            return answer.status, answer.headers.get_content_type(), found
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.headers.get_content_type(), refusal.read()


def closed(schema: Any) -> Any:
    """The same, but no object may have a key that is not described."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(part) for key, part in schema.items()}
    return {"additionalProperties": False} | made if "properties" in schema and "type" in schema else made


def assert_described(document: dict[str, Any], schema: Any, found: Any) -> None:
    whole = closed({"components": document["components"]}) | closed(schema)

    assert [f"{error.json_path}: {error.message[:300]}" for error in OAS31Validator(whole).iter_errors(found)] == []


def newest_event(running: Daemon, with_clip: bool) -> Any:
    """The newest event that is kept; None while there is none."""
    with urllib.request.urlopen(f"{running.url}/api/events", timeout=10) as answer:
        return next((event for event in json.load(answer)["events"] if event["clip"] or not with_clip), None)


FILES = {"/page/{name}": "app.js", "/page/{folder}/{name}": "teach.js", "/login/{name}": "login.js"}
# no words, no network, nothing followed, no service, no other machine, no model that was taught, no password
NOT_IN_A_DEMO = (
    *("/api/words", "/api/fetch", "/api/events/{id}/detail.jpg", "/api/restart", "/api/address.svg"),
    *("/api/models/{name}", "/api/tokens", "/api/tokens/{name}"),
)
LASTS = ("/api/teach", "/api/events/{id}/clip.mp4")
ANSWERED = [
    pytest.param(route, id=f"{route.method} {route.path}", marks=() if route.path in LASTS else pytest.mark.smoke)
    for route in ROUTES
    if route.answers and route.path not in NOT_IN_A_DEMO
]


QUERIES = {"GET /api/cameras/picture": "?source=demo", "DELETE /api/events": "?until=1971-01-01"}


@pytest.mark.parametrize("route", ANSWERED)
def test_a_route_answers_what_its_description_says(
    running: Daemon, document: dict[str, Any], added: bytes, route: Any, state: Path
) -> None:
    target = running.url + route.path.replace("{name}", FILES.get(route.path, "mine")).replace("{folder}", "teach")
    fitting = FITTING | {"/api/peers": added, "/api/peers/{name}": b'{"name": "renamed"}'}
    if route.path == "/api/peers/{name}":
        ask(f"{running.url}/api/peers", "POST", added)
        target = target.replace("/mine", "/added")
    if "/datasets/" in route.path or route.path == "/api/teach":
        shutil.rmtree(state / "datasets" / "mine", ignore_errors=True)
        for label, colour in (("cup", (0, 0, 255)), ("plate", (255, 0, 0))):
            pictures(state / "datasets" / "mine", label, colour)
        target = target.replace("{label}", "cup").replace("{picture}", "20260102T000001-001.jpg")
    if route.path == "/api/model/back":
        answer_to(f"{running.url}/api/model", {"name": "cifar10"})
    if "/inbox" in route.path:
        Inbox(state, InboxLimits(9, 10.0)).add(replace(entry(1), label="mug", why="corrected", zone="door"), JPEG)
        target = target.replace("{id}", entry(1).id)
    if route.path.endswith("/answer"):
        ask(target.removesuffix("/answer"), "POST", FITTING["/api/inbox/{id}"])
    if "/api/alerts/" in target:
        target = target.replace("{id}", id_below_alerts(running, route.path))
    if "{id}" in target:
        target = target.replace("{id}", eventually(lambda: newest_event(running, "clip" in route.path))["id"])
    target += QUERIES.get(f"{route.method} {route.path}", "")
    status, kind, found = ask(target, route.method, fitting.get(route.path, b"") if route.method in WITH_BODY else None)
    content = document["paths"][route.path][route.method.lower()]["responses"]["200"]["content"]

    assert status == 200, found
    assert kind in content
    if kind == "application/json":
        assert_described(document, content[kind]["schema"], json.loads(found))


def test_every_part_of_an_answer_about_a_photo_is_described(running: Daemon, document: dict[str, Any]) -> None:
    _, _, found = ask(f"{running.url}/api/classify?input=1", "POST", PHOTO)
    answer = json.loads(found)

    assert {"rollout", "evidence", "evidence_share", "input"} <= set(answer)
    assert_described(document, {"$ref": "#/components/schemas/PhotoPrediction"}, answer)


def test_a_server_sent_prediction_is_described(running: Daemon, document: dict[str, Any]) -> None:
    with urllib.request.urlopen(f"{running.url}/api/predictions?attention=1", timeout=20) as events:
        data = next(line for line in events if line.startswith(b"data: "))
    found = json.loads(data.removeprefix(b"data: "))

    assert "attention" in found
    assert_described(document, {"$ref": "#/components/schemas/LivePrediction"}, found)


def id_below_alerts(running: Daemon, path: str) -> str:
    """Of a browser that gets messages, or of an alert, which is made for it."""
    url = f"{running.url}/api/alerts"
    if "/push/" not in path:
        return str(answer_to(url, {"sound": True})[1]["alert"]["id"])
    answer_to(f"{url}/push", SUBSCRIPTION)
    return str(get_json(url)["devices"][0]["id"])


@pytest.mark.parametrize(("method", "target", "status"), WRONG)
def test_a_refusal_is_described(
    running: Daemon, document: dict[str, Any], method: str, target: str, status: int
) -> None:
    body = b'{"favourite": true}' if method == "PATCH" else b"x" if method in WITH_BODY else None
    found, kind, answer = ask(running.url + target, method, body)
    path = target.partition("?")[0].replace("none.js", "{name}").replace("none", "{id}")
    path = path.replace("/history/{name}", "/{folder}/{name}")
    content = document["paths"][path][method.lower()]["responses"][str(status)]["content"]

    assert (found, kind) == (status, "application/json")
    assert_described(document, content[kind]["schema"], json.loads(answer))


def test_another_name_of_the_host_is_refused_as_described(running: Daemon, document: dict[str, Any]) -> None:
    host, port = running.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as line:
        line.sendall(b"GET /api/state HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        answer = line.makefile("rb").read()

    assert answer.startswith(b"HTTP/1.1 403")
    assert "403" in document["paths"]["/api/state"]["get"]["responses"]
