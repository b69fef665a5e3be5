"""An alert of the page that tells a real broker: a trial, events, and what waits while the broker is away."""

from pathlib import Path
from typing import Any

import pytest

from tests.command import vitcam
from tests.daemon import Daemon, answer_to, daemon, get_json
from tests.eventually import eventually
from tests.mosquitto import Mosquitto, Subscriber, settings_of

pytestmark = pytest.mark.slow("vitcam/parts/mqtt", "vitcam/parts/alerts", "tests/mosquitto.py")
ALERTS, EVENTS = "vitcam/cam/alert", "vitcam/cam/event"


def only_alert(running: Daemon) -> dict[str, Any]:
    found: dict[str, Any] = get_json(f"{running.url}/api/alerts")["alerts"][0]
    return found


def last(running: Daemon, status: str, *, trial: bool) -> list[dict[str, Any]]:
    """What came of the alert."""
    found = only_alert(running)["last"]
    return [each for each in found if each["status"] == status and bool(each["trial"]) is trial]


def test_an_alert_reaches_the_broker_also_once_it_is_back(tmp_path: Path) -> None:
    with Mosquitto(tmp_path / "broker") as broker, Subscriber(broker, ALERTS, EVENTS) as subscriber:
        environment = {**settings_of(broker), "STATE_DIRECTORY": str(tmp_path / "state")}
        with daemon("--source", "demo", "--loop", **environment) as running:
            running.wait_for("ok")
            assert "mqtt" in get_json(f"{running.url}/api/alerts")["ways"]
            assert eventually(lambda: running.state()["mqtt"]["connected"])
            assert answer_to(f"{running.url}/api/alerts", {"mqtt": True})[0] == 200

            # tried: marked, and said to be delivered once the broker has confirmed it
            assert answer_to(f"{running.url}/api/alerts/{only_alert(running)['id']}/try", {})[0] == 200
            assert eventually(lambda: last(running, "ok", trial=True))
            assert [each["test"] for each in subscriber.records(ALERTS) if "test" in each] == [True]

            # of an event: the same id as on the topic of events
            assert eventually(lambda: last(running, "ok", trial=False))
            told = next(each for each in subscriber.records(ALERTS) if "test" not in each)
            assert told["rule"] == "page-anything"
            assert told["id"] in {each["id"] for each in subscriber.records(EVENTS)}

            # away: a trial fails with the reason, an event waits; back: it comes
            broker.kill()
            assert eventually(lambda: running.state()["mqtt"]["trouble"])
            assert eventually(
                lambda: answer_to(f"{running.url}/api/alerts/{only_alert(running)['id']}/try", {})[0] == 200
            )
            assert eventually(lambda: last(running, "failed", trial=True))
            assert "the MQTT broker 127.0.0.1" in last(running, "failed", trial=True)[0]["detail"]
            assert eventually(lambda: last(running, "waiting", trial=False))
            waiting = last(running, "waiting", trial=False)[0]["event"]
            broker.start()
            assert eventually(lambda: waiting in {each["id"] for each in subscriber.records(ALERTS)})

        # and by hand
        config = tmp_path / "config.toml"
        there = f'[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\nname = "cam"\n'
        config.write_text(f'{there}[[on]]\nname = "hall"\nmqtt = true\n')
        done = vitcam("actions", "test", "--config", str(config))
        assert done.out.splitlines() == [f"hall mqtt ok: the broker has it, on {ALERTS}"]
        assert eventually(lambda: "hall" in {each["rule"] for each in subscriber.records(ALERTS)})


def test_without_a_broker_it_is_not_offered_and_a_rule_says_what_is_missing(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[[on]]\nname = "hall"\nmqtt = true\n')
    with daemon(
        "--source", "demo", "--loop", "--config", str(config), STATE_DIRECTORY=str(tmp_path / "state")
    ) as running:
        running.wait_for("ok")
        assert "mqtt" not in get_json(f"{running.url}/api/alerts")["ways"]
        code, answer = answer_to(f"{running.url}/api/alerts", {"mqtt": True})[:2]
        assert (code, "mqtt.host" in str(answer)) == (400, True)
        assert "the rule hall has mqtt = true" in running.errors()
    done = vitcam("actions", "test", "--config", str(config))
    assert (done.code, "mqtt.host" in done.out) == (1, True)
