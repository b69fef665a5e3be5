"""`vitcam actions test` does what rules say, at once, and says what came of it."""

import json
from pathlib import Path

from tests.command import vitcam
from tests.parts.alerts.receiver import receiver


def test_all_actions_of_all_rules_are_done_and_told(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    with receiver() as there:
        config.write_text(
            f'[[on]]\nname = "lamp"\nlabel = "cat"\nzone = "door"\nbetween = "02:00-02:01"\nphase = "end"\n'
            f'command = ["sh", "-c", "cat > {tmp_path}/event; echo on"]\nwebhook = "{there.url}"\n'
            f'[[on]]\ncommand = ["sh", "-c", "cat > {tmp_path}/line"]\n'
        )
        done = vitcam("actions", "test", "--config", str(config), VITCAM_ACTIONS_SECRET="key")

    record = json.loads((tmp_path / "event").read_text())
    address = there.url.split("/")[2]
    assert done.code == 0
    assert done.out.splitlines() == ["lamp command ok: on", f"lamp webhook ok: {address} answered 200", "2 command ok"]
    assert (record["label"], record["zone"], record["phase"], record["test"]) == ("cat", "door", "end", True)
    assert there.headers[0]["X-Vitcam-Signature"].startswith("sha256=")
    assert json.loads((tmp_path / "line").read_text())["rule"] == "2"


def test_an_action_that_fails_is_told_and_ends_with_a_code(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(
        '[[on]]\nname = "good"\ncommand = ["true"]\n[[on]]\nname = "bad"\ncommand = ["false"]\n'
        'webhook = "http://127.0.0.1:1/secret-path"\n'
    )

    done = vitcam("actions", "test", "bad", "--json", "--config", str(config))

    assert done.code == 1
    assert [(line["rule"], line["kind"], line["status"], line["detail"]) for line in done.lines] == [
        ("bad", "command", "failed", "it ended with status 1"),
        ("bad", "webhook", "failed", "127.0.0.1:1 cannot be reached: Connection refused"),
    ]
    assert done.sentence == "vitcam: 2 action(s) failed; what is printed above says why"
    assert "secret-path" not in done.out + done.err


def test_a_rule_that_does_not_exist_is_refused_by_name(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[[on]]\nname = "lamp"\ngpio = 17\n')

    wrong = vitcam("actions", "test", "lmap", "--config", str(config))
    none = vitcam("actions", "test")

    assert (wrong.code, wrong.sentence) == (2, "vitcam: no rule is called 'lmap'; there are lamp")
    assert (none.code, none.sentence[:41]) == (2, "vitcam: the configuration has no rules; d")


def test_secrets_of_rules_are_in_nothing_that_shows_the_configuration(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(
        '[actions]\nsecret = "hunter2"\n[[on]]\nwebhook = "http://127.0.0.1:1/hunter2"\nnotify = ["ntfy://hunter2"]\n'
    )
    shown = [vitcam("config", "show", *more, "--config", str(config)) for more in ((), ("--json",))]
    config.write_text('[[on]]\nwebhook = "hunter2"\n')
    refused = vitcam("config", "check", "--config", str(config))

    assert [one.code for one in (*shown, refused)] == [0, 0, 78]
    assert "hunter2" not in "".join(one.out + one.err for one in (*shown, refused))
    assert "http://***" in shown[0].out
