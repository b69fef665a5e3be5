"""What a running daemon answers to the requests of requests.toml, without what differs from run to run."""

import gzip
import hashlib
import http.client
import json
import re
import socket
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.daemon import daemon, status_of
from tests.eventually import eventually
from tests.same_behaviour import prepared
from tests.same_behaviour.differences import masked, without
from tests.same_behaviour.side import Side, surroundings

FILE = Path(__file__).with_name("requests.toml")
CHANGING = ("time", "ms.*", "uptime_s", "fps.*", "frames.*", "zones.*.fps", "heat.*", "cost.*")
"""Of answers as JSON: only the type of these is compared."""
LEFT_OUT = {"date", "x-timestamp", "x-vitcam-infer-ms"}
HIDDEN = {r"vitcam_session=[\w-]{43}": "vitcam_session={identifier}", r"says \d{4}-\d\d-\d\d, which is [\d,]+": "says"}
_BOUNDARY = "a-boundary"
_SETTLED = 3
"""Predictions after a change: the first may be older than it, and the second may have begun before it."""
_TIMEOUT_S = 60
_ENDLESS = ("multipart/x-mixed-replace", "text/event-stream")


@dataclass(frozen=True, slots=True)
class Request:
    """One line of requests.toml."""

    path: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    """Beside Host and Connection; one that is empty is not sent."""
    body: str = ""
    times: int = 1
    """How often the body is repeated."""
    file: str = ""
    """A photo of models/golden, in place of the body."""
    form: str = ""
    """The field of a form that holds the photo; empty: the photo itself is the body."""
    take: int = 1
    """How many pictures or events of a stream are looked at."""
    changing: tuple[str, ...] = ()
    """As `CHANGING`, of this answer."""
    settle: bool = False
    """It changes the picture: wait until the change is in force."""

    @property
    def name(self) -> str:
        """For people, without what is long."""
        said = [f"{name}: {value[:60]}" for name, value in self.headers.items()]
        return " ".join(filter(None, [self.method, self.path[:100], *said, self.body[:60] or self.file, self.form]))

    def sent(self, names: Mapping[str, str]) -> bytes:
        """Its bytes. names: what stands for each name in braces."""
        content = self._content(names)
        headers = {"Host": "{host}", "Connection": "close"}
        if self.form:
            headers["Content-Type"] = f"multipart/form-data; boundary={_BOUNDARY}"
        if content or self.method in ("POST", "PUT", "PATCH"):
            headers["Content-Length"] = str(len(content))
        headers |= self.headers
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items() if text)]
        return _named("\r\n".join([*lines, "", ""]), names).encode() + content

    def _content(self, names: Mapping[str, str]) -> bytes:
        photo = (prepared.GOLDEN / self.file).read_bytes() if self.file else b""
        if self.form:
            head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{self.form}"; filename="a.jpg"\r\n\r\n'
            return head.encode() + photo + f"\r\n--{_BOUNDARY}--\r\n".encode()
        return photo or _named(self.body, names).encode() * self.times


@dataclass(frozen=True, slots=True)
class Run:
    """A daemon, and what it is asked, in this order."""

    name: str
    options: tuple[str, ...]
    status: str
    """What it waits for before the first request: `ok` or `no_signal`."""
    requests: tuple[Request, ...]


def read_runs() -> list[Run]:
    """All of requests.toml."""
    found = tomllib.loads(FILE.read_text("utf-8"))["daemon"]
    return [
        Run(each["name"], tuple(each["options"]), each["status"], tuple(Request(**one) for one in each["requests"]))
        for each in found
    ]


def answers(side: Side, run: Run, home: Path) -> dict[str, Any]:
    """By number and request, what one checkout answers. home: an empty folder."""
    prepared.make(home)
    options = [_named(option, {"{home}": str(home)}) for option in run.options]
    with daemon(*options, python=side.python, **surroundings(home)) as running:
        if run.status == "ok":
            eventually(lambda: _is_ready(running.url) or running.process.poll() is not None)
            assert running.process.poll() is None, running.errors()
        else:
            running.wait_for(run.status)
        port = urlsplit(running.url).port or 0
        names = _NAMES | {"{host}": f"127.0.0.1:{port}"}
        hidden = {str(home): "{home}", f"127.0.0.1:{port}": "{host}"}
        found = {}
        for number, request in enumerate(run.requests, 1):
            found[f"{number}. {request.name}"] = _ask(
                port, request, names, lambda text: masked(side.without_names(text, hidden), HIDDEN)
            )
            if request.settle:
                _ask(port, Request("/api/predictions", take=_SETTLED), names, str)
    return found


