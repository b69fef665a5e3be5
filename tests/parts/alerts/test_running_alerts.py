"""Alerts are in force at once, beside the rules of the configuration, and what can never be is refused."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.eventually import eventually
from tests.parts.alerts.doing import event
from tests.parts.alerts.receiver import receiver
from vitcam.config.settings import Settings
from vitcam.errors import UsageError
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.names.active import ActiveNames
from vitcam.names.vocabulary import Vocabulary
from vitcam.parts.alerts import push, running_alerts
from vitcam.parts.alerts.rule_engine import RuleEngine
from vitcam.parts.alerts.running_alerts import RunningAlerts
from vitcam.parts.alerts.saved_alerts import MOST_ALERTS, SavedAlerts
from vitcam.parts.alerts.settings import ActionSettings, OnSettings
from vitcam.parts.alerts.stored_events import StoredEvents
from vitcam.parts.alerts.task import Outcome
from vitcam.pictures.view import Region
from vitcam.run.awaited import Awaited
from vitcam.run.objects import Objects
from vitcam.storage.outbox import Outbox
from vitcam.web.open_pages import OpenPages

FILE = OnSettings("lamp", gpio=17, place="line 3 of /etc/vitcam/config.toml")


class Stored(StoredEvents):
    """A history that keeps outcomes, and nothing else."""

    def __init__(self) -> None:
        super().__init__(None)
        self.noted: list[Outcome] = []

    def note(self, outcome: Outcome) -> None:
        self.noted.append(outcome)


class Running:
    """A rule engine with its alerts."""

    def __init__(self, folder: Path) -> None:
        self.labels = ["tabby", "cup"]
        seen = Vocabulary(ActiveNames(), lambda: (self.labels, {}))
        self.stored = Stored()
        self.outbox = Outbox(folder)
        self.engine = RuleEngine(
            Settings(rules={"on": (FILE,)}),
            seen,
            lambda: False,
            self.outbox,
            {"STATE_DIRECTORY": str(folder)},
            self.stored,
            OpenPages(),
            Objects(),
        )
        self.areas = ActiveAreas(Areas((Zone("door", Region(0, 0, 1, 1)),)))
        self.saved = SavedAlerts(folder)
        self.alerts = RunningAlerts(self.engine, self.saved, self.areas)

    def last(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.alerts.record()["alerts"][0]["last"]
        return found

    def close(self) -> None:
        self.engine.runner.close()
        self.outbox.close()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    found = Running(tmp_path)
    yield found
    found.close()


def test_an_alert_acts_from_the_next_event_on_beside_the_rules_of_the_file(running: Running) -> None:
    with receiver() as there:
        made = running.alerts.make({"label": "tabby", "webhook": there.url})
        running.engine.runner.event(event())
        there.wait_for_count(1)
        assert eventually(lambda: [each["status"] for each in running.last()] == ["ok"])

    assert (made["remembered"], made["reason"]) == (True, "")
    assert [rule.name for rule in running.engine.runner.rules] == ["lamp", "page-tabby"]
    assert running.last()[0]["event"] == "01A"
    assert running.last()[0]["trial"] is None


def test_a_reload_of_the_configuration_leaves_the_alerts(running: Running) -> None:
    running.alerts.make({"sound": True})
    running.engine.apply(Settings(rules={"on": (replace(FILE, name="other"),)}))

    assert [rule.name for rule in running.engine.runner.rules] == ["other", "page-anything"]
    assert [rule["place"] for rule in running.alerts.record()["rules"]] == [FILE.place]


def test_other_rules_their_webhooks_and_the_secret_are_used_from_the_next_event_on(running: Running) -> None:
    with receiver() as there:
        rules = (OnSettings("hook", webhook=there.url), replace(FILE, name="other"))
        running.engine.apply(Settings(rules={"on": rules}).with_section("actions", ActionSettings("key")))
        running.engine.heard(None, (event(),))
        there.wait_for_count(1)

    assert running.engine.runner.rules == rules
    assert there.headers[0]["X-Vitcam-Signature"]


def test_a_trial_is_done_at_once_and_once_and_belongs_to_no_event(running: Running) -> None:
    with receiver(lambda _: 500) as there:
        made = running.alerts.make({"label": "tabby", "webhook": there.url, "sound": True, "enabled": False})
        trial = running.alerts.try_now(made["alert"]["id"])
        assert eventually(lambda: len(running.last()) == 2)

    by_kind = {each["kind"]: each for each in running.last()}
    assert {each["trial"] for each in running.last()} == {trial}
    assert (by_kind["webhook"]["status"], "500" in by_kind["webhook"]["detail"]) == ("failed", True)
    assert (by_kind["sound"]["status"], "no window" in by_kind["sound"]["detail"]) == ("failed", True)
    assert running.stored.noted == []
    assert running.engine.runner.state().failed == 0
    assert len(there.bodies) == 1


def test_a_trial_does_not_wait_behind_an_address_that_failed(running: Running) -> None:
    with receiver(lambda number: 500 if number == 0 else 200) as there:
        made = running.alerts.make({"label": "tabby", "webhook": there.url})
        running.engine.runner.event(event())
        there.wait_for_count(1)
        running.alerts.try_now(made["alert"]["id"])

        assert eventually(lambda: any(each["trial"] and each["status"] == "ok" for each in running.last()))


def test_what_can_never_be_is_refused_and_changes_nothing(running: Running) -> None:
    for body, told in (
        ({"label": "taby", "sound": True}, "'tabby'"),
        ({"zone": "window", "sound": True}, "there are door"),
        ({"not_labels": ["Mimi"], "sound": True}, "knows no 'Mimi'"),
        ({"command": ["x"]}, "'command'"),
    ):
        with pytest.raises(UsageError, match=told):
            running.alerts.make(body)

    assert running.alerts.record()["alerts"] == []
    assert running.saved.load() == ()


def test_labels_and_zones_that_are_gone_are_named_and_the_alert_can_be_switched_off(running: Running) -> None:
    made = running.alerts.make({"label": "tabby", "zone": "door", "sound": True})["alert"]
    running.labels = ["dog", "cup"]
    running.areas.replace(Areas())
    trouble = running.alerts.record()["alerts"][0]["trouble"]

    assert ["'tabby'" in trouble[0], "'door'" in trouble[1]] == [True, True]
    changed = running.alerts.change(made["id"], {"enabled": False})
    assert changed is not None
    assert [rule.name for rule in running.engine.runner.rules] == ["lamp"]


def test_changes_and_deletions_are_kept_for_the_next_run(running: Running, tmp_path: Path) -> None:
    first = running.alerts.make({"label": "cup", "sound": True})["alert"]
    second = running.alerts.make({"sound": True})["alert"]
    changed = running.alerts.change(first["id"], {"for_s": 7})
    assert changed is not None
    assert running.alerts.delete(second["id"]) == ""

    again = Running(tmp_path)
    again.close()
    assert [rule.for_s for rule in again.engine.runner.rules] == [0, 7]
    assert again.alerts.record()["alerts"][0]["id"] == first["id"]
    assert again.engine.watched() == (
        Awaited("", "", "the rule lamp is for"),
        Awaited("cup", "", "the alert page-cup is for"),
    )


def test_a_phone_that_is_there_gets_the_topic_of_the_next_alert_too(running: Running) -> None:
    proposed = running.alerts.topic({})
    assert proposed != running.alerts.topic({})
    assert proposed.startswith("https://ntfy.sh/vitcam-")

    first = running.alerts.make({"ntfy": "https://ntfy.sh/first"})["alert"]
    running.alerts.make({"ntfy": "http://192.168.1.5/second"})
    running.alerts.make({"sound": True})
    assert running.alerts.topic({}) == "http://192.168.1.5/second"
    assert running.alerts.topic({"alert": first["id"]}) == "https://ntfy.sh/first"
    assert running.alerts.topic({"address": "https://ntfy.sh/third"}) == "https://ntfy.sh/third"
    refused: list[Any] = [[], {"address": 1}, {"address": "https://ntfy.sh"}]
    for body in refused:
        with pytest.raises(UsageError, match=r"https://ntfy\.sh/"):
            running.alerts.topic(body)


def test_ways_that_are_not_there_say_the_line_that_makes_them_work(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_alerts, "find_spec", lambda _: None)
    monkeypatch.setattr(push, "find_spec", lambda _: None)
    monkeypatch.setattr(sys, "path", [*sys.path, "/usr/lib/python3/dist-packages"])
    on_debian = running.alerts.record()
    monkeypatch.setattr(sys, "path", [])

    assert on_debian["ways"] == ["ntfy", "webhook", "sound"]
    assert on_debian["missing"] == {
        "notify": "sudo apt install apprise",
        "mqtt": '[mqtt] host = "192.168.1.5"',
        "push": "sudo apt install python3-http-ece python3-py-vapid",
    }
    assert running.alerts.record()["missing"]["notify"] == f"{sys.executable} -m pip install apprise"


def test_what_is_not_there_is_nothing(running: Running) -> None:
    assert running.alerts.change("nothing", {"sound": True}) is None
    assert running.alerts.delete("nothing") is None
    assert running.alerts.try_now("nothing") is None
    assert not running.alerts.remove_device("nothing")


def test_there_are_not_more_than_the_quota(running: Running) -> None:
    for _ in range(MOST_ALERTS):
        running.alerts.make({"sound": True})

    with pytest.raises(UsageError, match=str(MOST_ALERTS)):
        running.alerts.make({"sound": True})


def test_a_rule_that_cannot_be_asked_is_refused_and_never_kept(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a bug in the rules")

    monkeypatch.setattr("vitcam.parts.alerts.rule_engine.step", fails)
    with pytest.raises(UsageError, match="does not work"):
        running.alerts.make({"sound": True})

    assert running.saved.load() == ()
    assert [rule.name for rule in running.engine.runner.rules] == ["lamp"]


def test_a_disk_that_cannot_be_written_is_said_and_the_alert_acts_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    running = Running(tmp_path / "file")
    made = running.alerts.make({"sound": True})
    running.close()

    assert (made["remembered"], "cannot be written" in made["reason"]) == (False, True)
    assert len(running.engine.runner.rules) == 2
