"""Cameras that want a login: every method that they offer, redirects, and where user and password never go."""

import base64
import hashlib
import re
import socket
from pathlib import Path

import pytest

from tests.command import vitcam
from tests.http_camera import EXACT, MULTIPART, OK, jpeg, own_tls, sends, server
from vitcam.errors import SourceError
from vitcam.sources import SourceOptions, open_source

pytestmark = pytest.mark.slow("vitcam/sources")

PICTURES = MULTIPART + EXACT.replace(b"LENGTH", b"%d" % len(jpeg())) + jpeg() + b"\r\n"
HASHES = {"MD5": "md5", "SHA-256": "sha256", "SHA-512-256": "sha512_256"}
USER, PASSWORD = "jürgen", 'sésame/:@"'
IN_URI = "j%C3%BCrgen:s%C3%A9same%2F%3A%40%22"


def told(request: bytes) -> dict[str, str]:
    """The fields of a request's digest, by name; empty where it has none."""
    head = re.search(rb"(?im)^authorization: digest (.*?)\r?$", request)
    if head is None:
        return {}
    pairs = re.findall(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^,\s]+))', head[1].decode())
    return {name: re.sub(r"\\(.)", r"\1", quoted) or bare for name, quoted, bare in pairs}


def is_right(request: bytes, realm: str, nonce: str) -> bool:
    """Whether a request carries the digest of RFC 7616, computed here from what it says of itself."""
    told_ = told(request)
    if not told_ or (told_["username"], told_["realm"], told_["nonce"]) != (USER, realm, nonce):
        return False
    algorithm = told_.get("algorithm", "MD5").upper()

    def h(*parts: str) -> str:
        return hashlib.new(HASHES[algorithm.removesuffix("-SESS")], ":".join(parts).encode()).hexdigest()

    secret = h(USER, realm, PASSWORD)
    if algorithm.endswith("-SESS"):
        secret = h(secret, nonce, told_["cnonce"])
    method, target = request.split(b" ")[:2]
    qop = told_.get("qop", "")
    whole = h(method.decode(), target.decode(), *([h("")] if qop == "auth-int" else []))
    middle = [told_["nc"], told_["cnonce"], qop] if qop else []
    return told_["uri"] == target.decode() and told_["response"] == h(secret, nonce, *middle, whole)


def refuses(*challenges: str, body: bytes = b"") -> bytes:
    """A 401 with a header for each challenge."""
    lines = "".join(f"WWW-Authenticate: {challenge}\r\n" for challenge in challenges)
    return f"HTTP/1.1 401 Unauthorized\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body


def moved(place: str) -> bytes:
    """A redirect."""
    return f"HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode()


def first_frame(port: int, place: str = "/live view?channel=1&name=a%20b", scheme: str = "http") -> int:
    """The width of the first picture, asked for with user and password."""
    with open_source(f"{scheme}://{IN_URI}@127.0.0.1:{port}{place}".replace(" ", "%20"), SourceOptions()) as source:
        return int(next(iter(source)).preview.shape[1])


SHA = 'Digest realm="cam", nonce="n1", qop="auth", algorithm=SHA-256'
MD5 = 'Digest realm="cam", nonce="n2", qop="auth", algorithm=MD5'
OFFERS: dict[str, tuple[list[str], str, str]] = {
    "SHA-256": ([SHA], "cam", "n1"),
    "SHA-256 beside MD5": ([SHA, MD5], "cam", "n1"),
    "MD5 before SHA-256": ([MD5, SHA], "cam", "n1"),
    "both in one header": ([f"{MD5}, {SHA}"], "cam", "n1"),
    "Basic and Bearer before Digest": (['Basic realm="cam"', 'Bearer realm="x", error="invalid"', MD5], "cam", "n2"),
    "everything in one header": ([f'Negotiate, Basic realm="a, b", NTLM TlRM==, {MD5}, Bearer'], "cam", "n2"),
    "no algorithm, no qop": (['Digest realm="cam", nonce="n"'], "cam", "n"),
    "nothing quoted": (["Digest realm=My Cam, nonce=n, qop=auth, algorithm=MD5"], "My Cam", "n"),
    "everything quoted": (['DIGEST Realm = "cam" ,Nonce="n",algorithm="SHA-256",qop="auth"'], "cam", "n"),
    "a realm with quotes": (['Digest realm="a \\"b\\", c=\\"d\\"", nonce="n==", opaque="o"'], 'a "b", c="d"', "n=="),
    "a realm beyond ASCII": (['Digest realm="Küche", nonce="n", qop="auth"'], "Küche", "n"),
    "MD5-sess": (['Digest realm="cam", nonce="n", qop="auth", algorithm=MD5-sess'], "cam", "n"),
    "SHA-256-sess": (['Digest realm="cam", nonce="n", qop="auth", algorithm=SHA-256-sess'], "cam", "n"),
    "a session without qop": (['Digest realm="cam", nonce="n", algorithm=MD5-sess'], "cam", "n"),
    "SHA-512-256": ([MD5, 'Digest realm="cam", nonce="n", qop="auth", algorithm=SHA-512-256'], "cam", "n"),
    "auth-int alone": (['Digest realm="cam", nonce="n", qop="auth-int"'], "cam", "n"),
    "several qop": (['Digest realm="cam", nonce="n", qop="token, auth-int,auth"'], "cam", "n"),
    "one that is unknown, one that is not": (['Digest realm="x", nonce="m", algorithm=SHA3', MD5], "cam", "n2"),
}


