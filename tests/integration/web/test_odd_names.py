"""Names and numbers that no disk and no field can have: every route answers them with a sentence, and none with a 5xx.

Routes and fields are those of `/openapi.json`, so a new one is asked, too.
"""

import http.client
import io
import json
import re
import zipfile
from collections.abc import Iterator
from http import HTTPStatus
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.command import vitcam
from tests.daemon import answer_to, daemon, get_json
from tests.http_camera import jpeg

FOUR_BYTES = "\U00010400"  # a letter; 64 of them are more bytes than a file's name may have
NAMES = (
    FOUR_BYTES * 64,
    FOUR_BYTES * 90 + ".jpg",
    "n" * 300,
    "a\0b",
    "..",
    ".",
    " ",
    "\udcff",
    "\ud800",
    "-o",
    "con\n",
    "\ufeffx",
    "%2e%2e%2f",
)
NUMBERS = ("1" + "0" * 400, "9" * 5000, "1e999", "1e308", "-1", "NaN", "Infinity", "true", "[" * 50_000)
ENDLESS = ("text/event-stream", "multipart/x-mixed-replace")


def filled(schema: dict[str, Any], document: dict[str, Any], depth: int = 0) -> Any:
    """A body as the schema wants it, with "@" for texts and "#" for numbers."""
    if "$ref" in schema:
        return filled(document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], document, depth)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return filled(schema[key][0], document, depth)
    match schema.get("type", "object"):
        case "string":
            return schema["enum"][0] if "enum" in schema else "@"
        case "number" | "integer":
            return "#"
        case "boolean":
            return True
        case "array":
            return [filled(schema.get("items", {}), document, depth + 1)] if depth < 6 else []
    found = {name: filled(each, document, depth + 1) for name, each in schema.get("properties", {}).items()}
    more = schema.get("additionalProperties")
    return found | ({"@": filled(more, document, depth + 1)} if isinstance(more, dict) and depth < 6 else {})


def each_replaced(text: str, mark: str, odd: str, plain: str) -> Iterator[str]:
    """The text with one of its marks replaced by what is odd and all others by what is plain, for each of them."""
    parts = text.split(mark)
    for place in range(1, len(parts)):
        yield plain.join(parts[:place]) + odd + plain.join(parts[place:])


def texts(body: Any) -> Iterator[str]:
    """JSON with one odd name or one odd number in each of its places."""
    plain = json.dumps(body)
    for name in NAMES:
        yield from each_replaced(plain.replace('"#"', "1"), '"@"', json.dumps(name), '"mine"')
    for number in NUMBERS:
        yield from each_replaced(plain.replace('"@"', '"mine"'), '"#"', number, "1")


def asked(document: dict[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """Method, path and body: each route with each odd name in each part of its path and its query and in its body."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if path in ("/logout", "/login"):
                continue
            query = "&".join(f"{each['name']}=@" for each in operation.get("parameters", ()) if each["in"] == "query")
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            marked = re.sub("{[a-z]+}", "@", path)
            for name in NAMES:
                odd = quote(name.encode("utf-8", "surrogatepass"), safe="")
                for target in each_replaced(f"{marked}?{query}", "@", odd, "mine"):
                    yield method.upper(), target, '{"label": "z"}' if body else None
            for text in texts(filled(body["schema"], document)) if body else ():
                yield method.upper(), marked.replace("@", "mine"), text


def answer(url: str, method: str, path: str, body: str | None) -> tuple[int, bytes]:
    """The status, and what came with it unless it never ends."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
        found = connection.getresponse()
        return found.status, b"" if found.headers.get_content_type() in ENDLESS else found.read()
    finally:
        connection.close()


def zip_with_a_nameless_entry() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("X", b"abc")
    data = bytearray(file.getvalue())
    entry = data.rfind(b"PK\x01\x02")
    data[entry + 28 : entry + 30] = b"\0\0"
    del data[entry + 46]
    end = data.rfind(b"PK\x05\x06")
    data[end + 12 : end + 16] = (int.from_bytes(data[end + 12 : end + 16], "little") - 1).to_bytes(4, "little")
    return bytes(data)


@pytest.mark.slow("vitcam/web", "vitcam/parts/teach/datasets", "vitcam/storage")
def test_odd_names_and_numbers_are_refused_with_a_sentence_by_every_route(tmp_path: Path) -> None:
    with daemon("--source", "demo", "--loop", "--fps", "2", STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        brought = answer_to(f"{running.url}/api/datasets/mine/mine", jpeg(), headers={"Content-Type": "image/jpeg"})
        document = get_json(f"{running.url}/openapi.json")
        wrong, count = [], 0
        for method, path, body in asked(document):
            status, data = answer(running.url, method, path, body)
            count += 1
            refused = status >= HTTPStatus.BAD_REQUEST
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR or (refused and not json.loads(data).get("error")):
                wrong.append((status, method, path[:80], (body or "")[:120], data[:200]))
        nameless = answer_to(
            f"{running.url}/api/datasets/mine", zip_with_a_nameless_entry(), headers={"Content-Type": "application/zip"}
        )
        said = running.errors()

    assert brought[0] == HTTPStatus.OK
    assert wrong == []
    assert count > 1000
    assert nameless[0] == HTTPStatus.BAD_REQUEST
    assert "Traceback" not in said


def test_the_same_names_cost_a_command_one_sentence(tmp_path: Path) -> None:
    empty = tmp_path / "empty" / "folder"
    empty.mkdir(parents=True)
    names = (FOUR_BYTES * 64, "n" * 300, "\udcff")
    commands = (
        ("datasets", "delete", "@"),
        ("models", "verify", "@.tflite"),
        ("token", "create", "@"),
        ("teach", "@", "-o", "x"),
        ("teach", str(tmp_path), "-o", "@"),
        ("classify", "@"),
    )

    for command, name in product(commands, names):
        result = vitcam(*(each.replace("@", name) for each in command), cwd=empty, STATE_DIRECTORY=str(tmp_path))
        if result.code:
            assert (result.code, len(result.err.strip().splitlines())) == (2, 1), (command, name, result.err)
