"""One setting, as the checks and the manual need it: made from a field of a dataclass and its `Rule`."""

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from vitcam.redaction import redacted


class Why(StrEnum):
    """Why the page may not set a setting, as the end of a sentence."""

    COMMAND = "it runs a program"
    PATH = "it names a file of this machine"
    PIN = "it moves a pin of this machine"
    ADDRESS = "it says where the page is served"
    ACCESS = "it says who may reach the page"
    CERTIFICATE = "it says by which certificate the page is known"
    BROKER = "it says to whom vitcam sends what it sees, and who may command it"
    FETCH = "it lets vitcam ask other machines"
    PROXY = "it says which proxies are believed"
    SECRET = "it is a key"  # noqa: S105 - a sentence
    MACHINE = "it belongs to who runs this machine"
    ELSEWHERE = "the page has a place of its own for it"


@dataclass(frozen=True, slots=True)
class Rule:
    """What one setting means, which values are allowed, and whether the page may set it."""

    doc: str
    page: Literal[True] | Why = field(kw_only=True)
    """True: `PATCH /api/settings` changes it. Else: why it does not."""
    low: float | None = None
    high: float | None = None
    filled: bool = False
    """True: the text may not be empty."""
    form: Callable[[str], bool] | None = None
    """Whether a text that is not empty is valid. Of a list, each text is checked."""
    form_words: str = ""
    """What `form` accepts, in words."""
    separator: str = ","
    """Between the texts of a list, in the environment and with `--set`."""
    example: bool | int | float | str | tuple[str, ...] = ""
    """A value for the example file, where the default would say too little."""
    live: bool = False
    """True: a run that reads its settings again uses the new value at once. False: it needs a restart."""
    labels: bool = False
    """True: a list of labels and groups, which the model should know."""
    secret: bool = False
    """True: it may hold a key or a token, so no message and no list of settings shows it."""


@dataclass(frozen=True, slots=True)
class Option:
    """One setting, as validation and documentation need it."""

    section: str
    key: str
    kind: type[Any]
    """bool, int, float, str or tuple (of texts)."""
    default: Any
    """None: there is none; what holds then is in the rule's `doc`."""
    choices: tuple[str | int, ...]
    """Empty: any value within the rule."""
    rule: Rule

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}"

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"VITCAM_{self.section}_{self.key}".upper()

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.choices:
            return ", ".join(str(choice) for choice in self.choices[:-1]) + f" or {self.choices[-1]}"
        if self.kind is bool:
            return "true or false"
        if self.kind is tuple:
            return f"a list of {self.rule.form_words or 'texts'}"
        if self.rule.form_words:
            return self.rule.form_words
        if self.kind is str:
            return "a text that is not empty" if self.rule.filled else "a text"
        noun = "a whole number" if self.kind is int else "a number"
        return f"{noun} from {self.rule.low:g} to {self.rule.high:g}"


def without_secrets(option: Option, value: object) -> object:
    """A value of the setting as people may see it. Of an address that is a secret, the scheme stays."""
    if isinstance(value, (list, tuple)):
        return [without_secrets(option, part) for part in value]
    if not isinstance(value, str):
        return "***" if option.rule.secret else value
    if not value:
        return value
    scheme, found, _ = value.partition("://")
    return redacted(value) if not option.rule.secret else f"{scheme}://***" if found else "***"


def options_of(section: str, section_class: type[Any]) -> list[Option]:
    """The settings of one section or table, in the order of the file."""
    hints = get_type_hints(section_class, include_extras=True)
    fields = dataclasses.fields(section_class)
    return [_option(section, f, hints[f.name]) for f in fields if get_origin(hints[f.name]) is Annotated]


def _option(section: str, f: dataclasses.Field[Any], hint: type[Any]) -> Option:
    plain, rule = get_args(hint)  # of Annotated
    kinds = [kind for kind in get_args(plain) if kind is not NoneType]
    if f.default is None and len(kinds) == 1:
        plain = kinds[0]
    choices = get_args(plain) if get_origin(plain) is Literal else ()
    kind = type(choices[0]) if choices else get_origin(plain) or plain
    return Option(section, f.name, kind, f.default, choices, rule)


@dataclass(frozen=True, slots=True)
class OpenSection:
    """A section whose keys are free. Its dataclass has the entries in its field `own`."""

    each: Option
    """What every key says."""
    entry: type[Any]
    """Holds one of them: a dataclass of key, value and place, in this order."""
    names: str
    """What a key names, such as `camera`."""
    key: re.Pattern[str]
    key_words: str
    """What a key may be, for refusals."""
    example: str
    """A key."""
    most: int
    """So many keys are allowed."""
