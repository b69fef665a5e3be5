"""The settings as a JSON Schema for editors, a table for the manual, and an example file."""

import json
from collections.abc import Iterable
from typing import Any

from vitcam.config.layers import MOST_TABLES
from vitcam.config.open_sections import OF_PARTS, OPEN_SECTIONS
from vitcam.config.option import Option
from vitcam.config.settings import options, sections
from vitcam.config.tables import TABLES, table_options

_JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", tuple: "array"}
_EXAMPLE_KEYS = {"names": '"tabby cat"'} | {name: section.example for name, section in OF_PARTS.items()}


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of the configuration file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "vitcam configuration",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            **{name: _table_schema(kind, _of(name)) | _other_keys(name) for name, kind in sections().items()},
            **{key: _tables_schema(key) for key in TABLES},
        },
    }


def table() -> str:
    """Every setting as a Markdown table; ends with a newline."""
    lines = ["| setting | default | allowed | new value | meaning |", "|---|---|---|---|---|"]
    several = (option for key in TABLES for option in table_options(key).values())
    lines += [
        f"| `{option.name}` | {_default(option)} | {option.allowed} | {_taken_by(option)} | {option.rule.doc} |"
        for option in (*options().values(), *OPEN_SECTIONS.values(), *several)
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
        if each := OPEN_SECTIONS.get(section):
            lines += [f"# {each.rule.doc}{_limits(each)}", f"# {_EXAMPLE_KEYS[section]} = {_shown(each)}"]
    for key, kind in TABLES.items():
        lines += ["", f"# {kind.holds.__doc__}", f"#{kind.heading}"]
        for option in table_options(key).values():
            lines += [f"# {option.rule.doc}{_limits(option)}", f"#{option.key} = {_shown(option)}"]
    return "\n".join(lines) + "\n"


def _table_schema(kind: type[Any], its_options: Iterable[Option]) -> dict[str, Any]:
    return {
        "type": "object",
        "description": kind.__doc__,
        "additionalProperties": False,
        "properties": {option.key: _option_schema(option) for option in its_options},
    }


def _other_keys(section: str) -> dict[str, Any]:
    each = OPEN_SECTIONS.get(section)
    return {} if each is None else {"additionalProperties": _option_schema(each)}


def _tables_schema(key: str) -> dict[str, Any]:
    kind, its_options = TABLES[key], table_options(key).values()
    table = _table_schema(kind.holds, its_options)
    if required := [option.key for option in its_options if option.rule.filled]:
        table["required"] = required
    if kind.named:
        return {"type": "object", "maxProperties": MOST_TABLES, "additionalProperties": table}
    return {"type": "array", "maxItems": MOST_TABLES, "items": table}


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
        **({} if option.default is None else {"default": _json(option.default)}),
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


def _json(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _default(option: Option) -> str:
    return f"`{_toml(option.default)}`" if _has_default(option) else "none"


def _shown(option: Option) -> str:
    """Its example, where it has one, else its default."""
    return _toml(option.default if option.rule.example == "" else option.rule.example)


def _has_default(option: Option) -> bool:
    return option.default is not None and (option.default != "" or not option.rule.filled)


def _toml(value: bool | int | float | str | tuple[str, ...]) -> str:
    return json.dumps(value)  # TOML writes these kinds as JSON does
