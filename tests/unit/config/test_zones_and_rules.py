"""Zones and rules from files: the order, who wins, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vitcam.config.compare import Changes, with_changes
from vitcam.config.load import EffectiveSettings, merge_layers
from vitcam.config.settings import Settings
from vitcam.config.tables import OnSettings, ZoneSettings
from vitcam.errors import ConfigError

SYSTEM = """
[zones.door]
rect = "0,0,0.5,1"
labels = ["cat", "dog"]
[zones.feeder]
rect = "0.5,0,0.5,1"
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


def test_zones_and_rules_are_read_in_the_order_of_the_file(read: Read) -> None:
    settings = read(SYSTEM).settings

    assert settings.zones == (
        ZoneSettings("door", "0,0,0.5,1", ("cat", "dog")),
        ZoneSettings("feeder", "0.5,0,0.5,1"),
    )
    assert settings.on == (OnSettings("1", label="dog", command=("bark",)),)


def test_a_later_file_changes_keys_of_a_zone_and_replaces_all_rules(read: Read, tmp_path: Path) -> None:
    found = read('[zones.door]\nenter = 0.7\n[[on]]\nlabel = "cat"\nfor_s = 5\ngpio = 17', SYSTEM)

    assert found.settings.zones[0] == ZoneSettings("door", "0,0,0.5,1", ("cat", "dog"), enter=0.7)
    assert found.settings.on == (OnSettings("1", label="cat", for_s=5.0, gpio=17),)
    assert found.origins["zones.door.rect"] == str(tmp_path / "system.toml")
    assert found.origins["zones.door.enter"] == str(tmp_path / "named.toml")
    rows = {name: value for name, value, _ in found.rows()}
    assert rows["zones.door.labels"] == ("cat", "dog")
    assert rows["on.1.label"] == "cat"
    assert "on.1.zone" not in rows


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[zones.door]\nenter = 0.5", r"\[zones.door\] has no rect"),
        ('[zones.door]\nrect = "0.5,0,0.6,1"', "zones.door.rect is .*allowed is X,Y,W,H"),
        ('[zones.door]\nrect = "0,0,1,1"\nlabel = "cat"', r"\[zones.NAME\] has no key 'label'; did you mean 'labels'"),
        ('[zones.door]\nrect = "0,0,1,1"\nenter = 0.4\nleave = 0.5', "leave may be at most enter"),
        ('[zones."a door"]\nrect = "0,0,1,1"', "'a door' cannot be the name of a zone"),
        ("[zones]\ndoor = 1", r"'zones' is not a list of tables; write \[zones.NAME\]"),
        ('zones = "door"', "'zones' is not a list of tables"),
        ('[on]\nlabel = "cat"', r"'on' is not a list of tables; write \[\[on\]\]"),
        ("on = [1]", "'on' is not a list of tables"),
        ('[[on]]\nbetween = "22-06"', "on.1.between is '22-06'; allowed is two times of the day"),
        ('[[on]]\nbetween = "06:00-06:00"', "allowed is two times of the day"),
        ("[[on]]\nabove = 1.5", "on.1.above is 1.5; allowed is a number from 0 to 1"),
        ("[[on]]\n" * 65, "allowed are 64"),
        (
            '[[on]]\nlabel = "cat"',
            r"\[\[on\]\] number 1 does nothing; give it one of command, webhook, notify, mqtt, push, sound",
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
def test_what_no_zone_or_rule_can_be_is_refused_by_name(read: Read, content: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        read(content)


@pytest.mark.parametrize(("sets", "environ"), [(["zones.door.rect=0,0,1,1"], {}), ([], {"VITCAM_ON_LABEL": "cat"})])
def test_tables_are_given_in_a_file_and_nowhere_else(sets: list[str], environ: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="can only be given in a file"):
        merge_layers(None, sets, {}, environ, Path("/nonexistent"))


def test_a_reload_takes_over_other_zones_and_rules(read: Read) -> None:
    running, wanted = Settings(), read(SYSTEM).settings
    changes = Changes.between(running, wanted)

    assert changes.live == ("zones", "on")
    assert changes.touch("zones")
    assert with_changes(running, wanted, changes.live) == wanted


def test_the_number_is_the_name_of_a_rule_without_one(read: Read) -> None:
    rules = read('[[on]]\ngpio = 2\n[[on]]\nname = "lamp"\nsound = true\ngpio = 3').settings.on

    assert [rule.name for rule in rules] == ["1", "lamp"]
    assert [rule.kinds for rule in rules] == [("gpio",), ("sound", "gpio")]


def test_a_rule_knows_the_line_of_its_first_key_unless_that_cannot_be_told(read: Read) -> None:
    rules = read("# one\n[[on]]\ngpio = 0\n\n [[ on ]] # two\r\nsound = true").settings.on
    [inline] = read("on = [{push = true}]").settings.on

    assert [rule.place.split(" of ")[0] for rule in rules] == ["line 3", "line 6"]
    assert [rule.kinds for rule in (*rules, inline)] == [("gpio",), ("sound",), ("push",)]
    assert not inline.place.startswith("line")


def test_a_secret_of_the_wrong_kind_is_not_repeated(read: Read) -> None:
    with pytest.raises(ConfigError, match=r"actions.secret is '\*\*\*'; allowed is") as refused:
        read("[actions]\nsecret = 271828")

    assert "271828" not in str(refused.value)
