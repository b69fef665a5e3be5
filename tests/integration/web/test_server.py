"""Starting and stopping the server, and the heartbeat of its event loop."""

import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

import pytest

from tests.eventually import eventually
from tests.integration.web.camera import Camera, Client
from vitcam.errors import VitcamError
from vitcam.web.given import Binding
from vitcam.web.server import WebServer


def test_start_raises_at_once_if_the_port_is_in_use(camera: Camera, server: WebServer) -> None:
    port = int(server.url.rsplit(":", 1)[1])

    with pytest.raises(VitcamError, match="in use already"):
        WebServer(camera.parts(), Binding(port=port)).start()


def test_a_server_that_does_not_start_in_time_is_one_sentence(camera: Camera, monkeypatch: pytest.MonkeyPatch) -> None:
    may_serve = threading.Event()
    monkeypatch.setattr("vitcam.web.server._START_TIMEOUT_S", 0.05)
    server = WebServer(camera.parts(), Binding())
    server.start(lambda: may_serve.wait(60))
    with pytest.raises(VitcamError, match=r"did not start within 0\.05 s"):
        server.wait_until_serving()
    may_serve.set()
    server.stop(10)


def test_what_goes_first_ends_before_the_first_answer_and_who_connects_meanwhile_is_answered(camera: Camera) -> None:
    ended: list[float] = []
    may_serve = threading.Event()
    server = WebServer(camera.parts(), Binding())

    def goes_first() -> None:
        may_serve.wait(60)
        ended.append(time.monotonic())

    server.start(goes_first)
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as early:
        early.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert not server._serving.done()
        may_serve.set()
        assert early.recv(100).startswith(b"HTTP/1.1 200")
        answered = time.monotonic()
    server.stop(10)

    assert ended
    assert ended[0] < answered


def test_the_heartbeat_goes_on_while_the_event_loop_runs_and_stops_with_it(server: WebServer) -> None:
    first = server.beat_ns
    later = eventually(lambda: server.beat_ns > first)
    server.stop(2)
    last = server.beat_ns

    assert later
    assert not any(thread.name == "web" for thread in threading.enumerate())  # nothing beats any more
    assert server.beat_ns == last


def test_stop_ends_in_time_although_clients_do_not_read(camera: Camera, server: WebServer) -> None:
    with ExitStack() as stack:
        for i in range(20):
            target = "/stream?width=960" if i % 2 else "/api/predictions?attention=1"
            stack.enter_context(Client(server, target, read=False))
        good = stack.enter_context(Client(server, "/stream?width=320"))
        good.read_part()
        camera.wait_for_frames(15)
        began = time.monotonic()
        server.stop(2)
        took_s = time.monotonic() - began
        good.wait_for_end()

    assert took_s < 2
    assert not any(thread.name == "web" for thread in threading.enumerate())
    assert camera.latest is not None


def test_a_server_that_is_stopped_while_it_starts_leaves_no_thread_behind(camera: Camera) -> None:
    server = WebServer(camera.parts(), Binding())
    server.start()
    server.stop(10)

    assert not any(thread.name == "web" for thread in threading.enumerate())


def test_after_stop_the_port_is_free_for_the_next_server(camera: Camera, server: WebServer) -> None:
    port = int(server.url.rsplit(":", 1)[1])
    server.stop(2)
    again = WebServer(camera.parts(), Binding(port=port))
    again.start()
    with Client(again, "/healthz") as client:
        status = client.status
    again.stop(2)

    assert status == 200


def test_importing_the_server_does_not_import_aiohttp_yet() -> None:
    code = "import sys, vitcam.web.server; sys.exit('aiohttp' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
