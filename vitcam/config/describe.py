"""The settings as a JSON Schema for editors, a table for the manual, and an example file."""

import json
from typing import Any

from vitcam.config.settings import Option, options, sections

_JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", tuple: "array"}


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of the configuration file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "vitcam configuration",
        "type": "object",
        "additionalProperties": False,
        "properties": {section: _section_schema(section) for section in sections()},
    }


def table() -> str:
    """Every setting as a Markdown table; ends with a newline."""
    lines = ["| setting | default | allowed | new value | meaning |", "|---|---|---|---|---|"]
    lines += [
        f"| `{option.name}` | `{_toml(option.default)}` | {option.allowed} | {_taken_by(option)} | {option.rule.doc} |"
        for option in options().values()
    ]
    return "\n".join(lines) + "\n"


def example() -> str:
    """A configuration file with every setting at its default, commented out; ends with a newline."""
    lines = [
        "# vitcam reads /etc/vitcam/config.toml, ~/.config/vitcam/config.toml, and the file that --config names.",
        "# This file shows every setting with its default. To change one, remove its # and edit the value.",
    ]
    for section, section_class in sections().items():
        lines += ["", f"# {section_class.__doc__}", f"[{section}]"]
        for option in _of(section):
            lines += [f"# {option.rule.doc}{_limits(option)}", f"# {option.key} = {_toml(option.default)}"]
    return "\n".join(lines) + "\n"


def _section_schema(section: str) -> dict[str, Any]:
    return {
        "type": "object",
        "description": sections()[section].__doc__,
        "additionalProperties": False,
        "properties": {option.key: _option_schema(option) for option in _of(section)},
    }


def _option_schema(option: Option) -> dict[str, Any]:
    limits = {
        "enum": list(option.choices) or None,
        "minimum": option.rule.low,
        "maximum": option.rule.high,
        "pattern": r"\S" if option.rule.filled else None,
    }
    return {
        "type": _JSON_TYPES[option.kind],
        "description": option.rule.doc,
        "default": list(option.default) if option.kind is tuple else option.default,
        **({"items": {"type": "string"}} if option.kind is tuple else {}),
        **{name: limit for name, limit in limits.items() if limit is not None},
    }


def _of(section: str) -> list[Option]:
    return [option for option in options().values() if option.section == section]


def _taken_by(option: Option) -> str:
    return "reload" if option.rule.live else "restart"


def _limits(option: Option) -> str:
    free = option.kind is str and not option.choices and not option.rule.form_words
    return "" if free else f" ({option.allowed})"


def _toml(value: bool | int | float | str | tuple[str, ...]) -> str:
    return json.dumps(value)  # TOML writes these kinds as JSON does