@pytest.mark.parametrize("offer", OFFERS)
def test_the_best_of_all_methods_that_a_camera_offers_is_taken(offer: str) -> None:
    challenges, realm, nonce = OFFERS[offer]
    seen: list[bytes] = []

    def answer(connection: socket.socket, request: bytes) -> None:
        seen.append(request)
        if is_right(request, realm, nonce):
            sends(PICTURES, then_s=5)(connection, request)
        else:
            connection.sendall(refuses(*challenges))

    with server(answer) as port:
        assert first_frame(port) == 64

    assert [b"Authorization" in request for request in seen] == [False, True]


def test_basic_is_taken_where_nothing_better_is_offered() -> None:
    wanted = base64.b64encode(f"{USER}:{PASSWORD}".encode())

    def answer(connection: socket.socket, request: bytes) -> None:
        good = b"Authorization: Basic " + wanted + b"\r\n" in request
        connection.sendall(PICTURES if good else refuses('Basic realm="cam", charset="UTF-8", Bearer'))

    with server(answer) as port:
        assert first_frame(port) == 64


def test_a_single_photo_is_classified_from_an_address_with_a_login() -> None:
    def answer(connection: socket.socket, request: bytes) -> None:
        picture = OK + b"Content-Length: %d\r\n\r\n" % len(jpeg()) + jpeg()
        connection.sendall(picture if is_right(request, "cam", "n1") else refuses(SHA, MD5))

    with server(answer) as port:
        good = vitcam("classify", "--json", "--model", "mnist", f"http://{IN_URI}@127.0.0.1:{port}/x.jpg")
        bad = vitcam("classify", "--json", "--model", "mnist", f"http://u:hunter2@127.0.0.1:{port}/x.jpg")

    assert [line["type"] for line in good.lines] == ["prediction"], good.err
    assert "does not accept this user and password" in bad.out
    assert "hunter2" not in bad.out + bad.err


@pytest.mark.parametrize(
    ("challenges", "said"),
    [
        (['Bearer realm="cam"'], "wants a login by Bearer"),
        (['Digest realm="cam", nonce="n", algorithm=SHA3-256', "Negotiate"], "Digest SHA3-256 or Negotiate"),
        ([MD5], "does not accept this user and password (Digest MD5)"),
        ([], "names no method of login"),
        ([f"\x1b[31m{'x' * 9000} a=b", "Basic"], "does not accept this user and password (Basic)"),
    ],
)
def test_a_login_that_cannot_be_is_refused_by_the_name_of_its_method(challenges: list[str], said: str) -> None:
    with server(lambda connection, request: connection.sendall(refuses(*challenges))) as port:
        result = vitcam("run", "--no-web", "--source", f"http://{IN_URI}@127.0.0.1:{port}/")

    assert result.code == 2
    assert said in result.sentence
    assert not any(word in result.out + result.err for word in (USER, PASSWORD, *IN_URI.split(":"), "Traceback"))


def test_without_user_and_password_the_camera_gets_none_and_the_sentence_says_how_to_give_them() -> None:
    with server(lambda connection, request: connection.sendall(refuses(SHA))) as port:
        result = vitcam("run", "--no-web", "--source", f"http://127.0.0.1:{port}/")

    assert "USER:PASSWORD@HOST" in result.sentence


def test_a_nonce_that_is_too_old_is_replaced_and_a_camera_that_never_has_a_new_one_is_given_up() -> None:
    asked: list[int] = []

    def answer(connection: socket.socket, request: bytes, accepts: int = 3) -> None:
        asked.append(1)
        if len(asked) >= accepts and is_right(request, "cam", f"n{len(asked) - 1}"):
            connection.sendall(PICTURES)
        else:
            connection.sendall(refuses(f'Digest realm="cam", nonce="n{len(asked)}", qop="auth", stale=TRUE'))

    with server(answer) as port:
        assert first_frame(port) == 64
    asked.clear()
    with server(lambda connection, request: answer(connection, request, 1000)) as port, pytest.raises(SourceError):
        first_frame(port)

    assert len(asked) == 4


