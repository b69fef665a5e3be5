"""Zones from files: the order, who wins, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vitcam.config.load import EffectiveSettings, merge_layers
from vitcam.config.tables import ZoneSettings
from vitcam.errors import ConfigError

SYSTEM = """
[zones.door]
rect = "0,0,0.5,1"
labels = ["cat", "dog"]
[zones.feeder]
rect = "0.5,0,0.5,1"
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


def test_zones_are_read_in_the_order_of_the_file(read: Read) -> None:
    assert read(SYSTEM).settings.zones == (
        ZoneSettings("door", "0,0,0.5,1", ("cat", "dog")),
        ZoneSettings("feeder", "0.5,0,0.5,1"),
    )


def test_a_later_file_changes_keys_of_a_zone(read: Read, tmp_path: Path) -> None:
    found = read("[zones.door]\nenter = 0.7", SYSTEM)

    assert found.settings.zones[0] == ZoneSettings("door", "0,0,0.5,1", ("cat", "dog"), enter=0.7)
    assert found.origins["zones.door.rect"] == str(tmp_path / "system.toml")
    assert found.origins["zones.door.enter"] == str(tmp_path / "named.toml")
    rows = {name: value for name, value, _ in found.rows()}
    assert rows["zones.door.labels"] == ("cat", "dog")


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
    ],
)
def test_what_no_zone_can_be_is_refused_by_name(read: Read, content: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        read(content)


@pytest.mark.parametrize(("sets", "environ"), [(["zones.door.rect=0,0,1,1"], {}), ([], {"VITCAM_ZONES_DOOR": "x"})])
def test_zones_are_given_in_a_file_and_nowhere_else(sets: list[str], environ: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="can only be given in a file"):
        merge_layers(None, sets, {}, environ, Path("/nonexistent"))
