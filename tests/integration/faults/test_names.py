"""A name server that never answers, as where the router is being restarted."""

import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import Daemon, daemon, status_of
from tests.eventually import eventually
from tests.integration.faults.namespaces import wrapped
from tests.needs import missing

SERVER = "127.9.9.9"  # all of 127.0.0.0/8 is this machine's
RESOLV = f"nameserver {SERVER}\noptions timeout:30 attempts:5\n"
PATIENCE_S = 45.0
RETRY_S = 14.0  # an attempt, and the pause before it


@pytest.fixture
def questions() -> Iterator[socket.socket]:
    """A name server that takes questions and never answers."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        try:
            server.bind((SERVER, 53))
        except PermissionError:
            missing("this needs root, to listen on port 53")
        server.settimeout(PATIENCE_S)
        yield server


@pytest.fixture
def python(tmp_path: Path) -> str:
    """An interpreter that asks that name server."""
    (tmp_path / "resolv.conf").write_text(RESOLV)
    (tmp_path / "nsswitch.conf").write_text("hosts: files dns\n")
    mounts = [f"mount --bind {tmp_path}/{name} /etc/{name}" for name in ("resolv.conf", "nsswitch.conf")]
    return wrapped(tmp_path, "\n".join(mounts), "--mount")


@pytest.mark.fault(
    "the name server never answers, and the camera has a name",
    injected="a name server that takes questions and says nothing, for `http://NAME` and `rtsp://NAME`",
    observed="the page works and says what is missing within 30 s, again and again; SIGTERM ends it in time",
)
@pytest.mark.slow("vitcam/sources")
@pytest.mark.parametrize("source", ["http://camera.example/stream", "rtsp://camera.example/cam"])
def test_a_camera_whose_name_nobody_resolves_leaves_page_and_end_as_they_are(
    source: str, python: str, questions: socket.socket
) -> None:
    with daemon("--source", source, "--wait", python=python) as running:
        asked = questions.recv(512)
        healthy = status_of(f"{running.url}/healthz")
        said = eventually(lambda: reason(running), PATIENCE_S)
        threads = thread_count(running)
        later = running.state()["uptime_s"] + RETRY_S
        eventually(lambda: running.state()["uptime_s"] > later, 3 * RETRY_S, every_s=0.5)
        more_threads = thread_count(running) - threads
        code, took_s = running.end()

        assert b"\x06camera\x07example" in asked
        assert healthy == 200
        assert "camera.example" in said
        assert more_threads <= 1  # a lookup that nobody waits for any more
        assert (code, took_s < 5) == (0, True)
        assert "Traceback" not in running.errors()


def reason(running: Daemon) -> str:
    state = running.state()
    return str(state["reason"]) if state["status"] == "no_signal" else ""


def thread_count(running: Daemon) -> int:
    return len(list(Path(f"/proc/{running.process.pid}/task").iterdir()))


@pytest.mark.fault(
    "the name server never answers, and vitcam serves the network",
    injected="the same name server at `--host 0.0.0.0`, where vitcam asks for its own full name",
    observed="the page is served meanwhile; names in `web.names` are answered, others refused; SIGTERM ends it in time",
)
def test_a_server_for_the_network_waits_for_no_name_server(python: str, questions: socket.socket) -> None:
    options = ("--host", "0.0.0.0", "--no-password", "--set", "web.names=cam.example.org")
    with daemon("--source", "demo", "--model", "mnist", *options, python=python) as running:
        running.wait_for("ok")
        own = status_named(running, "cam.example.org")
        foreign = status_named(running, "evil.example.org")
        code, took_s = running.end()

        assert (own, foreign) == (200, 403)
        assert (code, took_s < 5) == (0, True)


def status_named(running: Daemon, name: str) -> int:
    """The status of a request to the daemon by this name."""
    request = urllib.request.Request(f"{running.url}/api/state", headers={"Host": name})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code