def unasked(document: Mapping[str, Any]) -> list[str]:
    """The operations of an OpenAPI document that no request of the file is about."""
    asked = {(request.method, request.path.partition("?")[0]) for run in read_runs() for request in run.requests}

    def is_asked(method: str, path: str) -> bool:
        pattern = re.sub(r"{\w+}", "[^/]+", path)
        return any(method.upper() == one and re.fullmatch(pattern, other) for one, other in asked)

    operations = [(method, path) for path, methods in document["paths"].items() for method in methods]
    return [f"{method.upper()} {path}" for method, path in operations if not is_asked(method, path)]


_NAMES = {
    **{f"{{e{number}}}": prepared.event_id(number) for number in range(1, prepared.EVENTS + 1)},
    "{read}": prepared.TOKENS["read"],
    "{control}": prepared.TOKENS["control"],
    "{session}": prepared.SESSION,
}


def _is_ready(url: str) -> bool:
    with suppress(OSError):
        return status_of(f"{url}/readyz") == 200
    return False


def _named(text: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        text = text.replace(name, value)
    return text


def _ask(port: int, request: Request, names: Mapping[str, str], hide: Callable[[str], str]) -> dict[str, Any]:
    """The answer as JSON has it. hide: gives what differs between two daemons a name."""
    with socket.create_connection(("127.0.0.1", port), _TIMEOUT_S) as connection:
        with suppress(ConnectionError):  # it may answer and close before it has read all
            connection.sendall(request.sent(names))
        answer = http.client.HTTPResponse(connection, method=request.method)
        try:
            answer.begin()
        except (http.client.HTTPException, ConnectionError) as error:
            return {"no answer": type(error).__name__}
        kind = answer.headers.get_content_type() if "Content-Type" in answer.headers else ""
        body = (
            list(_parts(answer, kind, request.take, hide))
            if kind in _ENDLESS
            else _body(answer, kind, (*CHANGING, *request.changing), hide)
        )
        headers = {name.lower(): hide(value) for name, value in answer.headers.items()} if answer.headers else {}
    left_out = LEFT_OUT | ({"content-length"} if kind == "application/json" else set())
    shown = {name: value for name, value in sorted(headers.items()) if name not in left_out}
    return {"status": answer.status, "headers": shown, "body": body}


def _body(answer: http.client.HTTPResponse, kind: str, changing: Sequence[str], hide: Callable[[str], str]) -> Any:
    content = answer.read()
    if answer.headers.get("Content-Encoding") == "gzip" and content:
        content = gzip.decompress(content)
    if not content:
        return None
    if kind == "application/json":
        return without(json.loads(hide(content.decode())), changing)
    if kind in ("text/csv", "application/x-ndjson"):
        return hide(content.decode())
    return _digest(content)


def _parts(
    answer: http.client.HTTPResponse, kind: str, count: int, hide: Callable[[str], str]
) -> Iterator[dict[str, Any]]:
    """The first parts of what does not end by itself; none of an answer to HEAD."""
    while count and (block := list(iter(lambda: answer.readline().decode().rstrip("\r\n"), ""))):
        fields = dict(line.partition(": ")[::2] for line in block if ": " in line and not line.startswith(":"))
        if kind == "text/event-stream" and "data" in fields:
            yield fields | {"data": without(json.loads(hide(fields["data"])), CHANGING)}
            count -= 1
        elif "Content-Length" in fields:
            picture = answer.read(int(fields["Content-Length"]))
            answer.readline()
            shown = {name: value for name, value in fields.items() if name.lower() not in LEFT_OUT}
            yield shown | {"picture": _digest(picture)}
            count -= 1


def _digest(content: bytes) -> list[Any]:
    return [len(content), hashlib.sha256(content).hexdigest()]
