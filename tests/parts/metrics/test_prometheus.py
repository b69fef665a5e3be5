"""Debian's own Prometheus takes the examples, scrapes a daemon with a token, and answers what the dashboard asks."""

import math
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.command import vitcam
from tests.daemon import Daemon, daemon, free_port, status_of
from tests.eventually import eventually
from tests.fake_machine import FakeMachine
from tests.needs import need_program
from tests.prometheus import Prometheus, answers, dashboard_expressions, prometheus
from tests.secured import PASSWORD, Answer, ask, bearer

EXAMPLES = Path(__file__).parents[3] / "examples/grafana"

pytestmark = pytest.mark.slow("vitcam/parts/metrics", "vitcam/meters.py", "examples/grafana")


@dataclass
class Watched:
    """A daemon, and a Prometheus that watches it."""

    daemon: Daemon
    token: str
    prometheus: Prometheus


def promtool(*arguments: str, stdin: str = "") -> str:
    """What it says. Raises AssertionError where it objects."""
    done = subprocess.run(
        [need_program("promtool"), *arguments], input=stdin, capture_output=True, text=True, timeout=60, cwd=EXAMPLES
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("watched")
    machine = FakeMachine(folder / "pi")
    machine.throttled("50005")
    state = str(folder / "state")
    token = vitcam("token", "create", "prometheus", XDG_STATE_HOME=state).out.strip()
    own = {"XDG_STATE_HOME": state, "VITCAM_WEB_PASSWORD": PASSWORD, "PYTHONPATH": machine.python_path}
    no_broker = ("--set", "mqtt.host=127.0.0.1", "--set", f"mqtt.port={free_port()}")
    with daemon("--source", "demo", "--host", "0.0.0.0", *no_broker, **own) as running:
        assert eventually(lambda: is_ready(running), every_s=0.2), running.errors()
        config = examples_for(running, token, folder / "prometheus")
        with prometheus(config, folder / "series") as prom:
            assert eventually(lambda: answers(prom), every_s=0.2)
            yield Watched(running, token, prom)


def is_ready(running: Daemon) -> bool:
    """Whether it classifies frames; nobody needs a token to ask that."""
    try:
        return status_of(f"{running.url}/readyz") == 200
    except OSError:
        return False


def examples_for(running: Daemon, token: str, folder: Path) -> Path:
    """A copy of the examples that scrapes this daemon, every second."""
    folder.mkdir()
    shutil.copy(EXAMPLES / "alerts.yml", folder)
    (folder / "token").write_text(token + "\n")
    config = folder / "prometheus.yml"
    text = (EXAMPLES / "prometheus.yml").read_text("utf-8")
    assert text.count("localhost:8420") == 1
    assert text.count("15s") == 2
    config.write_text(text.replace("localhost:8420", urlsplit(running.url).netloc).replace("15s", "1s"))
    return config


def test_promtool_takes_the_configuration_and_every_alert_fires_in_its_situation_and_in_no_other(
    watched: Watched, tmp_path: Path
) -> None:
    promtool("check", "config", str(examples_for(watched.daemon, watched.token, tmp_path / "copy")))
    promtool("check", "rules", "alerts.yml")

    assert "SUCCESS" in promtool("test", "rules", "alerts_test.yml")


def test_promtool_finds_nothing_to_say_of_the_figures_of_a_daemon(watched: Watched) -> None:
    assert eventually(lambda: b"vitcam_events_total{" in figures(watched).body, every_s=0.5)

    assert promtool("check", "metrics", stdin=figures(watched).body.decode()) == ""


def test_without_its_token_nobody_gets_figures(watched: Watched) -> None:
    assert ask(watched.daemon.url, "/metrics").status == 401


def test_prometheus_scrapes_a_daemon_with_its_token_and_answers_each_question_of_the_dashboard(
    watched: Watched,
) -> None:
    prom, expressions = watched.prometheus, dashboard_expressions(EXAMPLES / "dashboard.json")
    assert eventually(lambda: prom.targets() == {"vitcam": "up"}, every_s=0.5), prom.targets()

    unanswered = eventually(lambda: not without_answer(prom, expressions), within_s=120, every_s=1)

    assert unanswered, without_answer(prom, expressions)
    assert prom.data("label/instance/values?match[]=vitcam_up_seconds") == ["vitcam"]  # the dashboard's list of cameras


def test_prometheus_evaluates_every_rule_and_tells_of_the_weak_supply_that_this_machine_has(watched: Watched) -> None:
    prom = watched.prometheus
    fires = eventually(lambda: "VitcamWeakSupply" in firing(prom), every_s=0.5)
    (group,) = prom.data("rules")["groups"]

    assert fires
    assert {rule["health"] for rule in group["rules"]} == {"ok"}
    assert not firing(prom) - {"VitcamWeakSupply"}


def figures(watched: Watched) -> Answer:
    """What /metrics says."""
    return ask(watched.daemon.url, "/metrics", headers=bearer(watched.token))


def without_answer(prom: Prometheus, expressions: list[str]) -> list[str]:
    """Those that give no series, or one that is no number."""
    return [each for each in expressions if not prom.query(each) or not all(map(is_number, prom.query(each)))]


def is_number(series: dict[str, Any]) -> bool:
    """Whether its newest value is one."""
    return math.isfinite(float(series["value"][1]))


def firing(prom: Prometheus) -> set[str]:
    """The names of alerts that fire now."""
    return {each["labels"]["alertname"] for each in prom.data("alerts")["alerts"] if each["state"] == "firing"}
