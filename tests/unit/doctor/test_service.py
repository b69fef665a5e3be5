"""`vitcam doctor` on the port and the unit."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.doctor.places import put
from vitcam.config.settings import Settings
from vitcam.config.web import WebSettings
from vitcam.doctor import service
from vitcam.doctor.check import CheckContext, CheckResult


def serving(context: CheckContext, host: str, port: int) -> CheckContext:
    return replace(context, settings=Settings(web=WebSettings(host=host, port=port)))


def test_a_free_port_is_found_free_and_left_free(context: CheckContext) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    assert service.port(serving(context, "127.0.0.1", port)) == CheckResult("ok", f"127.0.0.1:{port} is free")
    with socket.create_server(("127.0.0.1", port)):
        pass


def test_a_port_taken_by_a_stranger_is_a_failure_that_offers_the_next(context: CheckContext) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        taken.close()
        with socket.create_server(("127.0.0.1", port)) as stranger:
            stranger.settimeout(0.1)
            finding = service.port(serving(context, "127.0.0.1", port))

    assert finding.status == "fail"
    assert finding.found == f"127.0.0.1:{port} is used by another program"
    assert finding.fix == f"take another one: --port {port + 1}; to see who uses it: sudo ss -ltnp sport = :{port}"


def test_a_port_taken_by_vitcam_itself_is_all_right(context: CheckContext) -> None:
    code = (
        "import http.server, json\n"
        "class Page(http.server.BaseHTTPRequestHandler):\n"
        "    def do_GET(self):\n"
        "        self.send_response(200); self.end_headers()\n"
        "        self.wfile.write(json.dumps({'status': 'no_signal', 'model': 'everyday'}).encode())\n"
        "server = http.server.HTTPServer(('127.0.0.1', 0), Page)\n"
        "print(server.server_port, flush=True)\n"
        "server.serve_forever()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        try:
            finding = service.port(serving(context, "127.0.0.1", port))
        finally:
            server.kill()

    assert finding == CheckResult("ok", f"vitcam serves at 127.0.0.1:{port}: no_signal, everyday")


def test_an_address_of_another_machine_cannot_be_bound(context: CheckContext) -> None:
    finding = service.port(serving(context, "192.0.2.1", 8420))

    assert finding.status == "fail"
    assert finding.found.startswith("192.0.2.1:8420 cannot be bound: ")


def test_a_web_part_that_is_off_needs_no_port(context: CheckContext) -> None:
    off = replace(context, settings=Settings(web=WebSettings(enabled=False)))

    assert service.port(off) == CheckResult("ok", "the web server is switched off")


@pytest.fixture
def systemctl(context: CheckContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], CheckResult]:
    """The check's finding where systemctl prints this; the real one is tried in the emulated machine."""

    def systemctl(script: str) -> CheckResult:
        put(context, "run/systemd/system/.keep", "")
        program = tmp_path / "bin" / "systemctl"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
        return service.unit(context)

    return systemctl


@pytest.mark.parametrize(
    ("printed", "status", "found"),
    [
        ("LoadState=not-found", "ok", "vitcam.service is not installed"),
        ("LoadState=masked", "fail", "vitcam.service is masked"),
        (
            "LoadState=loaded\nActiveState=active\nSubState=running\nNRestarts=2\nStatusText=cup 93%, 25.0 fps",
            "ok",
            "active (running), 2 restarts: cup 93%, 25.0 fps",
        ),
        ("LoadState=loaded\nActiveState=inactive\nSubState=dead", "warn", "inactive (dead), 0 restarts"),
        ("LoadState=loaded\nActiveState=failed\nSubState=failed", "fail", "failed (failed), 0 restarts"),
        (
            "LoadState=loaded\nActiveState=activating\nSubState=auto-restart\nNRestarts=40",
            "fail",
            "activating (auto-restart), 40 restarts",
        ),
    ],
)
def test_the_unit_is_judged_by_what_systemd_says_of_it(
    systemctl: Callable[[str], CheckResult], printed: str, status: str, found: str
) -> None:
    finding = systemctl(f"cat <<'END'\n{printed}\nEND")

    assert finding.status == status
    assert finding.found.startswith(found)
    assert bool(finding.fix) == (status != "ok")


def test_a_systemd_that_does_not_answer_is_worth_a_warning(systemctl: Callable[[str], CheckResult]) -> None:
    finding = systemctl("echo 'Failed to connect to bus' >&2; exit 1")

    assert finding == CheckResult(
        "warn", "systemd does not answer: Failed to connect to bus", "systemctl status vitcam.service"
    )


def test_without_systemd_there_is_nothing_to_check(context: CheckContext) -> None:
    assert service.unit(context).status == "ok"
