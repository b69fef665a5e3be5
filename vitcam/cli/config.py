"""What `vitcam config` prints."""

import json
import os
from pathlib import Path

from rich.table import Table

from vitcam.config.describe import schema
from vitcam.config.load import merge_layers
from vitcam.config.option import without_secrets
from vitcam.config.settings import Settings, labels_in, option_called
from vitcam.errors import VitcamError
from vitcam.model.bundle import read
from vitcam.model.files import find_model
from vitcam.model.labels import read_labels, unknown_labels
from vitcam.terminal.consoles import stderr_console, stdout_console


def show_settings(config: Path | None, sets: list[str], as_json: bool) -> None:
    """Print every setting, its value and its origin, with `***` for secrets. Raises ConfigError as the daemon would."""
    resolved = merge_layers(config, sets, {}, os.environ).rows()
    rows = [(name, without_secrets(option_called(name), value), origin) for name, value, origin in resolved]
    console = stdout_console()
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
    """Print that the configuration is valid, and its warnings. Raises ConfigError if it is not."""
    effective = merge_layers(config, sets, {}, os.environ)
    warnings = [*effective.warnings, *_warnings_of_labels(effective.settings)]
    if as_json:
        record = {"type": "config", "ok": True, "warnings": list(warnings)}
        stdout_console().print_json(json.dumps(record), indent=None)
        return
    for warning in warnings:
        stderr_console().print(f"warning: {warning}", markup=False, highlight=False)
    stdout_console().print("the configuration is valid", highlight=False)


def _warnings_of_labels(settings: Settings) -> list[str]:
    """Labels of zones, rules and clips that the model does not know. Without the model, why it cannot be asked."""
    asked_for = [(label, f"the zone {zone.name} watches") for zone in settings.zones for label in zone.labels]
    asked_for += labels_in(settings)
    if not asked_for:
        return []
    try:
        bundle = read(find_model(settings.model.name))
        labels = read_labels(Path(settings.model.labels)) if settings.model.labels else bundle.labels if bundle else ()
    except (VitcamError, OSError) as error:
        return [f"the labels were not checked: {error}"]
    groups = bundle.groups.members if bundle and bundle.groups else {}
    return unknown_labels(asked_for, {*labels, *groups})


def show_schema() -> None:
    """The JSON Schema of the configuration file, for editors."""
    stdout_console().print_json(json.dumps(schema()))
