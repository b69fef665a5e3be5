"""Pictures from addresses, over real sockets: 127.0.0.1 plays the internet here, 127.0.0.2 the network behind it."""

import gzip
import itertools
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.http_camera import OK, Answer, jpeg, own_tls, sends, server
from vitcam.errors import UsageError, VitcamError
from vitcam.fetch.picture_fetch import MAX_BYTES, PictureFetch, on_the_internet

OUTSIDE, INSIDE = "127.0.0.1", "127.0.0.2"
PICTURE = OK + b"Content-Type: image/jpeg\r\n\r\n" + jpeg()
ALIASES_OF_THIS_MACHINE = (
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "0", "0.0.0.0",
    "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "localhost", "LOCALHOST",
    "127。0。0。1", "①②⑦.0.0.1",
)  # fmt: skip


class Names:
    """A resolver: the answers for each name, one after the other; the last one stays."""

    def __init__(self, **answers: tuple[tuple[str, ...], ...]) -> None:
        self._answers = answers
        self.asked: list[str] = []
        self.hung_up = threading.Event()

    def __call__(self, host: str, limit_s: float) -> tuple[str, ...]:
        self.asked.append(host)
        if host == "silent":
            assert self.hung_up.wait(20)
            raise OSError("hung up")
        given = self._answers.get(host.replace(".", "_"), ((OUTSIDE,),))
        return given[min(self.asked.count(host), len(given)) - 1]

    def hang_up(self) -> None:
        self.hung_up.set()


def fetch_of(port: int, names: Names | None = None, within_s: float = 10.0) -> PictureFetch:
    """Only OUTSIDE is public, and only that port may be asked."""
    found = names or Names()
    return PictureFetch(lambda: found, lambda address: address == OUTSIDE, (port,), within_s)


@contextmanager
def inside(port: int) -> Iterator[list[object]]:
    """A server that nobody may reach, on the same port; yields who came."""
    came: list[object] = []
    with socket.create_server((INSIDE, port)) as listening:

        def serve() -> None:
            try:
                while True:
                    came.append(listening.accept()[1])
            except OSError:
                return

        thread = threading.Thread(target=serve)
        thread.start()
        yield came
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def redirect(*targets: str) -> Answer:
    """Leads to one target after the other, then to the picture."""
    left = iter([*targets])

    def answer(connection: socket.socket, request: bytes) -> None:
        target = next(left, None)
        head = b"" if target is None else f"HTTP/1.1 302 Found\r\nLocation: {target}\r\n\r\n".encode()
        connection.sendall(head or PICTURE)

    return answer


@pytest.mark.smoke
def test_a_picture_is_fetched_and_nothing_of_this_machine_is_told() -> None:
    asked: list[bytes] = []

    def answer(connection: socket.socket, request: bytes) -> None:
        asked.append(request)
        connection.sendall(PICTURE)

    with server(answer) as port:
        assert fetch_of(port)(f"http://cats.example:{port}/a%20cat.jpg?x=1#part") == jpeg()

    head = asked[0].decode().lower()
    assert head.startswith("get /a%20cat.jpg?x=1 http/1.1\r\n")
    assert f"host: cats.example:{port}\r\n" in head
    for never in ("cookie", "authorization", "referer", "gzip", "part"):
        assert never not in head


@pytest.mark.parametrize("host", ALIASES_OF_THIS_MACHINE)
def test_no_way_to_write_this_machine_reaches_it(host: str) -> None:
    came: list[bytes] = []
    with server(lambda _, request: came.append(request)) as port, pytest.raises(UsageError, match="public internet"):
        PictureFetch(ports=(port,), public=on_the_internet)(f"http://{host}:{port}/")

    assert came == []


def test_a_name_that_leads_inside_is_refused_also_beside_a_public_address() -> None:
    names = Names(evil=((INSIDE,),), both=((OUTSIDE, INSIDE),))
    with server(sends(PICTURE)) as port, inside(port) as came:
        for host in ("evil", "both"):
            with pytest.raises(UsageError, match=f"{host} is not on the public internet"):
                fetch_of(port, names)(f"http://{host}:{port}/")

    assert came == []


def test_a_name_that_changes_after_it_was_checked_changes_nothing() -> None:
    """DNS rebinding: the connection goes to the address that was checked, and the name is not asked again for it."""
    names = Names(rebinds=((OUTSIDE,), (INSIDE,)))
    with server(sends(PICTURE)) as port, inside(port) as came:
        fetch = fetch_of(port, names)

        assert fetch(f"http://rebinds:{port}/") == jpeg()
        assert names.asked == ["rebinds"]
        with pytest.raises(UsageError, match="public internet"):
            fetch(f"http://rebinds:{port}/")

    assert came == []


def test_a_redirect_is_checked_like_the_first_address() -> None:
    names = Names(rebinds=((OUTSIDE,), (INSIDE,)), evil=((INSIDE,),))
    refused = {
        "http://evil:{port}/": "public internet",
        "http://rebinds:{port}/again": "public internet",
        "file:///etc/passwd": "'file'",
        "gopher://evil:{port}/": "'gopher'",
        "ftp://evil/": "'ftp'",
        "//evil:{port}/": "public internet",
        "http://evil:22/": "port 22",
        "http://user:password@cats.example:{port}/": "a user or a password",
        "http://[::1": "not an address|not a valid address",
    }
    for target, why in refused.items():
        names.asked.clear()
        left = iter((target,))

        def answer(connection: socket.socket, request: bytes, left: Iterator[str] = left) -> None:
            where = next(left).format(port=port)
            connection.sendall(f"HTTP/1.1 307 There\r\nLocation: {where}\r\n\r\n".encode())

        with server(answer) as port, inside(port) as came, pytest.raises(UsageError, match=why):
            fetch_of(port, names)(f"http://rebinds:{port}/")
        assert came == []


