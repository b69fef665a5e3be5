"""The two programs around the cameras: their configurations, and where they are asked."""

import getpass
import json
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from examples.fleet.cameras import Camera, FleetError
from examples.fleet.children import Command

_ALERTS = Path(__file__).resolve().parents[1] / "grafana/alerts.yml"
_USER = "fleet"
_SCRAPE = "5s"
_KEPT = "90d"


def program(name: str, package: str) -> str:
    """Its path. Raises FleetError where it is not installed."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if not found:
        raise FleetError(f"{name} is not installed; install it with: sudo apt install {package}")
    return found


class Broker:
    """Mosquitto, with one user whose password only this user's programs know."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder = folder / "broker"
        self._port = port
        self._password = self._folder / "password"

    def command(self) -> Command:
        """Write its configuration. Raises FleetError where it is not installed."""
        mosquitto, hashing = program("mosquitto", "mosquitto"), program("mosquitto_passwd", "mosquitto")
        self._folder.mkdir(exist_ok=True, mode=0o700)
        if not self._password.exists():
            private(self._password, secrets.token_urlsafe(24))
        hashed = self._folder / "users"
        private(hashed, f"{_USER}:{self._password.read_text()}\n")
        subprocess.run([hashing, "-U", str(hashed)], check=True, capture_output=True, timeout=60)
        private(
            self._folder / "mosquitto_sub",
            f"-h 127.0.0.1\n-p {self._port}\n-u {_USER}\n-P {self._password.read_text()}\n",
        )
        lines = (
            f"listener {self._port} 127.0.0.1",
            "allow_anonymous false",
            f"password_file {hashed}",
            f"user {getpass.getuser()}",
            "persistence true",
            f"persistence_location {self._folder}/",
        )
        private(self._folder / "mosquitto.conf", "\n".join(lines) + "\n")
        words = (mosquitto, "-c", str(self._folder / "mosquitto.conf"))
        return Command("broker", words, self._folder / "log")

    def of_camera(self, name: str) -> dict[str, str]:
        """The settings by which a camera finds it, as variables: so its password stands in no list of processes."""
        settings = {"HOST": "127.0.0.1", "PORT": str(self._port), "USER": _USER, "NAME": name}
        settings["PASSWORD"] = self._password.read_text()
        return {f"VITCAM_MQTT_{key}": value for key, value in settings.items()}

    def follow(self, *topics: str) -> list[str]:
        """Print every message of these topics until Ctrl-C: the words of a command. See `of_follower`, too."""
        said = [word for topic in topics for word in ("-t", topic)]
        return [program("mosquitto_sub", "mosquitto-clients"), "-F", "%I %t %p", *said]

    def of_follower(self) -> dict[str, str]:
        """mosquitto_sub(1) reads user and password from a file of its name in this folder."""
        return {"XDG_CONFIG_HOME": str(self._folder)}


class Series:
    """Prometheus, which asks each camera with a token of its own."""

    def __init__(self, folder: Path, port: int, tokens: Path) -> None:
        self._folder = folder / "prometheus"
        self._tokens = tokens
        self._config = self._folder / "prometheus.yml"
        self._port = port
        self.url = f"http://127.0.0.1:{port}"

    def command(self) -> Command:
        """How it is started. Raises FleetError where it is not installed."""
        words = (
            program("prometheus", "prometheus"),
            f"--config.file={self._config}",
            f"--storage.tsdb.path={self._folder / 'data'}",
            f"--storage.tsdb.retention.time={_KEPT}",
            f"--web.listen-address=127.0.0.1:{self._port}",
        )
        return Command("prometheus", words, self._folder / "log")

    def configure(self, addresses: dict[Camera, str]) -> bool:
        """Write which cameras it asks, and where; False where it knows already. JSON is YAML, too.

        raises  FleetError for a camera elsewhere whose token is missing
        """
        self._folder.mkdir(exist_ok=True, mode=0o700)
        text = json.dumps(
            {
                "global": {"scrape_interval": _SCRAPE, "evaluation_interval": _SCRAPE},
                "rule_files": [str(_ALERTS)],
                "scrape_configs": [self._job(camera, address) for camera, address in addresses.items()],
            },
            indent=1,
        )
        if self._config.exists() and self._config.read_text("utf-8") == text:
            return False
        private(self._config, text)
        return True

    def _job(self, camera: Camera, address: str) -> dict[str, object]:
        parts = urlsplit(address)
        labels = {"job": "vitcam", "instance": camera.name}
        job: dict[str, object] = {
            "job_name": camera.name,
            "scheme": parts.scheme,
            "metrics_path": f"{parts.path.rstrip('/')}/metrics",
            "static_configs": [{"targets": [parts.netloc], "labels": labels}],
        }
        if camera.address:
            job["authorization"] = {"credentials_file": str(self._token_of(camera.name))}
        return job

    def _token_of(self, name: str) -> Path:
        file = self._tokens / name
        if not file.exists():
            raise FleetError(
                f"{name} has no token; run `vitcam token create prometheus` there, and put what it prints into {file}"
            )
        if file.stat().st_mode & 0o077:
            raise FleetError(f"others can read the token {file}; run: chmod 600 {file}")
        return file


def private(file: Path, text: str) -> None:
    """Write a file that only this user can read, as a whole."""
    fresh = file.with_name(f"{file.name}.fresh")
    with open(fresh, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as opened:
        opened.write(text)
    fresh.replace(file)


def addresses_of(cameras: Iterable[Camera], ports: dict[str, int]) -> dict[Camera, str]:
    """Where each one is."""
    return {each: each.address or f"http://127.0.0.1:{ports[each.name]}" for each in cameras}
