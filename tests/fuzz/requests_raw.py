"""Raw bytes on the socket: requests that are almost HTTP, and what is not HTTP at all."""

import asyncio
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.fuzz.outcome import Outcome, chance, damaged
from tests.fuzz.watch import watched

_AT_ONCE = 120
_ANSWER_WITHIN_S = 0.25
"""How long an answer is waited for before the client ends its side: half a request is never answered."""
_CLOSED_WITHIN_S = 30.0
"""More than a connection may be idle."""
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")
_TARGETS = (
    "/", "/page/app.js", "/stream", "/snapshot.jpg?width=160", "/api/predictions", "/api/state", "/api/model",
    "/healthz", "/openapi.json", "/api/classify", "/api/crop", "/api/playback", "/api/words", "/nothing",
)  # fmt: skip
_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PRI", "get", "G\0T", "")
_ENDS = (b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r", b"\n\r", b"\r\r\n", b"\0\r\n", b"")


@dataclass(frozen=True)
class Script:
    """What one client sends, piece by piece."""

    pieces: tuple[bytes, ...]
    one_answer: bool = False
    """True: a proxy in front may see one request where this server sees two; a second answer would be smuggled."""


Maker = Callable[[random.Random], Script]


def run(count: int, seed: int) -> Outcome:
    """Send `count` scripts to a daemon."""
    outcome = Outcome("raw requests")
    with watched(outcome) as running:
        asyncio.run(_send_all(running.url, count, seed, outcome))
    return outcome


def made(seed: int, index: int) -> Script:
    """The script of that number."""
    dice = chance(seed, "raw", index)
    return dice.choices(list(_MAKERS), weights=list(_MAKERS.values()))[0](dice)


async def _send_all(url: str, count: int, seed: int, outcome: Outcome) -> None:
    turns, numbers = asyncio.Semaphore(_AT_ONCE), iter(range(count))
    host, port = urlsplit(url).hostname, urlsplit(url).port

    async def client() -> None:
        for index in numbers:
            async with turns:
                outcome.count += 1
                try:
                    await _send(str(host), int(port or 0), made(seed, index), index, outcome)
                except OSError as error:
                    outcome.answers[type(error).__name__] += 1

    await asyncio.gather(*(client() for _ in range(_AT_ONCE)))


async def _send(host: str, port: int, script: Script, index: int, outcome: Outcome) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        for piece in script.pieces:
            writer.write(piece)
            async with asyncio.timeout(_CLOSED_WITHIN_S):
                await writer.drain()
        answer = await _first_of(reader)
        _judge(script, answer, index, outcome)
        if not answer:
            await _end(reader, writer, index, outcome)
    finally:
        writer.transport.abort()


async def _first_of(reader: asyncio.StreamReader) -> bytes:
    """What comes at once."""
    found = b""
    try:
        async with asyncio.timeout(_ANSWER_WITHIN_S):
            while len(found) < 65536 and (more := await reader.read(65536)):
                found += more
                if found.count(b"HTTP/1.") == 1 and not found.startswith(b"HTTP/1.1 4"):
                    break  # a stream has no end
    except TimeoutError:
        pass
    return found


async def _end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, index: int, outcome: Outcome) -> None:
    """End this side; the server must end its own."""
    writer.write_eof()
    try:
        async with asyncio.timeout(_CLOSED_WITHIN_S):
            if await reader.read(65536):
                return  # a late answer, or a stream
    except TimeoutError:
        outcome.found(index, f"not closed {_CLOSED_WITHIN_S:.0f} s after its client ended its side")


def _judge(script: Script, answer: bytes, index: int, outcome: Outcome) -> None:
    statuses = [int(status) for status in _STATUS.findall(answer)]
    outcome.answers[str(statuses[0]) if statuses else "no answer" if not answer else "other bytes"] += 1
    if answer and not statuses:
        outcome.found(index, f"an answer that is not HTTP: {answer[:80]!r}")
    if any(status >= 500 and status != 503 for status in statuses):
        outcome.found(index, f"{statuses} for {b''.join(script.pieces)[:200]!r}")
    if b"Traceback" in answer:
        outcome.found(index, f"a traceback in the answer: {answer[:300]!r}")
    if script.one_answer and (len(statuses) > 1 or statuses[:1] == [200]):
        outcome.found(index, f"{statuses} for a request of two lengths: {b''.join(script.pieces)[:300]!r}")


