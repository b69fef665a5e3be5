"""The names that somebody wants: a language, and the names that replace others, with the place where each was set."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from vitcam.errors import UsageError
from vitcam.names.languages import LANGUAGES, ORIGINAL
from vitcam.text import shortened

MOST = 2000
LONGEST = 100
NAME_WORDS = f"a text of up to {LONGEST} characters; an empty one hides the label"


def key_of(text: str) -> str:
    """Is the same for texts that mean the same name: case and spaces do not count, nor how accents are coded."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


@dataclass(frozen=True, slots=True)
class OwnName:
    """Another name for a label or a group."""

    label: str
    """What the model or the language calls it, in any case."""
    name: str
    """Empty: it is hidden."""
    place: str = ""
    """The file that says so; empty: it was set on the page."""


@dataclass(frozen=True, slots=True)
class WantedNames:
    """How labels and groups are to be called."""

    language: str = ""
    """One of `LANGUAGES`; empty: nobody has chosen one."""
    own: tuple[OwnName, ...] = ()
    """At most one for each key of `label`."""
    language_place: str = ""
    """The file, variable or option that sets the language; empty: it was chosen on the page, or nobody chose one."""

    @property
    def changes_nothing(self) -> bool:
        """Whether all is called as the model says."""
        return not self.own and self.language in ("", ORIGINAL)

    def over(self, lower: Self) -> Self:
        """These, and those of another place where these say nothing."""
        keys = {key_of(each.label) for each in self.own}
        own = (*(each for each in lower.own if key_of(each.label) not in keys), *self.own)
        chosen = self if self.language else lower
        return replace(self, language=chosen.language, own=own, language_place=chosen.language_place)


NOTHING_WANTED = WantedNames()


def own_names(given: Mapping[str, Any], place: str = "") -> tuple[OwnName, ...]:
    """Names of your own by what they replace. Raises UsageError with one sentence."""
    if len(given) > MOST:
        raise UsageError(f"there are {len(given):,} names; {MOST:,} are allowed")
    found: dict[str, OwnName] = {}
    for label, name in given.items():
        own = OwnName(checked_label(label), checked_name(label, name), place)
        if (other := found.setdefault(key_of(own.label), own)) is not own:
            raise UsageError(
                f"{shortened(other.label)!r} and {shortened(own.label)!r} are the same label; name it once"
            )
    return tuple(found.values())


def checked_label(label: str) -> str:
    """The text on the left, without space around it. Raises UsageError."""
    plain = " ".join(label.split())
    if not plain or len(plain) > LONGEST or not plain.isprintable():
        raise UsageError(f"{shortened(label)!r} is not a label; a text of 1 to {LONGEST} characters is allowed")
    return plain


def checked_name(label: str, name: object) -> str:
    """The text on the right, without space around it. Raises UsageError."""
    from vitcam.frames import UNKNOWN  # it brings NumPy along, and `vitcam --help` needs none

    plain = unicodedata.normalize("NFC", " ".join(name.split())) if isinstance(name, str) else None
    if plain is None or len(plain) > LONGEST or not plain.isprintable():
        raise UsageError(f"the name for {shortened(label)!r} is {shortened(repr(name))}; allowed is {NAME_WORDS}")
    if key_of(plain) == UNKNOWN:
        raise UsageError(
            f"{shortened(label)!r} cannot be called {plain!r}: that is the word for what the model does not know"
        )
    return plain


def checked_language(language: object) -> str:
    """One of `LANGUAGES`; empty for None. Raises UsageError."""
    if language is None:
        return ""
    if not isinstance(language, str) or language not in LANGUAGES:
        raise UsageError(
            f"the language is {shortened(repr(language))}; allowed is one of {', '.join(LANGUAGES)}, or null for none"
        )
    return language


def names_in(own: Iterable[OwnName]) -> dict[str, str]:
    """Names of your own by what they replace."""
    return {each.label: each.name for each in own}
