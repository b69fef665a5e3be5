"""Many cameras, one MQTT broker and one Prometheus: started, watched and ended together. README.md says more.

python -m examples.fleet run       start all that cameras.toml lists, until Ctrl-C
python -m examples.fleet status    every camera of a fleet that runs, from Prometheus
python -m examples.fleet events    every event, and who comes and goes, from the broker, until Ctrl-C
"""

import argparse
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from examples.fleet.cameras import Camera, FleetError, cameras_in
from examples.fleet.children import Children, Command
from examples.fleet.services import Broker, Series, addresses_of, private

_HERE = Path(__file__).resolve().parent
_LOOK_EVERY_S = 1.0
_MOST_TILES = 32  # on the page of a vitcam
_COLUMNS = {
    "frames/s": 'sum by (instance) (rate(vitcam_frames_total{stage="classified"}[1m]))',
    "events": "sum by (instance) (vitcam_events_total)",
    "cores": "rate(vitcam_cpu_seconds_total[1m])",
    "MB": "vitcam_memory_bytes / 1e6",
}
_UP = 'up{job="vitcam"}'
_SEES = "vitcam_ready - 0.5 * vitcam_degraded"
_STATES = {0.0: "no picture", 0.5: "degraded", 1.0: "ok"}


class Fleet:
    """What is wanted, and what runs for it."""

    def __init__(self, folder: Path, cameras: Path, broker_port: int, prometheus_port: int, first_port: int) -> None:
        self._folder, self._file, self._first_port = folder, cameras, first_port
        self._broker = Broker(folder, broker_port)
        self._series = Series(folder, prometheus_port, folder / "tokens")
        self._children = Children()
        self._cameras: tuple[Camera, ...] = ()
        self._said = ""
        self._ports: dict[str, int] = {}

    def run(self, stop: threading.Event) -> None:
        """Until `stop`. Raises FleetError for a file of cameras that is wrong at the start, or a missing program."""
        (self._folder / "tokens").mkdir(exist_ok=True, mode=0o700)
        self._take(cameras_in(self._file))
        services = [self._broker.command(), self._series.command()]
        try:
            while True:
                self._look_again()
                here = [self._daemon(each) for each in self._cameras if not each.address]
                for line in self._children.keep([*services, *here]):
                    print(line, flush=True)
                self._note()
                if stop.wait(_LOOK_EVERY_S):
                    return
        finally:
            self._children.end()
            (self._folder / "fleet.json").unlink(missing_ok=True)

    def _look_again(self) -> None:
        """Take over what the file says now. What is wrong is said once, and the cameras stay as they are."""
        try:
            self._take(cameras_in(self._file))
            trouble = ""
        except FleetError as error:
            trouble = str(error)
        if trouble and trouble != self._said:
            print(trouble, file=sys.stderr, flush=True)
        self._said = trouble

    def _take(self, cameras: tuple[Camera, ...]) -> None:
        for each in cameras:
            if not each.address and each.name not in self._ports:
                self._ports[each.name] = self._port_of(each.name)
        addresses = addresses_of(cameras, self._ports)
        if self._series.configure(addresses):
            self._children.hang_up("prometheus")
        for each in cameras:
            if not each.address and self._show_to(each, addresses):
                self._children.hang_up(f"camera {each.name}")
        self._cameras = cameras

    def _show_to(self, camera: Camera, addresses: Mapping[Camera, str]) -> bool:
        """Write down which other cameras its page shows; False where it knows already."""
        others = [(each.name, at) for each, at in addresses.items() if each != camera][:_MOST_TILES]
        text = "[peers]\n" + "".join(f'{name} = "{at}"\n' for name, at in others)
        file = self._folder / "cameras" / camera.name / "peers.toml"
        if file.exists() and file.read_text("utf-8") == text:
            return False
        private(file, text)
        return True

    def _port_of(self, name: str) -> int:
        """The same as last time, so that bookmarks stay."""
        kept = self._folder / "cameras" / name / "port"
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if kept.exists() and kept.read_text().strip().isdigit():
            return int(kept.read_text())
        taken = {int(each.read_text()) for each in self._folder.glob("cameras/*/port")}
        port = next(each for each in range(self._first_port, 65536) if each not in taken and _is_free(each))
        private(kept, f"{port}\n")
        return port

    def _daemon(self, camera: Camera) -> Command:
        state = self._folder / "cameras" / camera.name
        source, *options = camera.options
        words = (sys.executable, "-m", "vitcam", "run", "--config", str(state / "peers.toml"), "--source", source)
        own = {"STATE_DIRECTORY": str(state), **self._broker.of_camera(camera.name)}
        return Command(
            f"camera {camera.name}",
            (*words, "--wait", *options, "--port", str(self._ports[camera.name]), "--log", "json", "--emit", "changes"),
            state / "log",
            own,
        )

    def _note(self) -> None:
        """Write down what runs where, for `status` and others."""
        addresses = addresses_of(self._cameras, self._ports)
        own = {each.name: self._children.pid(f"camera {each.name}") for each in self._cameras if not each.address}
        record = {
            "cameras": {each.name: {"address": at, "pid": own.get(each.name)} for each, at in addresses.items()},
            "prometheus": self._series.url,
        }
        text = json.dumps(record, indent=1)
        file = self._folder / "fleet.json"
        if not file.exists() or file.read_text("utf-8") != text:
            private(file, text)