def _head(dice: random.Random, *headers: str, method: str = "", target: str = "") -> bytes:
    method = method or dice.choice(("GET", "GET", "POST", "HEAD"))
    lines = [f"{method} {target or dice.choice(_TARGETS)} HTTP/1.1", "Host: localhost", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _garbage(dice: random.Random) -> Script:
    return Script((dice.randbytes(dice.choice((1, 16, 300, 5000))),))


def _damaged_request(dice: random.Random) -> Script:
    body = dice.choice((b"", b'{"crop": null}', b"x" * 100))
    whole = _head(dice, f"Content-Length: {len(body)}", "Accept-Encoding: gzip", "Origin: http://localhost") + body
    return Script((damaged(whole, dice, 8),))


def _odd_lines(dice: random.Random) -> Script:
    names = (
        "Host",
        "X",
        "Connection",
        "Expect",
        "Upgrade",
        "Content-Length",
        "Accept",
        "Range",
        "",
        " ",
        "\tX",
        "X ",
        "é",
    )
    values = (
        "",
        "localhost",
        "keep-alive",
        "close",
        "100-continue",
        "websocket",
        "-1",
        "0",
        "1e3",
        "\0",
        "a\rb",
        "9" * 30,
    )
    out = f"{dice.choice(_METHODS)} {dice.choice(_TARGETS)} HTTP/{dice.choice(('1.1', '1.0', '2.0', '9', '0.9', ''))}"
    data = out.encode() + dice.choice(_ENDS)
    for _ in range(dice.randrange(8)):
        line = dice.choice(names) + dice.choice((":", ": ", " : ", "", "::")) + dice.choice(values)
        data += line.encode("latin-1") + dice.choice(_ENDS)
        if dice.random() < 0.1:
            data += b" folded" + dice.choice(_ENDS)
    return Script((data + dice.choice((b"\r\n", b"\n", b"", b"\r\n\r\n")),))


def _chunked(dice: random.Random) -> Script:
    sizes = (
        b"5",
        b"0",
        b"-1",
        b"0x5",
        b"5;a=b",
        b"FFFFFFFFFFFFFFFFF",
        b"",
        b"5\n",
        b" 5",
        b"5 ",
        b"g",
        b"000000000005",
    )
    data = _head(dice, "Transfer-Encoding: chunked", method="POST")
    for _ in range(dice.randrange(1, 6)):
        data += dice.choice(sizes) + dice.choice(_ENDS) + b"hello" + dice.choice(_ENDS)
    return Script((data + dice.choice((b"0\r\n\r\n", b"0\r\nX: y\r\n\r\n", b"0\r\n" + b"X: y\r\n" * 500, b"")),))


def _smuggled(dice: random.Random) -> Script:
    """CL.TE, TE.CL, TE.TE, two lengths; the second request hides in what one of two readers takes for the body."""
    hidden = _head(dice, method="GET", target="/healthz")
    chunks = b"0\r\n\r\n"
    lengths = dice.choice(
        (
            ("Content-Length: {n}", "Transfer-Encoding: chunked"),
            ("Transfer-Encoding: chunked", "Content-Length: {n}"),
            ("Content-Length: 5", "Content-Length: {n}"),
            ("Content-Length: {n}, 5",),
            ("Content-Length: +{n}",),
            ("Content-Length: {n}", "Transfer-Encoding: xchunked"),
            ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
            ("Transfer-Encoding: chunked, identity",),
            ("Transfer-Encoding : chunked",),
            ("Content-Length : {n}",),
            ("Transfer-Encoding:\x0bchunked", "Content-Length: {n}"),
            ("X: y\n Transfer-Encoding: chunked", "Content-Length: {n}"),
        )
    )
    headers = [header.format(n=len(chunks + hidden)) for header in lengths]
    method = dice.choice(("POST", "GET"))
    return Script((_head(dice, *headers, method=method, target="/api/crop") + chunks + hidden,), one_answer=True)


def _large(dice: random.Random) -> Script:
    size = dice.choice((8000, 8300, 40_000, 300_000))
    match dice.randrange(4):
        case 0:
            data = _head(dice, target="/" + "x" * size)
        case 1:
            data = _head(dice, "X-Large: " + "y" * size)
        case 2:
            data = _head(dice, *(f"X-{i}: {'z' * dice.choice((1, 100, 4000))}" for i in range(size // 100)))
        case _:
            data = b"\r\n" * size
    return Script((data,))


def _pipelined(dice: random.Random) -> Script:
    heads = [_head(dice, method=dice.choice(("GET", "HEAD", "POST"))) for _ in range(dice.choice((2, 5, 40)))]
    return Script((b"".join(heads)[: dice.randrange(1, 5000)],))


def _bit_by_bit(dice: random.Random) -> Script:
    whole = _head(dice, "Content-Length: 3") + b"abc"
    cuts = sorted(dice.randrange(len(whole)) for _ in range(5))
    return Script(tuple(whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)))


def _form(dice: random.Random) -> Script:
    part = b'Content-Disposition: form-data; name="image"\r\n\r\n' + dice.randbytes(dice.choice((0, 10, 3000)))
    whole = b"--b\r\n" + part + b"\r\n--b" + dice.choice((b"--\r\n", b"\r\n", b""))
    body = damaged(whole * dice.choice((1, 1, 20)), dice)
    kind = dice.choice(("multipart/form-data; boundary=b", "multipart/form-data", "multipart/mixed; boundary=\0"))
    headers = (f"Content-Length: {len(body)}", f"Content-Type: {kind}")
    return Script((_head(dice, *headers, method="POST", target="/api/classify") + body,))


_MAKERS: dict[Maker, int] = {
    _garbage: 10,
    _damaged_request: 25,
    _odd_lines: 20,
    _chunked: 12,
    _smuggled: 12,
    _large: 4,
    _pipelined: 6,
    _bit_by_bit: 5,
    _form: 6,
}
