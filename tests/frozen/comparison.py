"""The frozen answers: a JSON file for each, in lines that a reviewer can read."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.same_behaviour.differences import differences

FOLDER = Path(__file__).with_name("answers")
_WIDTH = 160


def differing(name: str, found: Any) -> list[str]:
    """Where an answer of now is another one, with the value of both; empty if it is the same."""
    file = _file(name)
    frozen = json.loads(file.read_text("utf-8")) if file.exists() else None
    return [str(each) for each in differences(frozen, json.loads(json.dumps(found)))]


def write(name: str, found: Any) -> None:
    """Freeze it."""
    FOLDER.mkdir(exist_ok=True)
    _file(name).write_text(in_lines(found) + "\n", "utf-8")


def _file(name: str) -> Path:
    return FOLDER / f"{name.replace(' ', '-')}.json"


def in_lines(value: Any, indent: int = 0) -> str:
    """JSON of which what fits into a line stands in one."""
    line = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(line) + indent <= _WIDTH or not value or not isinstance(value, Mapping | list):
        return line
    inner = " " * (indent + 1)
    if isinstance(value, Mapping):
        parts = [
            f"{inner}{json.dumps(key, ensure_ascii=False)}: {in_lines(each, indent + 1)}"
            for key, each in sorted(value.items())
        ]
        return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}"
    parts = [f"{inner}{in_lines(each, indent + 1)}" for each in value]
    return "[\n" + ",\n".join(parts) + "\n" + " " * indent + "]"
