"""On which line of a TOML file each key stands, which tomllib does not tell."""

import re
import tomllib
from collections import Counter
from contextlib import suppress

_PART = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_PATH = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_TABLE = re.compile(rf"[ \t]*\[[ \t]*({_PATH})[ \t]*\]")
_ONE_OF_SEVERAL = re.compile(rf"[ \t]*\[\[[ \t]*({_PATH})[ \t]*\]\]")
_KEY = re.compile(rf"[ \t]*({_PATH})[ \t]*=")


def lines_of(text: str) -> dict[str, int]:
    """`section.key` -> its line, from 1; of several tables `on.2.key`. Keys inside of brackets are not found.

    text  valid TOML. A line of a text with several lines that looks like a key may be taken for one
    """
    found: dict[str, int] = {}
    numbers: Counter[str] = Counter()
    heading: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        if several := _ONE_OF_SEVERAL.match(line):
            path = _path_of(several[1])
            numbers[".".join(path)] += 1
            heading = (*path, str(numbers[".".join(path)]))
        elif table := _TABLE.match(line):
            heading = _path_of(table[1])
        elif key := _KEY.match(line):
            found.setdefault(".".join((*heading, *_path_of(key[1]))), number)
    return found


def _path_of(text: str) -> tuple[str, ...]:
    """The names in a dotted key, without quotes."""
    names: list[str] = []
    with suppress(tomllib.TOMLDecodeError):  # of a line inside of a text
        value = tomllib.loads(f"{text} = 0")
        while isinstance(value, dict):
            (name, value), *_ = value.items()
            names.append(name)
    return tuple(names)
