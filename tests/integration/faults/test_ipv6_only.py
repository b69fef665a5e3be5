"""A network without IPv4, of which only the loopback address is left."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import Daemon, daemon
from tests.eventually import eventually
from tests.integration.faults.namespaces import need_namespaces, wrapped

ADDRESS = "fd00:7::1"
NETWORK = f"""
ip link set lo up
ip addr del 127.0.0.1/8 dev lo
ip addr add {ADDRESS}/64 dev lo nodad
"""


@pytest.fixture
def python(tmp_path: Path) -> str:
    """An interpreter in a network of IPv6 alone."""
    need_namespaces("--net")
    return wrapped(tmp_path, NETWORK, "--net")


def inside(running: Daemon, url: str) -> Any:
    """The JSON at a URL, asked for in the network of the daemon; None while nobody answers."""
    code = f"import urllib.request; print(urllib.request.urlopen({url!r}, timeout=5).read().decode())"
    where = ["nsenter", f"--net=/proc/{running.process.pid}/ns/net", sys.executable, "-c", code]
    asked = subprocess.run(where, capture_output=True, text=True, timeout=60)
    return json.loads(asked.stdout) if asked.returncode == 0 else None


@pytest.mark.fault(
    "the network has IPv6 only",
    injected="a network namespace without any IPv4 address, for page and HTTP camera",
    observed="the page is served at an IPv6 address; a camera at one is watched",
)
def test_page_and_camera_work_where_there_is_no_ipv4(python: str, tmp_path: Path) -> None:
    page = ("--source", "demo", "--host", "::", "--no-password", "--model", "mnist")
    with daemon(*page, python=python, STATE_DIRECTORY=str(tmp_path / "camera")) as camera:
        port = camera.url.rpartition(":")[2]
        first = eventually(lambda: inside(camera, f"http://[{ADDRESS}]:{port}/api/state"), every_s=0.3)
        join = f'#!/bin/sh\nexec nsenter --net=/proc/{camera.process.pid}/ns/net {sys.executable} "$@"\n'
        (tmp_path / "join.sh").write_text(join)
        (tmp_path / "join.sh").chmod(0o755)
        source = f"http://[{ADDRESS}]:{port}/stream?overlay=none"
        with daemon(
            "--source", source, "--host", "::1", "--model", "mnist", python=str(tmp_path / "join.sh")
        ) as viewer:
            its = f"http://[::1]:{viewer.url.rpartition(':')[2]}/api/state"
            seen = eventually(lambda: (found := inside(viewer, its)) and found["status"] == "ok" and found, every_s=0.3)
            codes = viewer.end()[0], camera.end()[0]

            assert first["model"] == "mnist"
            assert seen["frames"]["captured"] > 0
            assert codes == (0, 0)
