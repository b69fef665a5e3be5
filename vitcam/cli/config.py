"""`vitcam config …`."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vitcam.cli.options import ConfigOptions, JsonOption, StateOptions
from vitcam.errors import UsageError, VitcamError
from vitcam.names.wanted import key_of
from vitcam.terminal.consoles import stderr_console, stdout_console
from vitcam.terminal.verbs import grouped

if TYPE_CHECKING:
    from vitcam.config.layers import PageLayer
    from vitcam.config.load import EffectiveSettings
    from vitcam.config.settings import Settings
    from vitcam.names.wanted import WantedNames

config = typer.Typer(help="Show and check the configuration.", no_args_is_help=True)


@dataclass(frozen=True, slots=True)
class _Page:
    """What was set on the page."""

    layer: "PageLayer"
    model: str
    names: "WantedNames"

    def over(self, effective: "EffectiveSettings") -> Iterator[tuple[str, object, str]]:
        """All rows, with the model and the names of the page where the configuration says none."""
        rows = effective.rows()
        fixed = {key_of(each.label) for each in effective.settings.names.own}
        for name, value, origin in rows:
            of_page = {"model.name": self.model, "names.language": self.names.language}.get(name)
            yield (name, of_page, self.layer.origin) if of_page and not effective.given(name) else (name, value, origin)
        for each in self.names.own:
            if key_of(each.label) not in fixed:
                yield f"names.{json.dumps(each.label, ensure_ascii=False)}", each.name, self.layer.origin


def _page_of(state: StateOptions) -> _Page:
    """What is kept in the state folder; nothing where there is none."""
    from vitcam.daemon.saved_state.page_settings import PageSettings

    try:
        place = state.owned_folder()
    except UsageError:
        if state.service or state.instance:
            raise
        page = PageSettings(None)
        return _Page(page.layer, page.model, page.names)
    with place.acting() as folder:
        page = PageSettings(folder)
        origin = str(place.folder / "settings.toml")
        return _Page(replace(page.layer, origin=origin), page.model, page.names)


@config.command()
@grouped
def show(given: ConfigOptions, state: StateOptions, as_json: JsonOption = False) -> None:
    """Show every setting, its value, and where the value comes from."""
    from rich.table import Table

    from vitcam.config.option import without_secrets
    from vitcam.config.settings import option_called

    page = _page_of(state)
    effective = given.merge(page.layer)
    rows = [(name, without_secrets(option_called(name), value), origin) for name, value, origin in page.over(effective)]
    console = stdout_console()
    if as_json:
        for name, value, origin in rows:
            record = {"name": name, "value": value, "origin": origin, "line": effective.lines.get(name) or None}
            console.print_json(json.dumps(record), indent=None)
        return
    table = Table("setting", "value", "from", box=None)
    for name, value, origin in rows:
        style = "dim" if origin == "default" else "bold"
        line = effective.lines.get(name)
        table.add_row(name, json.dumps(value), f"line {line} of {origin}" if line else origin, style=style)
    console.print(table, soft_wrap=False)
    for warning in effective.warnings:
        stderr_console().print(f"warning: {warning}", markup=False, highlight=False)


@config.command()
@grouped
def check(given: ConfigOptions, state: StateOptions, as_json: JsonOption = False) -> None:
    """Check whether the daemon would accept the configuration."""
    effective = given.merge(_page_of(state).layer)
    warnings = [*effective.warnings, *_warnings_of_labels(effective.settings)]
    if as_json:
        record = {"type": "config", "ok": True, "warnings": list(warnings)}
        stdout_console().print_json(json.dumps(record), indent=None)
        return
    for warning in warnings:
        stderr_console().print(f"warning: {warning}", markup=False, highlight=False)
    stdout_console().print("the configuration is valid", highlight=False)


@config.command("schema")
def show_schema() -> None:
    """Print the JSON Schema of the configuration file."""
    from vitcam.config.describe import schema

    stdout_console().print_json(json.dumps(schema()))


def _warnings_of_labels(settings: "Settings") -> list[str]:
    """Labels of names, zones, rules and settings that the model does not know. Without it, why it cannot be asked."""
    from vitcam.config.settings import labels_in
    from vitcam.model.bundle import read
    from vitcam.model.files import find_model
    from vitcam.model.labels import read_labels, unknown_labels
    from vitcam.names.active import ActiveNames
    from vitcam.names.naming import trouble_with
    from vitcam.names.vocabulary import Vocabulary

    asked_for = [(label, f"the zone {zone.name} watches") for zone in settings.zones for label in zone.labels]
    asked_for += labels_in(settings)
    if not asked_for and not settings.names.own:
        return []
    try:
        bundle = read(find_model(settings.model.name))
        labels = read_labels(Path(settings.model.labels)) if settings.model.labels else bundle.labels if bundle else ()
    except (VitcamError, OSError) as error:
        return [f"the labels were not checked: {error}"]
    groups = bundle.groups.members if bundle and bundle.groups else {}
    names = settings.names.wanted
    trouble = trouble_with(names, labels, groups)
    vocabulary = Vocabulary(ActiveNames(names), lambda: (labels, groups))
    return [*([trouble] if trouble else []), *unknown_labels(asked_for, vocabulary.known)]
