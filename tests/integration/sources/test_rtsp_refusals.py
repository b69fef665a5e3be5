"""Why an RTSP camera cannot be opened: each trouble has a sentence of its own, which shows no secret."""

import base64
import hashlib
import random
import re
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from tests.daemon import free_port
from tests.http_camera import Answer, own_tls, sends, server
from tests.rtsp_camera import Respond, refuses, rtsp
from tests.videos import encode_film
from vitcam.certificates import read_fingerprint
from vitcam.errors import SourceError
from vitcam.sources import SourceOptions, open_source
from vitcam.sources.network.address import Address
from vitcam.sources.network.trust import Trust
from vitcam.sources.rtsp.diagnosis import why_not

BASIC = '401 Unauthorized\r\nWWW-Authenticate: Basic realm="camera"\r\n\r\n'
DIGEST = '401 Unauthorized\r\nWWW-Authenticate: Digest realm="camera", nonce="n", algorithm=ALGORITHM\r\n\r\n'
BAD = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
ESCAPES = "write %40 for @, %23 for #, %2F for / and %3F for ?"


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of greys, in packets as a camera sends them."""
    pictures = [np.full((96, 128, 3), 20 * i, np.uint8) for i in range(10)]
    return encode_film(tmp_path_factory.mktemp("film") / "film.ts", pictures, gop=5)


def refused(uri: str, trust: Trust | None = None) -> str:
    """With which sentence a camera is not opened."""
    options = SourceOptions() if trust is None else SourceOptions(trust=trust)
    with pytest.raises(SourceError) as error:
        open_source(uri, options).__enter__()
    said = str(error.value)
    assert "hunter" not in said
    assert "\n" not in said
    return said


REFUSALS: dict[str, tuple[Respond, str, str]] = {
    "a wrong password": (refuses(BASIC), "u:hunter2@", "answers 401 Unauthorized: it does not accept this user and"),
    "no password": (refuses(BASIC), "", "answers 401 Unauthorized; give user and password as in rtsp://USER:PASSWORD@"),
    "an @ in the password": (refuses(BASIC), "u:hunter@2@", ESCAPES),
    "a login that nobody knows": (
        refuses(DIGEST.replace("ALGORITHM", "SHA3")),
        "u:hunter2@",
        "wants a login by Digest",
    ),
    "a wrong path": (refuses("404 Stream Not Found\r\n\r\n"), "", "answers 404 Not Found; check the path"),
    "too many": (refuses("453 Whatever it says\r\n\r\n"), "", "answers 453 Not Enough Bandwidth"),
    "no way to send": (
        lambda method, _: "461 Unsupported\r\n\r\n" if method == "SETUP" else "",
        "",
        "it describes a stream, and sends none",
    ),
}


@pytest.mark.parametrize("trouble", REFUSALS)
def test_what_a_camera_answers_is_said_with_a_remedy(trouble: str) -> None:
    respond, user, said = REFUSALS[trouble]
    with server(rtsp(respond)) as port:
        sentence = refused(f"rtsp://{user}127.0.0.1:{port}/live")

    assert f"127.0.0.1:{port}/live cannot be opened: it" in sentence
    assert said in sentence


def test_a_login_that_ffmpeg_does_not_know_is_no_wrong_password() -> None:
    """Such as SHA-512-256, which vitcam itself could answer."""

    def respond(method: str, request: str) -> str:
        if method != "DESCRIBE" or is_right(request):
            return ""
        return DIGEST.replace("ALGORITHM", "SHA-512-256")

    with server(rtsp(respond)) as port:
        sentence = refused(f"rtsp://u:hunter2@127.0.0.1:{port}/live")

    assert "FFmpeg, which reads it, does not know its login (Digest SHA-512-256)" in sentence


def is_right(request: str) -> bool:
    """Whether a request has the digest of RFC 7616 for the user u and the password hunter2."""
    told = dict(re.findall(r'(\w+)="([^"]*)"', request))

    def h(text: str) -> str:
        return hashlib.new("sha512_256", text.encode()).hexdigest()

    wanted = h(f"{h('u:camera:hunter2')}:n:{h('DESCRIBE:' + told.get('uri', ''))}")
    return told.get("response") == wanted


def test_who_does_not_speak_rtsp_is_told_from_a_camera_that_does() -> None:
    with server(sends(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
        http = refused(f"rtsp://127.0.0.1:{port}/live")
    nobody = refused(f"rtsp://127.0.0.1:{free_port()}/live")
    no_host = refused("rtsp://u:hunter2@no-host.invalid/live")
    escapes = refused("rtsp://u:1?hunter@2@no-host.invalid/live")

    assert "does not answer as RTSP does; check the port" in http
    assert "Connection refused; nobody listens at this port" in nobody
    assert "check the name of the host" in no_host
    assert ESCAPES in escapes


def damaged(data: bytes, randomness: random.Random) -> bytes:
    """An answer with a few bytes changed, doubled or missing."""
    found = bytearray(data)
    for _ in range(randomness.randrange(1, 6)):
        at = randomness.randrange(len(found) + 1)
        found[at : at + randomness.randrange(4)] = randomness.choice([b"", b"\0", b"9", b"\r\n", b" ", found[:at]])
    return bytes(found)


def test_a_damaged_answer_becomes_a_sentence() -> None:
    randomness = random.Random(413)
    whole = [
        f"RTSP/1.0 {answer}".encode() for answer in (BASIC, "200 OK\r\nContent-Length: 3\r\n\r\nabc", "404\r\n\r\n")
    ]

    def answer(connection: socket.socket, request: bytes) -> None:
        if request:
            connection.sendall(damaged(randomness.choice(whole), randomness))

    with server(answer) as port:
        address = Address.of(f"rtsp://u:hunter2@127.0.0.1:{port}/live")
        said = [why_not(address, Trust(), "nothing came", "") for _ in range(300)]

    assert all(sentence.isprintable() and len(sentence) < 300 for sentence in said)
    assert len(set(said)) > 5


def test_a_camera_that_says_nothing_or_sends_no_video_is_said_to(film: Path) -> None:
    """All at once: each takes its whole time."""
    cameras = (sends(b"", then_s=60), rtsp(kind="audio"), rtsp())
    with ExitStack() as stack, ThreadPoolExecutor(len(cameras)) as pool:
        ports = [stack.enter_context(server(camera)) for camera in cameras]
        silent, sound, nothing = pool.map(refused, [f"rtsp://127.0.0.1:{port}/live" for port in ports])

    assert "timed out; check host and port" in silent
    assert "it sends no video" in sound
    assert "no picture came within 10 s" in nothing


@pytest.mark.smoke
def test_a_camera_is_read_whatever_the_case_of_its_scheme_with_escapes_in_its_password(film: Path) -> None:
    told = base64.b64encode(b"u:p@ss#1/?").decode()

    def respond(method: str, request: str) -> str:
        return "" if method == "OPTIONS" or told in request else BASIC

    with server(rtsp(respond, film)) as port, open_source(f"RTSP://u:p%40ss%231%2F%3F@127.0.0.1:{port}/live") as source:
        frame = next(iter(source))

    assert frame.preview.shape == (96, 128, 3)
    assert frame.source == f"rtsp://***@127.0.0.1:{port}/live"


@pytest.fixture
def tls(tmp_path: Path) -> ssl.SSLContext:
    return own_tls(tmp_path)


def shown(folder: Path) -> str:
    """The fingerprint of the certificate of `own_tls`, as openssl writes it."""
    der = ssl.PEM_cert_to_DER_cert((folder / "certificate").read_text())
    digits = hashlib.sha256(der).hexdigest().upper()
    return "sha256 Fingerprint=" + ":".join(digits[at : at + 2] for at in range(0, 64, 2))


def test_over_tls_only_a_certificate_that_is_trusted_is_accepted(
    film: Path, tmp_path: Path, tls: ssl.SSLContext
) -> None:
    fingerprint = read_fingerprint(shown(tmp_path))
    seen: list[str] = []

    def respond(method: str, request: str) -> str:
        seen.append(request)
        return "" if method == "OPTIONS" or "Authorization: Basic" in request else BASIC

    with server(rtsp(respond, film), tls) as port:
        uri = f"rtsps://u:hunter2@127.0.0.1:{port}/live"
        unknown, other = refused(uri), refused(uri, Trust("00" * 32))
        asked_before = list(seen)
        shapes = []
        for trust in (Trust(fingerprint), Trust(authority=str(tmp_path / "certificate"))):
            with open_source(uri, SourceOptions(trust=trust)) as source:
                shapes.append(next(iter(source)).preview.shape)

    assert "its certificate is its own, and no authority has signed it" in unknown
    assert f'set camera.fingerprint = "{fingerprint}"' in unknown
    assert "is not the one that camera.fingerprint names" in other
    assert asked_before == []  # neither user nor password, nor anything else
    assert shapes == [(96, 128, 3)] * 2


def test_the_scheme_that_fits_the_port_is_said(tls: ssl.SSLContext) -> None:
    cases: list[tuple[Answer, ssl.SSLContext | None, str, str]] = [
        (rtsp(), tls, "rtsp", "it speaks TLS at this port; write rtsps:// in place of rtsp://"),
        (rtsp(refuses("400 Bad Request\r\n\r\n")), None, "rtsps", "write rtsp:// in place of rtsps://"),
        (sends(b"HTTP/1.1 400 Bad Request\r\n\r\n"), None, "https", "write http:// in place of https://"),
        (sends(b"HTTP/1.1 400 Bad Request\r\n\r\n"), tls, "http", "write https:// in place of http://"),
    ]
    for answer, context, scheme, said in cases:
        with server(answer, context) as port:
            assert said in refused(f"{scheme}://127.0.0.1:{port}/live")


def test_a_port_that_answers_without_tls_and_speaks_it_has_tls(tls: ssl.SSLContext, tmp_path: Path) -> None:
    trust = Trust(read_fingerprint(shown(tmp_path)))
    with server(lambda *_: None, tls, plain=sends(BAD)) as port:
        http, https = (refused(f"{scheme}://127.0.0.1:{port}/live", trust) for scheme in ("http", "https"))
    with server(sends(BAD)) as port:
        plain = refused(f"http://127.0.0.1:{port}/live")

    assert "write https:// in place of http://" in http
    assert "in place of" not in https
    assert plain.endswith("answers 400 Bad Request")