def test_redirects_are_followed_five_times() -> None:
    with server(redirect("/1", "/2", "/3", "/4", "/5")) as port:
        assert fetch_of(port)(f"http://cats.example:{port}/") == jpeg()
    with server(redirect(*map(str, range(100)))) as port, pytest.raises(UsageError, match="more than 5 times"):
        fetch_of(port)(f"http://cats.example:{port}/")


TOO_MUCH = OK + b"Content-Type: image/png\r\nContent-Length: 999999999999\r\n\r\n"
BAD_ANSWERS = {
    "another type": (OK + b"Content-Type: text/html\r\n\r\n<html>", "text/html"),
    "JSON of a metadata service": (OK + b"Content-Type: application/json\r\n\r\n{}", "application/json"),
    "an error": (b"HTTP/1.1 403 Forbidden\r\n\r\n" + jpeg(), "403"),
    "a redirect to nowhere": (b"HTTP/1.1 302 Found\r\n\r\n", "302"),
    "a picture that is compressed": (OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(10**6)), "gzip"),
    "more than is allowed, as it says": (TOO_MUCH, "16 MiB"),
    "less than it says": (OK + b"Content-Length: 50000\r\n\r\n" + jpeg(), "complete"),
    "a chunk that is none": (OK + b"Transfer-Encoding: chunked\r\n\r\nzzz\r\n", "no picture"),
    "no HTTP": (b"220 mail.example ESMTP\r\n", "no picture"),
    "nothing": (b"", "no picture"),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_an_answer_that_is_no_picture_is_refused(name: str) -> None:
    data, why = BAD_ANSWERS[name]
    with server(sends(data)) as port, pytest.raises(UsageError, match=why):
        fetch_of(port)(f"http://cats.example:{port}/")


@pytest.mark.parametrize("head", [b"", b"Transfer-Encoding: chunked\r\n"], ids=["plain", "chunked"])
def test_a_body_without_end_is_read_to_the_limit_and_no_further(head: bytes) -> None:
    sent = 0
    block = bytes(1 << 16)
    piece = b"%x\r\n%s\r\n" % (len(block), block) if head else block

    def answer(connection: socket.socket, request: bytes) -> None:
        nonlocal sent
        connection.sendall(OK + b"Content-Type: image/jpeg\r\n" + head + b"\r\n")
        for _ in itertools.count():
            connection.sendall(piece)
            sent += len(piece)

    with server(answer) as port, pytest.raises(UsageError, match="larger than 16 MiB"):
        fetch_of(port)(f"http://cats.example:{port}/")

    assert sent < MAX_BYTES + (32 << 20), "what lies in the buffers of the sockets is not read"


def slow_body(connection: socket.socket, request: bytes) -> None:
    connection.sendall(OK + b"Content-Type: image/jpeg\r\nContent-Length: 1000000\r\n\r\n")
    drip(connection)


def slow_head(connection: socket.socket, request: bytes) -> None:
    connection.sendall(OK)
    drip(connection, b"X-Slow: 1\r\n")


def continues(connection: socket.socket, request: bytes) -> None:
    drip(connection, b"HTTP/1.1 100 Continue\r\n\r\n")


def says_nothing(connection: socket.socket, request: bytes) -> None:
    connection.settimeout(20)
    connection.recv(1)


def drip(connection: socket.socket, drop: bytes = b"x") -> None:
    while True:
        connection.sendall(drop)
        time.sleep(0.05)


@pytest.mark.parametrize("answer", [slow_body, slow_head, continues, says_nothing])
def test_a_slow_server_is_left_in_time(answer: Answer) -> None:
    started_s = time.monotonic()
    with server(answer) as port:
        with pytest.raises(UsageError, match=r"more than 0\.7 s"):
            fetch_of(port, within_s=0.7)(f"http://slow.example:{port}/")
        took_s = time.monotonic() - started_s

    assert took_s < 5


def test_a_name_server_that_does_not_answer_is_left_in_time() -> None:
    with pytest.raises(UsageError, match=r"more than 0\.7 s"):
        fetch_of(80, within_s=0.7)("http://silent/")


def test_closing_ends_a_fetch_that_waits() -> None:
    with server(says_nothing) as port:
        fetch = fetch_of(port)
        threading.Timer(0.3, fetch.close).start()
        with pytest.raises(VitcamError, match="ending"):
            fetch(f"http://slow.example:{port}/")
        with pytest.raises(VitcamError, match="ending"):
            fetch(f"http://slow.example:{port}/")


def test_https_needs_a_certificate_that_the_system_trusts(tmp_path: Path) -> None:
    with (
        server(sends(PICTURE), own_tls(tmp_path)) as port,
        pytest.raises(UsageError, match="its certificate is its own"),
    ):
        fetch_of(port)(f"https://cats.example:{port}/")


def test_tls_is_asked_for_the_name_and_not_for_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = own_tls(tmp_path)
    asked: list[str | None] = []
    context.sni_callback = lambda _line, name, _context: asked.append(name)
    trusting = ssl.create_default_context(cafile=str(tmp_path / "certificate"))
    monkeypatch.setattr(ssl, "create_default_context", lambda **_: trusting)
    with server(sends(PICTURE), context) as port, pytest.raises(UsageError):  # its certificate is of another name
        fetch_of(port)(f"https://cats.example:{port}/")

    assert set(asked) == {"cats.example"}
