"""A pickle read as data: its opcodes are interpreted here, and nothing that it names is imported, called or changed.

A pickle is a program that may name any function and have it called. This reads those that hold dictionaries, lists,
tuples, numbers and texts; a name that it would call goes to a table of the caller's, and any other name is refused.
"""

from __future__ import annotations

import io
import pickletools
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Build = Callable[..., Any]


class Refused(Exception):
    """What the pickle holds besides data, or where it breaks off; part of a sentence."""


@dataclass(frozen=True)
class Name:
    """Something that the pickle wants imported: `module.name`. Nothing is."""

    text: str


@dataclass(frozen=True)
class Allowed:
    """What may stand for the names in a pickle."""

    calls: Mapping[str, Build]
    """By name: what is done with the arguments in place of calling it. It checks them and raises Refused."""
    names: frozenset[str]
    """Names that are data, such as that of a type."""
    stored: Build
    """What a persistent id stands for; it gets the id."""


MARK = object()
CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
NUMBERS_AND_TEXTS = frozenset(
    {"BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE", "BINBYTES"}
    | {"SHORT_BINBYTES", "BINSTRING", "SHORT_BINSTRING"}
)
NEW: dict[str, Callable[[], Any]] = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple}
TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
IGNORED = frozenset({"PROTO", "FRAME"})


def read_pickle(file: io.BytesIO, allowed: Allowed) -> Any:
    """The next object in the file, which is left behind its end.

    raises  Refused
    """
    machine = _PickleMachine(allowed)
    try:
        with warnings.catch_warnings():  # pickletools warns of odd escapes in texts of the oldest protocol
            warnings.simplefilter("ignore", DeprecationWarning)
            for opcode, argument, _ in pickletools.genops(file):
                if opcode.name == "STOP":
                    return machine.stack.pop()
                machine.step(opcode.name, argument)
    except Refused:
        raise
    except (ValueError, IndexError, KeyError, TypeError, OverflowError, MemoryError, RecursionError) as error:
        raise Refused(f"a pickle that is damaged ({str(error) or type(error).__name__})") from error
    raise Refused("a pickle without an end")


class _PickleMachine:
    """A stack and a memo, as in `pickle`, without its calls."""

    def __init__(self, allowed: Allowed) -> None:
        self.allowed = allowed
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def step(self, name: str, argument: Any) -> None:
        if name in NUMBERS_AND_TEXTS:
            self.stack.append(argument)
        elif name in CONSTANTS:
            self.stack.append(CONSTANTS[name])
        elif name in NEW:
            self.stack.append(NEW[name]())
        elif name in TUPLES:
            items = [self.stack.pop() for _ in range(TUPLES[name])]
            self.stack.append(tuple(reversed(items)))
        elif name not in IGNORED:
            step = getattr(self, f"_{name.lower()}", None)
            if step is None:
                raise Refused(f"the pickle instruction {name}")
            step(argument)

    def _mark(self, _: Any) -> None:
        self.stack.append(MARK)

    def _since_mark(self) -> list[Any]:
        place = max(i for i, each in enumerate(self.stack) if each is MARK)
        items = self.stack[place + 1 :]
        del self.stack[place:]
        return items

    def _tuple(self, _: Any) -> None:
        self.stack.append(tuple(self._since_mark()))

    def _append(self, _: Any) -> None:
        item = self.stack.pop()
        self._top(list).append(item)

    def _appends(self, _: Any) -> None:
        items = self._since_mark()
        self._top(list).extend(items)

    def _setitem(self, _: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._top(dict)[key] = value

    def _setitems(self, _: Any) -> None:
        items = self._since_mark()
        self._top(dict).update(zip(items[::2], items[1::2], strict=True))

    def _top(self, kind: type) -> Any:
        if type(self.stack[-1]) is not kind:
            raise Refused(f"a pickle that fills a {type(self.stack[-1]).__name__} as if it were a {kind.__name__}")
        return self.stack[-1]

    def _binput(self, place: int) -> None:
        self.memo[place] = self.stack[-1]

    _long_binput = _put = _binput

    def _memoize(self, _: Any) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    def _binget(self, place: int) -> None:
        self.stack.append(self.memo[place])

    _long_binget = _get = _binget

    def _global(self, argument: str) -> None:
        self._name(argument.replace(" ", "."))

    def _stack_global(self, _: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self._name(f"{module}.{name}")

    def _name(self, text: str) -> None:
        if text not in self.allowed.calls and text not in self.allowed.names:
            raise Refused(f"{text!r}, which is neither a tensor nor a dictionary")
        self.stack.append(Name(text))

    def _reduce(self, _: Any) -> None:
        arguments, called = self.stack.pop(), self.stack.pop()
        if not (isinstance(called, Name) and called.text in self.allowed.calls and type(arguments) is tuple):
            raise Refused("a call of something that is not allowed")
        self.stack.append(self.allowed.calls[called.text](*arguments))

    def _binpersid(self, _: Any) -> None:
        self.stack.append(self.allowed.stored(self.stack.pop()))

    def _build(self, _: Any) -> None:
        """Attributes of a dictionary, such as the versions of its layers in `_metadata`: left out."""
        self.stack.pop()
        self._top(dict)
