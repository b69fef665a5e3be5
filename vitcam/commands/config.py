"""What `vitcam config` prints."""

import json
import os
from pathlib import Path

from rich.table import Table

from vitcam.config.describe import schema
from vitcam.config.load import resolve
from vitcam.redaction import redacted
from vitcam.terminal.consoles import for_people, for_results


def show_settings(config: Path | None, sets: list[str], as_json: bool) -> None:
    """Every setting, its value and where that came from, secrets as `***`. Raises ConfigError as the daemon would."""
    resolved = resolve(config, sets, {}, os.environ).rows()
    rows = [(name, redacted(value) if isinstance(value, str) else value, origin) for name, value, origin in resolved]
    console = for_results()
    if as_json:
        for name, value, origin in rows:
            console.print_json(json.dumps({"name": name, "value": value, "origin": origin}), indent=None)
        return
    table = Table("setting", "value", "from", box=None)
    for name, value, origin in rows:
        style = "dim" if origin == "default" else "bold"
        table.add_row(name, json.dumps(value), origin, style=style)
    console.print(table, soft_wrap=False)


def check_settings(config: Path | None, sets: list[str], as_json: bool) -> None:
    """Say that the configuration is sound, with its warnings. Raises ConfigError if it is not."""
    warnings = resolve(config, sets, {}, os.environ).warnings
    if as_json:
        record = {"type": "config", "ok": True, "warnings": list(warnings)}
        for_results().print_json(json.dumps(record), indent=None)
        return
    for warning in warnings:
        for_people().print(f"warning: {warning}", markup=False, highlight=False)
    for_results().print("the configuration is sound", highlight=False)


def show_schema() -> None:
    """The JSON Schema of the configuration file, for editors."""
    for_results().print_json(json.dumps(schema()))