def run(fleet: Fleet) -> None:
    """Until a signal."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    fleet.run(stop)


def status(folder: Path) -> None:
    """Print a row for each camera."""
    record = _record(folder)
    url = record["prometheus"]
    columns = {title: _values(url, expression) for title, expression in _COLUMNS.items()}
    up, sees = _values(url, _UP), _values(url, _SEES)
    print(f"{'camera':16} {'state':11}" + "".join(f"{title:>10}" for title in columns) + "  address")
    for name, camera in record["cameras"].items():
        state = _STATES.get(sees.get(name, -1.0), "starting") if up.get(name) else "away"
        figures = "".join(f"{values[name]:10.2f}" if name in values else f"{'':10}" for values in columns.values())
        print(f"{name:16} {state:11}{figures}  {camera['address']}")
    print(f"\ncurves and alerts: {url}/alerts")


def events(broker: Broker, folder: Path) -> int:
    """Print what the broker gets, until Ctrl-C."""
    _record(folder)
    follower = {**os.environ, **broker.of_follower()}
    try:
        return subprocess.run(broker.follow("vitcam/+/event", "vitcam/+/status"), env=follower, check=False).returncode
    except KeyboardInterrupt:
        return 0


def _record(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / "fleet.json").read_text("utf-8"))
    except OSError as error:
        raise FleetError(
            f"no fleet runs with the folder {folder}; start one with: python -m examples.fleet run"
        ) from error
    return found


def _values(prometheus: str, expression: str) -> dict[str, float]:
    """By camera. Raises FleetError where Prometheus does not answer."""
    asked = urllib.parse.urlencode({"query": expression})
    try:
        with urllib.request.urlopen(f"{prometheus}/api/v1/query?{asked}", timeout=10) as answer:  # noqa: S310 - our own Prometheus
            series = json.load(answer)["data"]["result"]
    except OSError as error:
        raise FleetError(f"Prometheus at {prometheus} does not answer: {error}; look into its log") from error
    return {each["metric"]["instance"]: float(each["value"][1]) for each in series}


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Only one fleet uses a folder. Raises FleetError for the second one."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FleetError(f"another fleet uses {folder}; give this one another --folder") from error
        yield


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Exit status: 0; 1 with one sentence for what is wrong."""
    kept = environ.get("XDG_STATE_HOME") or str(Path.home() / ".local/state")
    parser = argparse.ArgumentParser(prog="python -m examples.fleet", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("verb", choices=("run", "status", "events"))
    parser.add_argument("--cameras", type=Path, default=_HERE / "cameras.toml", help="the list of cameras")
    parser.add_argument("--folder", type=Path, default=Path(kept) / "vitcam-fleet", help="where all of it is kept")
    parser.add_argument("--broker-port", type=int, default=1883)
    parser.add_argument("--prometheus-port", type=int, default=9090)
    parser.add_argument("--first-port", type=int, default=8501, help="of the cameras' pages")
    o = parser.parse_args(arguments)
    folder = o.folder.resolve()
    try:
        if o.verb == "status":
            status(folder)
        elif o.verb == "events":
            return events(Broker(folder, o.broker_port), folder)
        else:
            with alone(folder):
                run(Fleet(folder, o.cameras, o.broker_port, o.prometheus_port, o.first_port))
    except FleetError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
