"""The fleet of the examples with the real programs: three cameras, their broker and their Prometheus."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.command import vitcam
from tests.daemon import daemon, free_port, get_json
from tests.eventually import eventually
from tests.needs import need_program
from tests.prometheus import Prometheus

ROOT = Path(__file__).parents[3]
DEMO = '["demo", "--fps", "2"]'
TWO = f"[here]\ndoor = {DEMO}\ngarden = {DEMO}\n"

pytestmark = pytest.mark.slow("examples/fleet", "vitcam/parts/metrics", "vitcam/parts/mqtt")


@dataclass
class Fleet:
    """One that runs, or ran."""

    folder: Path
    ports: tuple[str, ...]
    process: "subprocess.Popen[bytes]"
    output: Path

    def save(self, text: str) -> None:
        """Save another list of cameras, as a whole."""
        fresh = self.folder / "cameras.fresh"
        fresh.write_text(text)
        fresh.replace(self.folder / "cameras.toml")

    def record(self) -> dict[str, Any]:
        """What it notes down: empty before that."""
        file = self.folder / "kept/fleet.json"
        found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
        return found

    def pid(self, name: str) -> int:
        return int(self.record()["cameras"][name]["pid"])

    def up(self) -> dict[str, str]:
        """What Prometheus says of each camera; empty while it does not answer."""
        try:
            return Prometheus(self.record()["prometheus"]).targets()
        except (OSError, KeyError):
            return {}

    def all_up(self, *names: str) -> bool:
        return self.up() == dict.fromkeys(names, "up")

    def shown_by(self, name: str) -> set[str]:
        """Which other cameras its page shows, of those that it reaches."""
        found = get_json(f"{self.record()['cameras'][name]['address']}/api/peers")["peers"]
        return {each["name"] for each in found if each["status"] in ("ok", "degraded")}

    def status(self) -> dict[str, list[str]]:
        """The rows of `status`, by camera."""
        done = subprocess.run(fleet_command(self, "status"), cwd=ROOT, capture_output=True, text=True, timeout=60)
        rows = [line.split() for line in done.stdout.partition("\n\n")[0].splitlines()[1:]]
        return {row[0]: row[1:] for row in rows}


def fleet_command(fleet: Fleet, verb: str) -> list[str]:
    return [sys.executable, "-m", "examples.fleet", verb, "--folder", str(fleet.folder / "kept"), *fleet.ports]


@contextmanager
def running(folder: Path, cameras: str) -> Iterator[Fleet]:
    """Start one; it is killed at the end if it still runs, and takes its children along."""
    for names in (("mosquitto", "/usr/sbin/mosquitto"), ("mosquitto_sub",), ("prometheus",)):
        need_program(*names)
    ports = [word for name in ("broker-port", "prometheus-port") for word in (f"--{name}", str(free_port()))]
    ports += ["--first-port", str(free_port())]
    fleet = Fleet(folder, tuple(ports), None, folder / "said")  # type: ignore[arg-type]
    fleet.save(cameras)
    command = [*fleet_command(fleet, "run"), "--cameras", str(folder / "cameras.toml")]
    own = {**os.environ, "XDG_CONFIG_HOME": "/nonexistent"}
    with fleet.output.open("wb") as said:
        fleet.process = subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=said, env=own)
        try:
            yield fleet
        finally:
            fleet.process.kill()
            fleet.process.wait(30)


@contextmanager
def followed(fleet: Fleet, out: Path) -> Iterator[None]:
    """What `events` prints meanwhile is written to `out`."""
    with out.open("wb") as file:
        child = subprocess.Popen(fleet_command(fleet, "events"), cwd=ROOT, stdout=file)
        try:
            yield
        finally:
            child.send_signal(signal.SIGINT)
            child.wait(30)


def test_three_cameras_are_started_watched_and_ended_together(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    with running(tmp_path, TWO) as fleet:
        assert eventually(lambda: fleet.all_up("door", "garden"), 120, 0.5), fleet.output.read_text()

        with followed(fleet, heard):
            fleet.save(f"{TWO}street = {DEMO}\n")
            three = eventually(lambda: fleet.all_up("door", "garden", "street"), 120, 0.5)
            events = eventually(lambda: {"door", "garden", "street"} <= with_event(heard), 120, 0.5)
            fleet.save("[here]\ndoor = 3\n")
            refused = eventually(lambda: "door must be a source" in fleet.output.read_text())
            killed = fleet.pid("garden")
            os.kill(killed, signal.SIGKILL)
            gone = eventually(lambda: "vitcam/garden/status offline" in heard.read_text(), 120, 0.5)
            again = eventually(lambda: last_status(heard, "garden") == "online", 120, 0.5)
        well = eventually(lambda: all(map(is_well, fleet.status().values())), 120, 0.5)
        wall = eventually(lambda: fleet.shown_by("door") == {"garden", "street"}, 120, 0.5)
        rows, pids = fleet.status(), [fleet.pid(name) for name in ("door", "garden", "street")]
        fleet.process.terminate()
        code = fleet.process.wait(60)

    assert three, fleet.output.read_text()
    assert events
    assert refused
    assert gone
    assert again
    assert killed not in pids
    assert wall
    assert well, rows
    assert set(rows) == {"door", "garden", "street"}
    assert len({row[-1] for row in rows.values()}) == 3
    assert code == 0
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_a_fleet_that_is_killed_leaves_nothing_running_and_begins_again_where_it_was(tmp_path: Path) -> None:
    need_program("setpriv")
    with running(tmp_path, TWO) as first:
        assert eventually(lambda: first.all_up("door", "garden"), 120, 0.5), first.output.read_text()
        before = first.record()["cameras"]["garden"]
        first.process.kill()
        ended = eventually(lambda: not Path(f"/proc/{before['pid']}").exists())
    with running(tmp_path, '[here]\ngarden = "demo"\n') as second:
        back = eventually(lambda: second.all_up("garden"), 120, 0.5)
        after = second.record()["cameras"]["garden"]

    assert ended
    assert back, second.output.read_text()
    assert after["address"] == before["address"]
    assert after["pid"] != before["pid"]


def test_a_camera_elsewhere_is_asked_with_its_token(tmp_path: Path) -> None:
    own = {"XDG_STATE_HOME": str(tmp_path / "elsewhere"), "VITCAM_WEB_PASSWORD": "correct horse 7"}
    token = vitcam("token", "create", "prometheus", XDG_STATE_HOME=own["XDG_STATE_HOME"]).out
    with daemon("--source", "demo", "--host", "0.0.0.0", **own) as shed:
        lines = f'[elsewhere]\nshed = "{shed.url}"\n'
        with running(tmp_path, lines) as without:
            code, asked = without.process.wait(60), without.output.read_text()
        kept = tmp_path / "kept/tokens/shed"
        kept.write_text(token)
        kept.chmod(0o644)
        with running(tmp_path, lines) as readable:
            readable.process.wait(60)
            warned = readable.output.read_text()
        kept.chmod(0o600)
        with running(tmp_path, lines) as fleet:
            up = eventually(lambda: fleet.all_up("shed"), 120, 0.5)

    assert code == 1
    assert "vitcam token create" in asked
    assert "chmod 600" in warned
    assert up, fleet.output.read_text()


def is_well(row: list[str]) -> bool:
    """Whether a row of `status` says of each figure what it has to be."""
    if row[0] != "ok" or len(row) != 6:
        return False
    fps, count, cores, mb = map(float, row[1:5])
    return 0 < fps < 3 and count > 0 and cores > 0 and mb > 50 and row[5].startswith("http://127.0.0.1:")


def with_event(heard: Path) -> set[str]:
    """Cameras of which the broker got an event."""
    topics = [line.split()[1].split("/") for line in heard.read_text().splitlines()]
    return {name for _, name, what in topics if what == "event"}


def last_status(heard: Path, name: str) -> str:
    lines = [line for line in heard.read_text().splitlines() if f" vitcam/{name}/status " in line]
    return lines[-1].split()[-1] if lines else ""
