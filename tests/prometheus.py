"""Debian's Prometheus as a child process, and what it answers."""

import json
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.daemon import free_port, get_json
from tests.needs import need_program


class Prometheus:
    """A running one. What it is asked raises OSError while it does not answer yet."""

    def __init__(self, url: str) -> None:
        self.url = url

    def targets(self) -> dict[str, str]:
        """`instance` of each camera, and whether it answers: `up`, `down` or `unknown`."""
        found = get_json(f"{self.url}/api/v1/targets")["data"]["activeTargets"]
        return {each["labels"]["instance"]: each["health"] for each in found}

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The series that an expression gives now. Raises urllib.error.HTTPError for one that is wrong."""
        asked = urllib.parse.urlencode({"query": expression})
        series: list[dict[str, Any]] = get_json(f"{self.url}/api/v1/query?{asked}")["data"]["result"]
        return series

    def data(self, path: str) -> Any:
        """What it says below `/api/v1/`."""
        return get_json(f"{self.url}/api/v1/{path}")["data"]


def answers(prometheus: Prometheus) -> bool:
    """Whether it is there and ready."""
    try:
        with urllib.request.urlopen(f"{prometheus.url}/-/ready", timeout=10) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@contextmanager
def prometheus(config: Path, data: Path) -> Iterator[Prometheus]:
    """Start one with this configuration, on a port of its own; it is killed at the end.

    data  folder that it keeps its figures in
    """
    port = free_port()
    command = [need_program("prometheus"), f"--config.file={config}", f"--storage.tsdb.path={data}"]
    with (data.parent / f"{data.name}.log").open("wb") as log:
        child = subprocess.Popen(
            [*command, f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log, cwd=config.parent
        )
        try:
            yield Prometheus(f"http://127.0.0.1:{port}")
        finally:
            child.kill()
            child.wait(30)


def dashboard_expressions(dashboard: Path) -> list[str]:
    """Every expression of a dashboard of Grafana, with its variables filled in for a scrape of a second."""
    panels = json.loads(dashboard.read_text("utf-8"))["panels"]
    found = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    filled = {"$instance": ".*", "$__rate_interval": "10s", "$__range": "5m"}
    for variable, value in filled.items():
        found = [each.replace(variable, value) for each in found]
    return found
