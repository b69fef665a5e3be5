"""Alerts of a real daemon: made over HTTP, delivered to a real receiver, kept over a restart, and never shown whole."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import Daemon, answer_to, daemon, get_json
from tests.eventually import eventually
from tests.parts.alerts.ntfy_server import ntfy_server
from tests.parts.alerts.receiver import receiver
from tests.secured import bearer, quick_hash
from vitcam.access.password import save_password
from vitcam.access.tokens import Scope, create_token
from vitcam.web.server import WebServer

SECRET = "secret-path"
CONFIG = '[camera]\nsource = "demo"\n\n[[on]]\nname = "log"\nfile = "x.jsonl"\n\n[[on]]\nname = "hum"\nsound = true\n'


def alerts(running: Daemon) -> dict[str, Any]:
    found: dict[str, Any] = get_json(f"{running.url}/api/alerts")
    return found


def last(running: Daemon) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = alerts(running)["alerts"][0]["last"]
    return found


def test_an_alert_is_made_tried_and_delivered_without_a_file_and_kept_for_the_next_run(tmp_path: Path) -> None:
    config, state = tmp_path / "config.toml", tmp_path / "state"
    config.write_text(CONFIG)
    options = ("--config", str(config), "--loop")
    with receiver() as there, daemon(*options, STATE_DIRECTORY=str(state)) as running:
        url = f"{running.url}/api/alerts"
        running.wait_for("ok")
        status, made = answer_to(url, {"webhook": there.url, "enabled": False})
        assert (status, made["remembered"]) == (200, True)
        one = f"{url}/{made['alert']['id']}"
        trial = answer_to(f"{one}/try", {})[1]["trial"]
        assert eventually(lambda: [(each["trial"], each["status"]) for each in last(running)] == [(trial, "ok")])
        assert answer_to(f"{one}/try", {})[0] == 429
        assert json.loads(there.bodies[0])["test"] is True

        assert answer_to(one, {"enabled": True}, "PATCH")[0] == 200  # in force for the next event, without a restart
        assert eventually(lambda: any(each["event"] and each["status"] == "ok" for each in last(running)), 60)
        event = next(each["event"] for each in last(running) if each["event"])
        received = json.loads(there.wait_for_count(2)[1])
        assert (received["rule"], received["type"]) == ("page-anything", "event")
        rules = alerts(running)["rules"]
        assert [rule["place"] for rule in rules] == [f"line {line} of {config}" for line in (5, 9)]
        assert [(rule["kinds"], bool(rule["trouble"])) for rule in rules] == [([], True), (["sound"], False)]
        [idle] = running.state()["notices"]
        assert idle.startswith(f"the rule log (line 5 of {config}) does nothing: on.file is not a setting any more")
        assert running.errors().count(idle) == 1
        assert (running.state()["actions"]["rules"], running.state()["status"]) == (2, "ok")
        assert eventually(lambda: "page-anything" in _rules_of(running, event))
        shown = json.dumps([alerts(running), get_json(f"{running.url}/api/state")])
        running.end()
        assert SECRET not in shown + running.errors()

        with daemon(*options, STATE_DIRECTORY=str(state)) as again:
            again.wait_for("ok")
            assert [each["webhook"].endswith("/***") for each in alerts(again)["alerts"]] == [True]
            count = len(there.bodies)
            there.wait_for_count(count + 1)
            assert answer_to(f"{again.url}/api/alerts/{made['alert']['id']}", None, "DELETE")[0] == 200
            assert alerts(again)["alerts"] == []
    assert not (state / "x.jsonl").exists()
    assert json.loads((state / "alerts.json").read_text())["alerts"] == []


def test_a_phone_and_the_real_apprise_get_an_event_with_its_picture(tmp_path: Path) -> None:
    with (
        ntfy_server(token="tk_1") as phone,
        ntfy_server() as other,
        daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as running,
    ):
        running.wait_for("ok")
        body = {
            "ntfy": f"{phone.url}/cats",
            "ntfy_token": "tk_1",
            "notify": [f"ntfy://{other.url.removeprefix('http://')}/cats"],
        }
        made = answer_to(f"{running.url}/api/alerts", body)[1]["alert"]
        assert eventually(lambda: phone.received and other.received, 60)
        assert eventually(lambda: {each["kind"] for each in last(running)} == {"ntfy", "notify"})
        by_kind = {each["kind"]: each for each in last(running)}
        event = by_kind["ntfy"]["event"]
        with urllib.request.urlopen(f"{running.url}/api/events/{event}/frame.jpg", timeout=10) as answer:
            picture = answer.read()
        trial = answer_to(f"{running.url}/api/alerts/{made['id']}/try", {})[1]["trial"]
        assert eventually(lambda: any(each["trial"] == trial and each["kind"] == "ntfy" for each in last(running)))
        tried = next(each for each in last(running) if each["trial"] == trial and each["kind"] == "ntfy")
        shown = json.dumps(alerts(running))

    assert picture == phone.received[0].attachment == other.received[0].attachment
    assert by_kind["ntfy"]["picture"] == event
    assert (by_kind["notify"]["status"], by_kind["notify"]["detail"]) == ("ok", "with the picture")
    assert phone.received[-1].title.startswith("Test: ")
    assert (tried["status"], bool(tried["picture"]), bool(phone.received[-1].attachment)) == ("ok", True, True)
    assert "tk_1" not in shown
    assert "/cats" not in shown


def _rules_of(running: Daemon, event: str) -> list[str]:
    return [action["rule"] for action in get_json(f"{running.url}/api/events/{event}")["actions"]]


def _answers(running: Daemon) -> bool:
    try:
        return answer_to(f"{running.url}/healthz", None, "GET")[0] == 200
    except OSError:
        return False


def test_who_may_only_look_sees_alerts_and_changes_none(tmp_path: Path) -> None:
    made = {"id": "0123abcd", "enabled": True, "sound": True, "webhook": f"http://127.0.0.1/{SECRET}"}
    (tmp_path / "alerts.json").write_text(json.dumps({"alerts": [made]}))
    save_password(tmp_path, quick_hash())
    read, control = (create_token(tmp_path, scope.value, scope) for scope in (Scope.READ, Scope.CONTROL))
    with daemon("--source", "demo", "--loop", "--host", "0.0.0.0", STATE_DIRECTORY=str(tmp_path)) as running:
        assert eventually(lambda: _answers(running), 30)
        url = f"{running.url}/api/alerts"
        request = urllib.request.Request(url, headers=bearer(read))
        seen = urllib.request.urlopen(request, timeout=10).read().decode()
        refused = [
            answer_to(url, {"sound": True}, "POST", bearer(read))[0],
            answer_to(f"{url}/0123abcd", {"enabled": False}, "PATCH", bearer(read))[0],
            answer_to(f"{url}/0123abcd", None, "DELETE", bearer(read))[0],
            answer_to(f"{url}/0123abcd/try", {}, "POST", bearer(read))[0],
            answer_to(f"{url}/push", {}, "POST", bearer(read))[0],
            answer_to(f"{url}/ntfy", {}, "POST", bearer(read))[0],
            answer_to(url, None, "GET")[0],
        ]
        allowed = answer_to(f"{url}/0123abcd", {"enabled": False}, "PATCH", bearer(control))

    assert refused == [403] * 6 + [401]
    assert "0123abcd" in seen
    assert SECRET not in seen
    assert (allowed[0], allowed[1]["alert"]["enabled"]) == (200, False)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", ""),
        ("POST", ""),
        ("PATCH", "/0123abcd"),
        ("DELETE", "/0123abcd"),
        ("POST", "/0123abcd/try"),
        ("POST", "/ntfy"),
        ("GET", "/push"),
        ("POST", "/push"),
        ("DELETE", "/push/x"),
    ],
)
def test_a_run_without_alerts_has_nothing_there(server: WebServer, method: str, path: str) -> None:
    assert answer_to(f"{server.url}/api/alerts{path}", {}, method)[0] == 404
