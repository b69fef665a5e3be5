"""Settings that earlier versions had: each place that gives one is named with its remedy, and all else is read."""

from pathlib import Path

import pytest

from vitcam.config.layers import PageLayer
from vitcam.config.load import merge_layers
from vitcam.config.removed import REMOVED
from vitcam.config.settings import options
from vitcam.config.tables import TABLES, table_options

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
    there = (*options(), *(key for table in TABLES for key in table_options(table)))
    assert all(any(name in remedy for name in there) for remedy in REMOVED.values())
