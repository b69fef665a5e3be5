"""Every route of the table × every method × callers who may not change anything: nothing is changed, no secret is told.

The callers show nothing, a session or a token that only watches, or what is no session and no token. Bodies are made of
the schemas of the routes, and paths of what there is. A real daemon keeps a password, alerts with addresses, tokens and
a camera with a password in its state folder, which must be the same to the byte afterwards.
"""

import json
import random
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.daemon import daemon
from tests.eventually import eventually
from tests.fuzz.outcome import Outcome, chance
from tests.secured import PASSWORD, ask, basic, bearer, cookie, log_in, quick_hash
from tests.soak.camera import FaultyCamera
from vitcam.access.password import save_password
from vitcam.access.tokens import Scope, create_token
from vitcam.web.openapi.document import openapi_document
from vitcam.web.openapi.schema import Schema
from vitcam.web.route import JSON, Route
from vitcam.web.route_table import ROUTES

SCHEMAS = openapi_document(ROUTES)["components"]["schemas"]
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "PROPFIND")
WATCH = "only watching 7"
SECRETS = ("cam-s3cret", "hook-s3cret", "ntfy-s3cret")
"""In the address of the camera, and in those of an alert."""
_LOOKS = ("GET", "HEAD")
_ENDLESS = ("multipart/", "text/event-stream")
_TIMEOUT_S = 30.0
_ANYBODYS = ("/login", "/login/{name}", "/logout", "/healthz", "/readyz", "/favicon.ico")
_WRITES_BY_ITSELF = ("sessions.json", "serving.json", "starts.json", "lock", "serving.lock", "outbox.db")


@dataclass(frozen=True)
class Caller:
    """Somebody who may change nothing."""

    name: str
    headers: Mapping[str, str]
    scope: Scope | None
    """READ, or None: not even look."""


@dataclass(frozen=True)
class House:
    """A daemon with something to lose."""

    url: str
    state: Path
    owner: Mapping[str, str]
    """Headers of one who may do everything."""
    callers: tuple[Caller, ...]
    alert: str
    """Its id."""

    def content(self) -> dict[str, bytes]:
        """Each file of the state folder that only a change by somebody would change."""
        files = (path for path in self.state.rglob("*") if path.is_file())
        return {
            str(path.relative_to(self.state)): path.read_bytes()
            for path in files
            if not path.name.startswith(_WRITES_BY_ITSELF) and ".db" not in path.name
        }

    def in_force(self) -> dict[str, object]:
        """What a change would change, as the owner sees it."""
        documents = ("zones", "names", "settings", "alerts", "models", "datasets", "collect")
        answers = {name: ask(self.url, f"/api/{name}", headers=self.owner) for name in documents}
        found: dict[str, object] = {
            name: answer.header("ETag") or json.loads(answer.body) for name, answer in answers.items()
        }
        state = json.loads(ask(self.url, "/api/state", headers=self.owner).body)
        return found | {name: state[name] for name in ("paused", "view", "set_aside", "unsaved")}


def run(count: int, seed: int) -> Outcome:
    """Send `count` requests: every route and method by every caller, then again with other bodies and spellings."""
    outcome = Outcome("requests without the right")
    with _house() as house:
        before, kept = house.in_force(), house.content()
        began = time.monotonic()
        while outcome.count < count:
            for route in ROUTES:
                for method in METHODS:
                    for caller in house.callers:
                        dice = chance(seed, outcome.what, outcome.count)
                        _send(house, route, method, caller, dice, outcome)
                        outcome.count += 1
        outcome.seconds = time.monotonic() - began
        for what, then, now in (("in force", before, house.in_force()), ("on the disk", kept, house.content())):
            changed = [name for name in {**then, **now} if then.get(name) != now.get(name)]
            if changed:
                outcome.found(-1, f"{', '.join(changed)} is another one {what}")
    return outcome


@contextmanager
def _house() -> Iterator[House]:
    with tempfile.TemporaryDirectory() as name, FaultyCamera(fps=5, size=(96, 96)) as camera:
        state = Path(name, "state")
        state.mkdir()
        save_password(state, quick_hash())
        save_password(state, quick_hash(WATCH, b"fedcba9876543210"), Scope.READ)
        reads = create_token(state, "reads", Scope.READ)
        place = camera.url.replace("://", f"://viewer:{SECRETS[0]}@")
        options = ("--source", place, "--model", "mnist", "--host", "0.0.0.0", "--set", "store.enabled=false")
        with daemon(*options, STATE_DIRECTORY=str(state)) as running:
            url = running.url
            assert eventually(lambda: _is_ready(url), 60.0), running.errors()
            owner = basic(PASSWORD)
            zones = {"zones": {"door": {"rect": [0, 0, 0.5, 1]}}, "masks": [[0.5, 0.5, 0.2, 0.2]]}
            assert ask(url, "/api/zones", "PUT", json.dumps(zones), owner).status == 200
            alert = {"webhook": f"https://home.example/{SECRETS[1]}", "sound": True}
            made = json.loads(ask(url, "/api/alerts", "POST", json.dumps(alert), owner).body)
            yield House(
                url,
                state,
                owner,
                (
                    Caller("nobody", {}, None),
                    Caller("an unknown session", {"Cookie": f"vitcam_session={'x' * 43}"}, None),
                    Caller("an unknown token", bearer("vitcam_" + "x" * 43), None),
                    Caller("a session that watches", cookie(log_in(url, WATCH)), Scope.READ),
                    Caller("a token that reads", bearer(reads), Scope.READ),
                ),
                made["alert"]["id"],
            )
            assert "Traceback" not in running.errors(), running.errors()


