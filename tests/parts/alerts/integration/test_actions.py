"""Rules of a real run act on what it sees, and a restart delivers what waits."""

import base64
import http.server
import json
import signal
import threading
import urllib.error
import urllib.request
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import Daemon, daemon, free_port, get_json
from tests.eventually import eventually
from tests.http_camera import keeps_sending, part, server
from tests.parts.alerts.receiver import receiver
from tests.unit.docs.pages import ROOT


def running_actions(running: Daemon, kind: str, status: str) -> dict[str, Any]:
    """The first action of this kind that came to this, as an event of the history says it; empty if none did."""
    actions = (action for event in get_json(f"{running.url}/api/events")["events"] for action in event["actions"])
    return next((action for action in actions if (action["kind"], action["status"]) == (kind, status)), {})


EVERY = "[events]\ndwell_s = 0.1\nenter = 0.3\n"


def test_a_run_writes_lines_runs_commands_posts_webhooks_sends_pictures_and_says_so(tmp_path: Path) -> None:
    config, state = tmp_path / "config.toml", tmp_path / "state"
    with receiver() as there, receiver() as phone:
        config.write_text(
            f'{EVERY}[[on]]\nname = "log"\ncommand = ["sh", "-c", "cat >> {tmp_path}/events.jsonl"]\n'
            f'[[on]]\ncommand = ["sh", "-c", "cat >> {tmp_path}/commands; cat /nonexistent"]\n'
            f'[[on]]\nname = "hook"\nwebhook = "{there.url}"\nphase = "end"\n'
            f'[[on]]\nname = "phone"\nnotify = ["json://{phone.url.partition("://")[2]}"]\n'
        )
        with daemon("--source", "demo", "--loop", "--config", str(config), STATE_DIRECTORY=str(state)) as running:
            running.wait_for("ok")
            there.wait_for_count(1)
            phone.wait_for_count(1)
            assert eventually((tmp_path / "commands").exists)
            told = eventually(lambda: (found := running.state()["actions"])["failed"] and found["ok"] > 1 and found)
            stored = eventually(lambda: running_actions(running, "command", "failed"))
            code, _ = running.end()

    lines = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    ended = json.loads(there.bodies[0])
    assert code == 0
    assert told["rules"] == 4
    assert base64.b64decode(json.loads(phone.bodies[0])["attachments"][0]["base64"]).startswith(b"\xff\xd8")
    assert told["trouble"].startswith("command of the rule 2: it ended with status 1: cat: /nonexistent")
    assert (stored["rule"], stored["status"]) == ("2", "failed")
    assert stored["detail"].startswith("it ended with status 1: cat: /nonexistent")
    assert lines[0]["rule"] == "log"
    assert (ended["phase"], ended["id"]) == ("end", lines[0]["id"])
    assert ended["end"] > ended["start"]


def test_whoever_hears_of_a_new_event_by_webhook_can_fetch_its_picture_at_once(tmp_path: Path) -> None:
    config, answers = tmp_path / "config.toml", list[tuple[str, int, bytes]]()

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                with urllib.request.urlopen(f"{running.url}/api/events/{event['id']}/frame.jpg", timeout=30) as answer:
                    answers.append((event["phase"], answer.status, answer.read(2)))
            except urllib.error.HTTPError as error:
                with error:
                    answers.append((event["phase"], error.code, b""))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as there:
        threading.Thread(target=there.serve_forever, daemon=True).start()
        config.write_text(f'{EVERY}[[on]]\nwebhook = "http://127.0.0.1:{there.server_port}/"\n')
        with daemon("--source", "demo", "--loop", "--config", str(config)) as running:
            assert eventually(lambda: len(answers) >= 3)
        there.shutdown()

    assert set(answers) == {("new", 200, b"\xff\xd8")}


def test_a_rule_that_can_do_nothing_ends_the_start_with_the_code_of_a_bad_configuration(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[[on]]\nlabel = "cup"\n')
    with daemon("--source", "demo", "--config", str(config)) as running:
        code = running.process.wait(60)
        said = running.errors()

    assert code == 78
    assert "[[on]] number 1 does nothing; give it one of command" in said


def test_a_reload_takes_a_rule_away_and_brings_another_one(tmp_path: Path) -> None:
    config, first, second = (tmp_path / name for name in ("config.toml", "first", "second"))
    config.write_text(f'{EVERY}[[on]]\ncommand = ["sh", "-c", "cat >> {first}"]\n')
    with daemon("--source", "demo", "--loop", "--config", str(config)) as running:
        running.wait_for("ok")
        assert eventually(first.exists)
        config.write_text(f'{EVERY}[[on]]\ncommand = ["sh", "-c", "cat >> {second}"]\n')
        running.process.send_signal(signal.SIGHUP)
        assert eventually(second.exists)
        count = first.read_text().count("\n")
        more = eventually(lambda: second.read_text().count("\n") > 2)

    assert more
    assert first.read_text().count("\n") == count


@pytest.mark.fault(
    "the daemon is killed while a webhook waits",
    injected="SIGKILL, with the receiver away; then both come back",
    observed="the webhook of the event before the kill arrives, and that event says so",
)
def test_a_webhook_that_waited_when_the_daemon_was_killed_arrives_after_the_next_start(tmp_path: Path) -> None:
    config, port = tmp_path / "config.toml", free_port()
    config.write_text(f'{EVERY}[[on]]\nname = "hook"\nwebhook = "http://127.0.0.1:{port}/hook/secret-path"\n')
    coffee = part((ROOT / "models/golden/coffee.jpg").read_bytes())
    with server(keeps_sending(repeat(coffee), every_s=0.1)) as camera:
        options = ("--source", f"http://127.0.0.1:{camera}/", "--config", str(config))
        with daemon(*options, STATE_DIRECTORY=str(tmp_path / "state")) as running:
            running.wait_for("ok")
            waited = eventually(lambda: running_actions(running, "webhook", "waiting"))
            event = get_json(f"{running.url}/api/events")["events"][-1]["id"]
            running.process.kill()
            running.process.wait(60)
        with receiver(port=port) as there, daemon(*options, STATE_DIRECTORY=str(tmp_path / "state")) as running:
            there.wait_for_count(1)
            delivered = eventually(lambda: action_of(running, event)["status"] == "ok")

    assert waited["status"] == "waiting"
    assert waited["detail"] == f"127.0.0.1:{port} cannot be reached: Connection refused; it is tried again"
    assert json.loads(there.bodies[0])["id"] == event
    assert delivered


def action_of(running: Daemon, event: str) -> dict[str, Any]:
    """What came of the one action at an event."""
    actions: list[dict[str, Any]] = get_json(f"{running.url}/api/events/{event}")["actions"]
    assert len(actions) == 1
    return actions[0]
