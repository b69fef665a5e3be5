"""Rules from files: the order, who wins, what is refused, and what earlier versions had."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vitcam.config.compare import Changes, with_changes
from vitcam.config.load import EffectiveSettings, merge_layers
from vitcam.config.option import without_secrets
from vitcam.config.removed import removal_of
from vitcam.config.settings import Settings, labels_in, options
from vitcam.config.tables import table_options
from vitcam.doctor.check import CheckContext
from vitcam.errors import ConfigError
from vitcam.machine import Machine
from vitcam.parts.alerts.checks import rules
from vitcam.parts.alerts.settings import OnSettings

SYSTEM = """
[[on]]
label = "dog"
command = ["bark"]
"""

Read = Callable[..., EffectiveSettings]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads a system file and a named file."""

    def read(named: str, system: str = "") -> EffectiveSettings:
        paths = tmp_path / "system.toml", tmp_path / "named.toml"
        for path, text in zip(paths, (system, named), strict=True):
            path.write_text(text)
        return merge_layers(paths[1], [], {}, {}, paths[0])

    return read


def test_a_later_file_replaces_all_rules(read: Read) -> None:
    found = read('[[on]]\nlabel = "cat"\nfor_s = 5\ngpio = 17', SYSTEM)

    assert read(SYSTEM).settings.rules["on"] == (OnSettings("1", label="dog", command=("bark",)),)
    assert found.settings.rules["on"] == (OnSettings("1", label="cat", for_s=5.0, gpio=17),)
    rows = {name: value for name, value, _ in found.rows()}
    assert rows["on.1.label"] == "cat"
    assert "on.1.zone" not in rows


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('[on]\nlabel = "cat"', r"'on' is not a list of tables; write \[\[on\]\]"),
        ("on = [1]", "'on' is not a list of tables"),
        ('[[on]]\nbetween = "22-06"', "on.1.between is '22-06'; allowed is two times of the day"),
        ('[[on]]\nbetween = "06:00-06:00"', "allowed is two times of the day"),
        ("[[on]]\nabove = 1.5", "on.1.above is 1.5; allowed is a number from 0 to 1"),
        ("[[on]]\n" * 65, "allowed are 64"),
        (
            '[[on]]\nlabel = "cat"',
            r"\[\[on\]\] number 1 does nothing; give it one of command, ntfy, webhook, notify, mqtt, push, sound",
        ),
        ('[[on]]\nname = "a b"\ngpio = 2', "on.1.name is 'a b'; allowed is up to 32 letters, digits, - and _"),
        ('[[on]]\nname = "2"\ngpio = 2\n[[on]]\ngpio = 3', r"two \[\[on\]\] are called '2'; give each a name"),
        ("[[on]]\ngpio = 28", "on.1.gpio is 28; allowed is a whole number from 0 to 27"),
        ("[[on]]\ncommand = [1]", "on.1.command is .*; allowed is a list of texts"),
        ('[[on]]\nwebhook = "ftp://host/token"', r"on.1.webhook is 'ftp://\*\*\*'; allowed is an address such as"),
        ('[[on]]\nwebhook = "http://user:word@host/"', r"on.1.webhook is 'http://\*\*\*'; allowed"),
        ('[[on]]\nnotify = ["token"]', r"on.1.notify is \['\*\*\*'\]; allowed is a list of addresses"),
    ],
)
def test_what_no_rule_can_be_is_refused_by_name(read: Read, content: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        read(content)


def test_rules_are_given_in_a_file_and_nowhere_else() -> None:
    with pytest.raises(ConfigError, match="can only be given in a file"):
        merge_layers(None, [], {}, {"VITCAM_ON_LABEL": "cat"}, Path("/nonexistent"))


def test_the_model_need_not_know_what_a_rule_for_problems_is_about(read: Read) -> None:
    settings = read(f'{SYSTEM}[[on]]\nkind = "problem"\nlabel = "moved"\nsound = true').settings

    assert labels_in(settings) == [("dog", "the rule 1 is for")]


def test_a_reload_takes_over_other_rules(read: Read) -> None:
    running, wanted = Settings(), read(SYSTEM).settings
    changes = Changes.between(running, wanted)

    assert changes.live == ("on",)
    assert with_changes(running, wanted, changes.live) == wanted


def test_keys_and_addresses_that_are_secret_are_never_shown_whole() -> None:
    rule = table_options("on")

    assert without_secrets(options()["actions.secret"], "hunter2") == "***"
    assert without_secrets(rule["webhook"], "https://ha.local/api/webhook/hunter2") == "https://***"
    assert without_secrets(rule["notify"], ("tgram://hunter2/1", "hunter2")) == ["tgram://***", "***"]
    assert without_secrets(rule["command"], ("curl", "http://me:hunter2@host/")) == ["curl", "http://***@host/"]
    assert without_secrets(rule["gpio"], None) is None


def test_the_number_is_the_name_of_a_rule_without_one(read: Read) -> None:
    rules = read('[[on]]\ngpio = 2\n[[on]]\nname = "lamp"\nsound = true\ngpio = 3').settings.rules_of(OnSettings)

    assert [rule.name for rule in rules] == ["1", "lamp"]
    assert [rule.kinds for rule in rules] == [("gpio",), ("sound", "gpio")]


def test_a_rule_knows_the_line_of_its_first_key_unless_that_cannot_be_told(read: Read) -> None:
    rules = read("# one\n[[on]]\ngpio = 0\n\n [[ on ]] # two\r\nsound = true").settings.rules_of(OnSettings)
    [inline] = read("on = [{push = true}]").settings.rules_of(OnSettings)

    assert [rule.place.split(" of ")[0] for rule in rules] == ["line 3", "line 6"]
    assert [rule.kinds for rule in (*rules, inline)] == [("gpio",), ("sound",), ("push",)]
    assert not inline.place.startswith("line")


def test_a_secret_of_the_wrong_kind_is_not_repeated(read: Read) -> None:
    with pytest.raises(ConfigError, match=r"actions.secret is '\*\*\*'; allowed is") as refused:
        read("[actions]\nsecret = 271828")

    assert "271828" not in str(refused.value)


RULES = """[[on]]
name = "log"
file = "seen.jsonl"
file_mb = 3
[[on]]
name = "both"
file_keep = "wrong"
file = "seen.jsonl"
sound = true
[[on]]
name = "bell"
sound = true
"""


def test_a_rule_that_has_nothing_else_to_do_is_idle_and_costs_no_other(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(RULES)
    found = merge_layers(file, [], {}, {}, Path("/nowhere"))
    log, both, bell = found.settings.rules_of(OnSettings)

    assert [rule.kinds for rule in (log, both, bell)] == [(), ("sound",), ("sound",)]
    assert found.warnings == (
        log.idle,
        f"the rule both ({both.place}) does less than it says: {removal_of('on.file_keep')}",
    )
    assert log.idle == f"the rule log (line 2 of {file}) does nothing: {removal_of('on.file')}"
    assert (both.idle, bell.idle) == ("", "")
    assert {name: origin for name, _, origin in found.rows() if name.startswith("on.3.")} == {
        "on.3.name": str(file), "on.3.sound": str(file)
    }  # fmt: skip


def test_a_rule_that_never_said_what_to_do_is_still_refused(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[[on]]\nfile = "x"\n[[on]]\nlabel = "cat"\n')

    with pytest.raises(ConfigError, match=r"\[\[on\]\] number 2 does nothing"):
        merge_layers(file, [], {}, {}, Path("/nowhere"))


def test_the_doctor_says_which_rule_does_nothing_and_what_to_write(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(RULES)
    settings = merge_layers(file, [], {}, {}, Path("/nowhere")).settings
    found = rules(CheckContext(settings, Machine({})))

    assert (found.status, rules(CheckContext(Settings(), Machine({}))).status) == ("warn", "ok")
    assert "the rule log" in found.found
    assert found.fix.startswith("write a line with command = [")