def _is_ready(url: str) -> bool:
    try:
        return ask(url, "/readyz").status == 200
    except OSError:
        return False


def _send(house: House, route: Route, method: str, caller: Caller, dice: random.Random, outcome: Outcome) -> None:
    path = _spelled(_path(route.path, house, dice), dice)
    if route.path == "/logout" and caller.scope is not None:
        return  # it ends one's own session, which everybody may
    content, body = _body(route, dice)
    headers = dict(caller.headers) | ({"Content-Type": content} if body else {})
    if dice.random() < 0.2:
        headers["X-HTTP-Method-Override"] = dice.choice(METHODS)
    try:
        status, text = _answer(house.url, method, path, body, headers)
    except (OSError, HTTPException) as error:
        outcome.answers["closed"] += 1
        if isinstance(error, TimeoutError):
            outcome.found(outcome.count, f"no answer to {caller.name}: {method} {path}")
        return
    outcome.answers[str(status)] += 1
    said = f"{status} for {caller.name}: {method} {path}"
    if status >= 500 and status != 503:
        outcome.found(outcome.count, said)
    if any(secret in text for secret in SECRETS):
        outcome.found(outcome.count, f"a secret in {said}")
    if status >= 300 or route.path in _ANYBODYS:
        return
    if caller.scope is None:
        outcome.found(outcome.count, f"it was let in, {said}")
    elif method not in _LOOKS or (route.needs is Scope.CONTROL and route.method == "GET" and "{" not in route.path):
        outcome.found(outcome.count, f"more than watching, {said}")


def _answer(url: str, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
    place = urlsplit(url)
    line = HTTPConnection(place.hostname or "", place.port, timeout=_TIMEOUT_S)
    try:
        line.request(method, path, body or None, dict(headers))
        answer = line.getresponse()
        endless = answer.getheader("Content-Type", "").startswith(_ENDLESS)
        content = answer.read1(4096) if endless else answer.read()
        return answer.status, content.decode("utf-8", "replace") + str(answer.getheaders())
    finally:
        line.close()


def _path(path: str, house: House, dice: random.Random) -> str:
    """With the names of what there is, and sometimes of what there is not."""
    known = {"id": house.alert, "name": "mine", "label": "cup", "picture": "1.jpg", "folder": "teach"}
    if path.startswith("/page/"):
        known["name"] = "teach.js" if "{folder}" in path else "app.js"
    if path.startswith("/login/"):
        known["name"] = "login.js"
    for name, value in known.items():
        path = path.replace(f"{{{name}}}", value if dice.random() < 0.9 else "../settings.toml")
    return path


def _spelled(path: str, dice: random.Random) -> str:
    """Usually as it is; sometimes as a proxy or an attacker would write it."""
    return dice.choice(
        (
            *[path] * 6,
            f"{path}?overlay=none&token=x",
            f"{path}/",
            f"/{path}",
            path.replace("/api/", "/api/./"),
            path.replace("/api/", "/page/../api/"),
            path.replace("a", "%61", 1),
            path.upper(),
        )
    )


def _body(route: Route, dice: random.Random) -> tuple[str, bytes]:
    """One that the route takes, so that nothing but the missing right is in the way."""
    if not route.body:
        return JSON, b"{}" if dice.random() < 0.5 else b""
    content, schema = dice.choice([*route.body.items()])
    if content == JSON:
        return JSON, json.dumps(_example(schema, SCHEMAS, dice)).encode()
    if "urlencoded" in content:
        return content, b"password=a+wrong+one" if dice.random() < 0.02 else b""
    return content, bytes(dice.randrange(256) for _ in range(64))


def _example(schema: Schema, named: Mapping[str, Schema], dice: random.Random) -> Any:
    """A value that fits a schema."""
    if "$ref" in schema:
        return _example(named[schema["$ref"].rpartition("/")[2]], named, dice)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return _example(dice.choice(schema[several]), named, dice)
    if "enum" in schema or "const" in schema:
        return dice.choice(schema.get("enum") or [schema["const"]])
    match schema.get("type"):
        case "object":
            own = {key: _example(each, named, dice) for key, each in schema.get("properties", {}).items()}
            other = schema.get("additionalProperties")
            return own | ({"cup": _example(other, named, dice)} if isinstance(other, dict) else {})
        case "array":
            return [_example(schema.get("items", {}), named, dice) for _ in range(schema.get("minItems", 1))]
        case "number" | "integer":
            return schema.get("minimum", 0) if schema.get("type") == "integer" else dice.choice((0.25, 0.5))
        case "boolean":
            return dice.random() < 0.5
        case "null":
            return None
    return "cup"
