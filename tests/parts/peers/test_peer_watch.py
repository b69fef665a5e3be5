"""Other cameras that are well, away, slow, endless, or lie: each has its own sentence, and costs the others nothing."""

import hashlib
import http.server
import json
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import count, repeat
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.http_camera import OK, Answer, jpeg, keeps_sending, own_tls, sends, server
from tests.integration.web.camera import Camera
from tests.secured import PASSWORD, ask, basic, protected
from tests.served import served
from vitcam.access.tokens import Scope, create_token
from vitcam.config.settings import Settings
from vitcam.daemon.shutdown import ShutdownRequest
from vitcam.doctor.check import CheckContext
from vitcam.machine import Machine
from vitcam.parts.peers import checks as doctor
from vitcam.parts.peers import client
from vitcam.parts.peers import watch as module
from vitcam.parts.peers.access import keep_peer_access
from vitcam.parts.peers.peer import Peer
from vitcam.parts.peers.settings import PeerSettings
from vitcam.parts.peers.watch import PeerSeen, PeerWatch
from vitcam.run.ending import Ending
from vitcam.run.objects import Objects
from vitcam.web.given import Binding
from vitcam.web.server import WebServer
from vitcam.web.tls import CertificateFiles


def huge_jpeg() -> bytes:
    """A few hundred bytes that say they are 65,500 × 65,500 px."""
    whole = jpeg()
    at = whole.index(b"\xff\xc0")
    return whole[: at + 5] + struct.pack(">HH", 65_500, 65_500) + whole[at + 9 :]


def as_vitcam(still: bytes, kind: str = "image/jpeg", state: bytes = b'{"status": "ok", "reason": ""}') -> Answer:
    """Answers the state as vitcam does, and every still with that."""

    def answer(line: socket.socket, request: bytes) -> None:
        body, its = (still, kind) if b"snapshot.jpg" in request else (state, "application/json")
        head = f"Content-Type: {its}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        line.sendall(OK + head.encode() + body)

    return answer


