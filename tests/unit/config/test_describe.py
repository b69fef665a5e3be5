"""Schema, table and example are made from the settings, and what is committed is what would be made."""

import subprocess
import sys
import tomllib
from pathlib import Path

from vitcam.config import describe
from vitcam.config.load import merge_layers
from vitcam.config.open_sections import OPEN_SECTIONS
from vitcam.config.settings import Settings, options, sections
from vitcam.config.tables import TABLES

ROOT = Path(__file__).parents[3]


def test_the_committed_table_and_example_are_fresh() -> None:
    check = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate_settings.py", "--check"], capture_output=True, text=True
    )

    assert check.stderr == ""
    assert check.returncode == 0


def test_the_example_file_changes_nothing_until_somebody_edits_it(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(describe.example())

    assert merge_layers(path, [], {}, {}).settings == Settings()


def test_the_example_file_with_every_line_taken_in_is_every_default(tmp_path: Path) -> None:
    lines = [
        line.removeprefix("# ") if " = " in line and line.split()[1] in keys() else line
        for line in describe.example().splitlines()
    ]
    path = tmp_path / "config.toml"
    path.write_text("\n".join(lines))

    resolved = merge_layers(path, [], {}, {})

    assert resolved.settings == Settings()
    assert set(resolved.origins.values()) == {str(path)}


def keys() -> set[str]:
    return {option.key for option in options().values()}


def test_the_schema_names_every_section_and_refuses_all_others() -> None:
    schema = describe.schema()

    assert list(schema["properties"]) == [*sections(), *TABLES]
    assert schema["additionalProperties"] is False
    assert [*OPEN_SECTIONS] == [
        name for name in sections() if schema["properties"][name]["additionalProperties"] is not False
    ]


def test_the_tables_of_the_example_file_are_valid_once_they_are_taken_in(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    _, _, tables = describe.example().partition("#[zones.NAME]")
    path.write_text(
        "\n".join(line.removeprefix("#") for line in f"#[zones.NAME]{tables}".splitlines() if line[:2] != "# ")
    )

    settings = merge_layers(path, [], {}, {}).settings

    assert [zone.name for zone in settings.zones] == ["NAME"]
    assert all(len(rules) == 1 for rules in settings.rules.values())


def test_the_schema_says_of_every_option_what_the_check_enforces() -> None:
    for name, option in options().items():
        entry = describe.schema()["properties"][option.section]["properties"][option.key]

        assert entry["default"] == (list(option.default) if option.kind is tuple else option.default), name
        assert entry.get("items") == ({"type": "string"} if option.kind is tuple else None), name
        assert entry["description"] == option.rule.doc
        assert entry.get("enum") == (list(option.choices) or None), name
        assert (entry.get("minimum"), entry.get("maximum")) == (option.rule.low, option.rule.high), name


def test_defaults_are_written_as_toml_reads_them() -> None:
    written = "\n".join(
        f"{option.section}_{option.key} = {describe._toml(option.default)}" for option in options().values()
    )

    found = {name: tuple(value) if isinstance(value, list) else value for name, value in tomllib.loads(written).items()}
    assert found == {f"{option.section}_{option.key}": option.default for option in options().values()}
