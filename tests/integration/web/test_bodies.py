"""Requests with a body: how long it may take, how large it may be, and how many may come at once."""

import gc
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests import frames
from tests.eventually import eventually
from tests.integration.web.camera import Camera, Photos
from tests.integration.web.lines import answer_of, connected, is_closed, let_it_see, post_head, readable, refusal_of
from tests.integration.web.test_uploads import photo
from vitcam.errors import UsageError
from vitcam.pictures.decode import Decoded
from vitcam.web import app
from vitcam.web.given import Binding
from vitcam.web.requests import photos
from vitcam.web.requests.admission import MAX_CHANGES
from vitcam.web.requests.body import BodyLimits
from vitcam.web.requests.photos import MAX_OF_ONE
from vitcam.web.server import WebServer

CROP = b'{"crop": null}'


@contextmanager
def serving(decode: Callable[[bytes], Decoded]) -> Iterator[WebServer]:
    with Camera() as camera:
        server = WebServer(camera.parts(photos=Photos(decode=decode)), Binding())
        server.start()
        try:
            yield server
        finally:
            server.stop(2)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a second for a whole body instead of several."""
    monkeypatch.setattr(app, "CHANGE", BodyLimits(4096, 0.5, "the request"))
    monkeypatch.setattr(photos, "PHOTO", BodyLimits(2**20, 0.5, "the photo"))


@pytest.mark.usefixtures("hasty")
def test_a_body_that_does_not_arrive_in_time_is_refused_and_its_connection_ends() -> None:
    heads = [post_head(target, 100) + sent for target in ("/api/crop", "/api/classify") for sent in (b"", b'{"crop')]
    with serving(picture_of) as server, ExitStack() as stack:
        lines = [stack.enter_context(connected(server, head)) for head in heads]
        refusals = [refusal_of(line) for line in lines]

        assert [status for status, _ in refusals] == [408] * len(heads)
        assert all("did not arrive within" in sentence for _, sentence in refusals)
        assert all(is_closed(line) for line in lines)


@pytest.mark.usefixtures("hasty")
def test_a_body_that_comes_byte_by_byte_gets_no_more_time() -> None:
    with serving(picture_of) as server, connected(server, post_head("/api/crop", 1000)) as line:
        line.settimeout(0.1)
        for _ in range(100):
            line.sendall(b" ")
            try:
                beginning = line.recv(12)
                break
            except TimeoutError:
                continue

        assert beginning == b"HTTP/1.1 408"


@pytest.mark.fault(
    "many uploads that never finish",
    injected="connections that send a part of a body",
    observed="they are refused; others are answered",
)
def test_many_unfinished_bodies_are_refused_and_block_no_other_client(server: WebServer) -> None:
    with ExitStack() as stack:
        crowd = [stack.enter_context(connected(server, post_head("/api/crop", 100))) for _ in range(40)]
        late = stack.enter_context(connected(server, post_head("/api/crop", len(CROP)) + CROP, "127.0.0.2"))

        assert answer_of(late)[0] == 200
        waiting = MAX_CHANGES // 2
        assert [refusal_of(line)[0] for line in crowd[waiting:]] == [503] * (len(crowd) - waiting)
        assert not any(readable(line) for line in crowd[:waiting])


def test_slow_uploads_of_one_address_leave_room_for_another(server: WebServer) -> None:
    data = photo()
    with ExitStack() as stack:
        for _ in range(MAX_OF_ONE):
            stack.enter_context(connected(server, post_head("/api/classify", 1000) + b"x"))
        with connected(server, post_head("/api/classify", len(data)) + data) as line:
            refused = eventually(lambda: refusal_of(line))
        with connected(server, post_head("/api/classify", len(data)) + data, "127.0.0.2") as line:
            status = answer_of(line)[0]

    assert refused == (503, f"your address has {MAX_OF_ONE} photos here already; end one or try again in a second")
    assert status == 200


def test_photos_of_clients_that_left_are_not_classified() -> None:
    going, given = threading.Event(), list[bytes]()

    def slow(data: bytes) -> Decoded:
        given.append(data)
        going.wait(60)
        return picture_of(data)

    data = photo()
    request = post_head("/api/classify", len(data)) + data
    with serving(slow) as server:
        with connected(server, request):
            eventually(lambda: len(given) == 1)
        for _ in range(40):  # who comes while there is a place waits; who leaves then has not been there
            with connected(server, request) as line:
                let_it_see(server)
                assert not readable(line)
            let_it_see(server)
        with ExitStack() as stack:
            waiting = [stack.enter_context(connected(server, request)) for _ in range(MAX_OF_ONE)]
            refused = eventually(lambda: [line for line in waiting if readable(line)])[0]
            assert refusal_of(refused)[0] == 503  # the place of the first one is held, though it left
            going.set()
            assert [answer_of(line)[0] for line in waiting if line is not refused] == [200] * (MAX_OF_ONE - 1)

    assert len(given) == MAX_OF_ONE


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"--xx\r\n\r\n\r\n" * 1_500_000, "multipart/form-data; boundary=xx"),
        (b"a:\r\n" * 5_000_000, "multipart/form-data; boundary=xx"),
        (b"--xx\r\n" + b"a:\r\n" * 5_000_000, "multipart/form-data; boundary=xx"),
        (b"\r\n--x" * 4_000_000, "multipart/form-data; boundary=xx"),
        (b"".join(b"--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n" % (i, i + 1) for i in range(3000)),
         "multipart/form-data; boundary=b0"),
    ],
    ids=["tiny parts", "endless preamble", "tiny headers", "almost boundaries", "nested 3,000 deep"],
)  # fmt: skip
def test_health_is_answered_at_once_while_a_hostile_form_is_read(server: WebServer, body: bytes, kind: str) -> None:
    with connected(server, post_head("/api/classify", len(body), f"Content-Type: {kind}")) as line:
        slowest = 0.0
        sender = threading.Thread(target=line.sendall, args=(body,))
        sender.start()
        while sender.is_alive() or not readable(line):
            began = time.monotonic()
            with connected(server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") as doctor:
                assert answer_of(doctor)[0] == 200
            slowest = max(slowest, time.monotonic() - began)
        status, sentence = refusal_of(line)

    assert status == 400
    assert "form" in sentence
    assert slowest < 1


def test_a_refusal_whose_client_has_left_is_no_error_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    begun, left, refused = threading.Event(), threading.Event(), threading.Event()

    def refuse(_: bytes) -> Decoded:
        begun.set()
        left.wait(60)
        refused.set()
        raise UsageError("not an image")

    data = photo()
    with serving(refuse) as server:
        with connected(server, post_head("/api/classify", len(data)) + data):
            assert begun.wait(60)
        with connected(server, post_head("/api/crop", len(CROP)) + CROP) as line:  # the loop has seen the client leave
            assert answer_of(line)[0] == 200
        left.set()
        assert refused.wait(60)
        with connected(server, post_head("/api/crop", len(CROP)) + CROP) as line:
            assert answer_of(line)[0] == 200
    gc.collect()

    assert "never retrieved" not in caplog.text


def test_the_photo_is_found_behind_fifteen_other_fields_and_not_behind_sixteen(server: WebServer) -> None:
    other = b'--xx\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n'
    image = b'--xx\r\nContent-Disposition: form-data; name="image"\r\n\r\n' + photo() + b"\r\n--xx--\r\n"
    statuses = []
    for count in (15, 16):
        body = other * count + image
        head = post_head("/api/classify", len(body), "Content-Type: multipart/form-data; boundary=xx")
        with connected(server, head + body) as line:
            status, _, answer = answer_of(line)
            statuses.append((status, json.loads(answer).get("error", "")))

    assert statuses[0][0] == 200
    assert statuses[1][0] == 400
    assert "more than 16 fields" in statuses[1][1]


def picture_of(_: bytes) -> Decoded:
    return Decoded(frames.picture(100, 200), 200, 100)