CHUNKED = OK + b"Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n"
HOSTILE: dict[str, tuple[Answer, str]] = {
    "an endless answer": (keeps_sending(repeat(b"8000\r\n" + b" " * 0x8000 + b"\r\n"), 0, CHUNKED), "more than"),
    "endless headers": (keeps_sending(repeat(b"X-A: " + b"a" * 4000 + b"\r\n"), 0, OK), "as vitcam does"),
    "a drop a second": (keeps_sending(repeat(b" "), 1.0, OK + b"Content-Length: 1000\r\n\r\n"), "within 5 s"),
    "silence": (sends(b"", 60), "within 5 s"),
    "no HTTP": (sends(b"SSH-2.0-OpenSSH_9.2\r\n"), "as vitcam does"),
    "a page": (sends(OK + b"Content-Type: text/html\r\n\r\n<html>"), "as vitcam does"),
    "a redirect": (
        sends(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"),
        "another address",
    ),
    "a bomb of brackets": (as_vitcam(b"", state=b"[" * 100_000), "as vitcam does"),
    "a packed answer": (sends(OK + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00"), "which no"),
    "a huge picture": (as_vitcam(huge_jpeg()), "65,500"),
    "a large picture": (as_vitcam(jpeg()[:-2] + bytes(1 << 21) + b"\xff\xd9"), "1,024 KiB"),
    "markup in place of a picture": (as_vitcam(b"<script>alert(1)</script>"), "something else"),
    "half a picture": (as_vitcam(jpeg()[:-50]), "end is missing"),
    "a refusal in words": (
        sends(b'HTTP/1.1 403 Forbidden\r\nContent-Length: 24\r\n\r\n{"error": "go <b>away"}\n'), "403: go <b>away",
    ),
}  # fmt: skip


@contextmanager
def watching(*peers: Peer, folder: Path | None = None) -> Iterator[PeerWatch]:
    watch = PeerWatch(peers, folder)
    try:
        yield watch
    finally:
        watch.stop(Ending(ShutdownRequest()))
        assert watch.worker.join(10)


@contextmanager
def serving(camera: Camera, binding: Binding = Binding()) -> Iterator[WebServer]:  # noqa: B008 - frozen
    running = WebServer(camera.parts(), binding)
    running.start()
    running.wait_until_serving()
    try:
        yield running
    finally:
        running.stop(2)


def seen(watch: PeerWatch, name: str) -> PeerSeen | None:
    watch.look()
    slot = watch.slot(name)
    assert slot is not None
    return slot.peek()


def with_picture(watch: PeerWatch, name: str) -> PeerSeen:
    found = eventually(lambda: (each := seen(watch, name)) and each.still and each, every_s=0.05)
    assert found, seen(watch, name)
    return found


def away(watch: PeerWatch, name: str, says: str) -> str:
    """The sentence of a camera that gives nothing, once it has this in it."""
    found = eventually(lambda: (each := seen(watch, name)) and says in each.reason and each, every_s=0.05)
    assert found, seen(watch, name)
    assert (found.status, found.still) == ("away", None)
    return found.reason


@pytest.mark.long
@pytest.mark.fault(
    "another camera of the wall is away, slow or endless, or lies",
    injected="14 servers that do so",
    observed="each tile says why, and new pictures of the good camera come meanwhile",
)
def test_hostile_cameras_have_a_sentence_each_and_the_good_one_is_shown_as_before() -> None:
    with ExitStack() as stack:
        good = stack.enter_context(serving(stack.enter_context(Camera())))
        ports = [stack.enter_context(server(answer)) for answer, _ in HOSTILE.values()]
        bad = [Peer(f"bad{i}", f"http://127.0.0.1:{port}") for i, port in enumerate(ports)]
        gone = Peer("gone", "http://127.0.0.1:1")
        watch = stack.enter_context(watching(Peer("good", good.url), gone, *bad))
        first = with_picture(watch, "good")

        reasons = {what: away(watch, f"bad{i}", HOSTILE[what][1]) for i, what in enumerate(HOSTILE)}
        away(watch, "gone", "nothing answers")

        later = with_picture(watch, "good")
        assert first.status == later.status == "ok"
        assert first.still is not None
        assert later.still is not None
        assert later.still.number > first.still.number
        assert first.caption is not None
        assert first.caption.label == "cup"
        assert all("\n" not in reason and len(reason) < 400 for reason in reasons.values())
        assert watch.worker.trouble() == ""


@contextmanager
def with_events(answers: Iterator[bytes | None]) -> Iterator[str]:
    """The address of a camera that is well, and answers for its events what is next; None: never."""
    over = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, body = 200, "application/json", b'{"status": "ok", "reason": ""}'
            if "snapshot" in self.path:
                kind, body = "image/jpeg", jpeg()
            elif "events" in self.path:
                found = next(answers)
                if found is None:
                    over.wait(60)
                    return
                status, body = (200, found) if found else (500, b'{"error": "the history cannot be read"}')
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    there = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with served(there):
        try:
            yield f"http://127.0.0.1:{there.server_port}"
        finally:
            over.set()


@pytest.mark.fault(
    "another camera of the wall does not answer what happened last",
    injected="a server that refuses it, or is silent, after its first answer",
    observed="its pictures come as before, and the tile keeps what is known",
)
@pytest.mark.parametrize("answer", [b"", None], ids=["refused", "silent"])
def test_a_camera_whose_events_do_not_come_is_shown_as_before(
    answer: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_STATE_EVERY_S", 0.0)
    monkeypatch.setattr(module, "_EVERY_S", 0.1)
    monkeypatch.setattr(client, "WITHIN_S", 60.0)  # nothing that is silent is given up
    asked = count()
    event = {"kind": "seen", "shown": {"label": "cat"}, "start": "2026-01-02T03:04:05.678Z", "end": None}
    first = json.dumps({"events": [event]}).encode()
    answers = (first if number == 0 else answer for number in asked)
    with with_events(answers) as address, watching(Peer("shed", address)) as watch:
        known = eventually(lambda: (each := seen(watch, "shed")) and each.last and each, every_s=0.05)
        assert known, seen(watch, "shed")
        assert known.still is not None
        stills = {known.still.number}

        def several_came() -> bool:
            found = seen(watch, "shed")
            assert found is not None
            assert (found.status, found.last) == ("ok", known.last)
            assert found.still is not None
            stills.add(found.still.number)
            return len(stills) > 4

        assert eventually(several_came, every_s=0.05), "the pictures wait for the events"


@pytest.mark.long
def test_nothing_is_asked_that_nobody_looks_at() -> None:
    with Camera() as camera, serving(camera) as good, watching(Peer("good", good.url)) as watch:
        began = [watch.worker.started]

        with_picture(watch, "good")
        assert [*began, watch.worker.started] == [False, True]
        watch._wanted_until_s = 0  # whoever looked has left

        slot = watch.slot("good")
        assert slot is not None
        assert eventually(lambda: slot.peek() is None), "its picture is forgotten"
        assert with_picture(watch, "good").still is not None, "who comes back sees it again"


@pytest.mark.long
def test_a_camera_that_is_added_or_taken_away_in_the_run_costs_the_others_nothing() -> None:
    with Camera() as camera, serving(camera) as one, serving(camera) as other, watching(Peer("a", one.url)) as watch:
        with_picture(watch, "a")
        watch.change((*watch.peers, Peer("b", other.url)))
        with_picture(watch, "b")
        slot = watch.slot("a")
        watch.change((Peer("a", one.url),))

        assert watch.slot("a") is slot
        assert watch.slot("b") is None


@pytest.mark.long
def test_a_token_lets_in_once_it_is_kept_and_is_shown_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    token = create_token(there, "wall", Scope.READ)
    with ExitStack() as stack:
        camera = stack.enter_context(Camera())
        secured = stack.enter_context(protected(camera, there))
        watch = stack.enter_context(watching(Peer("garden", secured.url), folder=here))
        objects = Objects()
        objects.add(watch)
        own = WebServer(camera.parts(objects=objects), Binding())
        own.start()
        stack.callback(own.stop, 2)
        assert "vitcam token peer garden" in away(watch, "garden", "asks for a token")

        keep_peer_access(here, "garden", "vitcam_wrong")
        away(watch, "garden", "does not accept")
        keep_peer_access(here, "garden", token)
        with_picture(watch, "garden")
        said = ask(own.url, "/api/peers")
        picture = ask(own.url, "/api/peers/garden/snapshot.jpg")

    assert picture.status == 200
    assert picture.header("Content-Type") == "image/jpeg"
    assert picture.body[:2] == b"\xff\xd8"
    assert token.encode() not in said.body
    assert token not in caplog.text


@pytest.mark.long
def test_only_who_may_look_sees_other_cameras(tmp_path: Path) -> None:
    with Camera() as camera, protected(camera, tmp_path) as secured:
        assert ask(secured.url, "/api/peers").status == 401
        assert ask(secured.url, "/api/peers/a/snapshot.jpg").status == 401
        assert ask(secured.url, "/api/peers", headers=basic(PASSWORD)).status == 200
        assert ask(secured.url, "/api/peers/a/snapshot.jpg", headers=basic(PASSWORD)).status == 404


@pytest.mark.long
def test_a_certificate_that_signs_itself_is_trusted_by_its_fingerprint_alone(tmp_path: Path) -> None:
    own_tls(tmp_path)
    certificate = ssl.PEM_cert_to_DER_cert((tmp_path / "certificate").read_text())
    digits = hashlib.sha256(certificate).hexdigest()
    files = CertificateFiles(tmp_path / "certificate", tmp_path / "key")
    folder = tmp_path / "vitcam"
    with Camera() as camera, serving(camera, Binding(certificate=files)) as secured:
        peer = Peer("garden", secured.url)
        machine = Machine({"STATE_DIRECTORY": str(folder)}, tmp_path)
        context = CheckContext(Settings().with_section("peers", PeerSettings((peer,))), machine)
        with watching(peer, folder=folder) as watch:
            away(watch, "garden", "is not known to this machine")
            before = doctor.checks(context)["peer garden"](context)
            keep_peer_access(folder, "garden", "", "00" * 32)
            away(watch, "garden", "is not the one")
            keep_peer_access(folder, "garden", "", digits)
            with_picture(watch, "garden")
            after = doctor.checks(context)["peer garden"](context)
        with watching(replace(peer, address=secured.url.replace("https", "http"))) as watch:
            away(watch, "garden", "begins with https://")

    assert before.status == "fail"
    assert digits in before.found
    assert "--fingerprint" in before.fix
    assert after.status == "ok"
    assert "https" in after.found


@pytest.mark.smoke
def test_a_camera_without_a_signal_says_why_and_a_program_that_asks_for_its_still_gets_503() -> None:
    with Camera() as camera, serving(camera) as good, watching(Peer("good", good.url)) as watch:
        objects = Objects()
        objects.add(watch)
        own = WebServer(camera.parts(objects=objects), Binding())
        own.start()
        try:
            first = ask(own.url, "/api/peers/good/snapshot.jpg")
            camera.lose_signal("the cable is loose")
            lost = eventually(
                lambda: (each := seen(watch, "good")) and each.status == "no_signal" and not each.still and each
            )
            then = ask(own.url, "/api/peers/good/snapshot.jpg")
        finally:
            own.stop(2)

    assert first.status == 200, "it waits for the first picture"
    assert lost
    assert lost.reason == "the cable is loose"
    assert then.status == 503
    assert b"the cable is loose" in then.body