def test_a_camera_that_is_opened_again_is_logged_in_to_by_its_new_nonce() -> None:
    nonces: list[str] = []

    def answer(connection: socket.socket, request: bytes) -> None:
        if nonces and is_right(request, "cam", nonces[-1]):
            connection.sendall(PICTURES)
        else:
            nonces.append(f"nonce-{len(nonces)}")
            connection.sendall(refuses(f'Digest realm="cam", nonce="{nonces[-1]}", algorithm=SHA-256, qop="auth"'))

    with server(answer) as port:
        source = open_source(f"http://{IN_URI}@127.0.0.1:{port}/", SourceOptions())
        for _ in range(3):
            with source:
                assert next(iter(source)).preview.shape[1] == 64

    assert nonces == ["nonce-0", "nonce-1", "nonce-2"]


@pytest.mark.parametrize("place", ["/live/moved?a=b c", "moved", "http://127.0.0.1:PORT/moved", "//127.0.0.1:PORT/ä"])
@pytest.mark.parametrize("challenge", ['Basic realm="cam"', SHA])
def test_user_and_password_go_along_to_the_same_host_and_port(place: str, challenge: str) -> None:
    def answer(connection: socket.socket, request: bytes) -> None:
        if request.startswith(b"GET /live%20view?"):
            connection.sendall(moved(place.replace("PORT", str(port))))
        elif b"Authorization" in request:
            connection.sendall(PICTURES)
        else:
            connection.sendall(refuses(challenge))

    with server(answer) as port:
        assert first_frame(port) == 64


@pytest.mark.parametrize("logged_in_before", [False, True])
@pytest.mark.parametrize("place", ["http://127.0.0.1:OTHER/x", "http://localhost:OTHER/x", "https://127.0.0.1:OTHER/x"])
def test_user_and_password_go_to_no_other_host_port_or_scheme(
    place: str, logged_in_before: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = None
    if place.startswith("https"):
        tls = own_tls(tmp_path)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate"))
    seen: list[bytes] = []

    def other(connection: socket.socket, request: bytes) -> None:
        seen.append(request)
        connection.sendall(refuses('Basic realm="cam"', MD5))

    def camera(connection: socket.socket, request: bytes) -> None:
        asks = logged_in_before and b"Authorization" not in request
        connection.sendall(refuses(f'{SHA}, domain="http://127.0.0.1:{away}/ /"') if asks else moved(redirect))

    with server(other, tls) as away, server(camera) as port:
        redirect = place.replace("OTHER", str(away))
        with pytest.raises(SourceError, match="user and password are not sent to another place"):
            first_frame(port)

    assert len(seen) == 1
    assert not any(word in seen[0] for word in (b"Authorization", b"rgen"))


def test_from_https_nothing_goes_to_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tls = own_tls(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate"))
    seen: list[bytes] = []

    def plain(connection: socket.socket, request: bytes) -> None:
        seen.append(request)
        connection.sendall(refuses('Basic realm="cam"'))

    with (
        server(plain) as away,
        server(lambda connection, request: connection.sendall(moved(f"http://127.0.0.1:{away}/")), tls) as port,
        pytest.raises(SourceError, match="not sent to another place"),
    ):
        first_frame(port, scheme="https")

    assert seen
    assert b"Authorization" not in seen[0]


ENDLESS = {
    "a redirect to itself": (moved("/again"), "leads to another address again and again"),
    "a redirect to a file": (moved("file:///etc/passwd"), "not one of HTTP"),
    "a redirect to RTSP": (moved("rtsp://u:hunter2@127.0.0.1/"), "not one of HTTP"),
    "a redirect to nonsense": (moved("http://[::1/"), "not one of HTTP"),
    "a 401 whose body has no end": (
        f"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: {SHA}\r\n\r\n".encode() + b"x" * 100_000,
        "does not accept",
    ),
    "headers without end": (OK + b"X-A: b\r\n" * 1000, "cannot be reached"),
    "a header without end": (OK + b"X-A: " + b"b" * 100_000, "cannot be reached"),
}


@pytest.mark.fault(
    "an HTTP camera leads in circles, or answers without end",
    injected="servers with redirects to themselves and to other schemes, endless headers, endless bodies of a 401",
    observed="one sentence, in bounded time and memory",
)
@pytest.mark.parametrize("kind", ENDLESS)
def test_a_camera_that_leads_nowhere_is_refused_in_time(kind: str) -> None:
    data, said = ENDLESS[kind]

    def answer(connection: socket.socket, request: bytes) -> None:
        connection.sendall(data)
        if "body" in kind:
            sends(b"", then_s=20)(connection, request)

    with server(answer) as port, pytest.raises(SourceError, match=said) as refused:
        first_frame(port)

    assert "hunter2" not in str(refused.value)
