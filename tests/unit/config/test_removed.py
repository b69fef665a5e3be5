"""Settings that earlier versions had: each place that gives one is named with its remedy, and all else is read."""

from pathlib import Path

import pytest

from vitcam.config.layers import PageLayer
from vitcam.config.load import merge_layers
from vitcam.config.removed import REMOVED, removal_of
from vitcam.config.settings import Settings, options
from vitcam.config.tables import table_options
from vitcam.doctor.check import CheckContext
from vitcam.errors import ConfigError
from vitcam.machine import Machine
from vitcam.parts.alerts.checks import rules

NAME = "store.written_mb"


@pytest.mark.parametrize("value", ["50", '"no number"', "[]"])
def test_a_setting_that_is_gone_is_a_warning_in_each_layer_and_costs_no_other(tmp_path: Path, value: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"[store]\nwritten_mb = {value}\nmax_mb = 70\n")
    page = PageLayer("settings.toml", {NAME: value, "store.keep_days": 3})
    environ = {"VITCAM_STORE_WRITTEN_MB": value}
    found = merge_layers(file, [f"{NAME}={value}"], {}, environ, Path("/nowhere"), page)

    assert (found.settings.store.max_mb, found.settings.store.keep_days) == (70, 3)
    assert [warning.partition(": ")[0] for warning in found.warnings] == [
        "settings.toml", str(file), "VITCAM_STORE_WRITTEN_MB", f"--set {NAME}"
    ]  # fmt: skip
    assert all(f"{NAME} is not a setting any more" in each and REMOVED[NAME] in each for each in found.warnings)
    assert NAME not in found.origins


def test_no_setting_is_both_there_and_gone_and_each_remedy_names_settings_that_are_there() -> None:
    assert not REMOVED.keys() & options().keys()
    assert all(any(name in remedy for name in (*options(), *table_options("on"))) for remedy in REMOVED.values())


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
    log, both, bell = found.settings.on

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
