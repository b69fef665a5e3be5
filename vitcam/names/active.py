"""The names in force. The page changes them, and so does a reload; every classifier takes them at its next picture."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from vitcam.names.naming import Naming, TranslatedNames, naming_of
from vitcam.names.wanted import NOTHING_WANTED, OwnName, WantedNames, key_of


def not_kept(_: WantedNames) -> str:
    """Default of `save`: nothing is kept, and nobody is told."""
    return ""


@dataclass(frozen=True, slots=True)
class InForce:
    """Names as they hold together."""

    fixed: WantedNames
    """What the configuration says."""
    page: WantedNames
    """What was set on the page; it holds where the configuration says nothing."""
    wanted: WantedNames
    """Both."""


class ActiveNames:
    """One value that is replaced as a whole, so that any thread may read it.

    fixed  what the configuration says
    page   what was set on the page in an earlier run
    save   keeps what is set on the page for the next start; returns why it will not be there then, "" if it will
    """

    def __init__(
        self,
        fixed: WantedNames = NOTHING_WANTED,
        page: WantedNames = NOTHING_WANTED,
        save: Callable[[WantedNames], str] = not_kept,
    ) -> None:
        self.in_force = InForce(fixed, page, fixed.over(page))
        self._save = save
        self._changing = threading.Lock()
        self._last: tuple[WantedNames, Sequence[str], Naming] | None = None

    def of(self, labels: Sequence[str], members: Mapping[str, Sequence[int]]) -> Naming | None:
        """What the labels and groups of a model are called; None: as the model says. Fast where nothing has changed.

        members  group -> indices of its labels; the same ones whenever the labels are
        """
        return None if self.in_force.wanted.changes_nothing else self.naming(labels, members)

    def naming(self, labels: Sequence[str], members: Mapping[str, Sequence[int]]) -> Naming:
        """The same, also where all is called as the model says."""
        wanted, last = self.in_force.wanted, self._last
        if last is not None and last[0] is wanted and last[1] is labels:
            return last[2]
        naming = naming_of(wanted, labels, members)
        self._last = wanted, labels, naming
        return naming

    def fix(self, fixed: WantedNames) -> None:
        """Take over what the configuration says now."""
        with self._changing:
            page = self.in_force.page
            self.in_force = InForce(fixed, page, fixed.over(page))

    def replace(self, page: WantedNames) -> str:
        """Take over what was set on the page; returns why it will not be kept for the next run, "" if it will."""
        with self._changing:
            fixed = self.in_force.fixed
            self.in_force = InForce(fixed, page, fixed.over(page))
            return self._save(page)


def without_fixed(
    fixed: WantedNames, page: WantedNames, labels: Sequence[str], groups: Sequence[str]
) -> tuple[WantedNames, str]:
    """What is to be set on the page, without what the configuration says, too.

    returns  the names, and one sentence where the configuration says otherwise; empty where it does not
    """
    if fixed.language and page.language not in ("", fixed.language):
        return page, f"the language is set in {fixed.language_place}; change it there"
    language = "" if fixed.language else page.language
    words = TranslatedNames(fixed.over(page).language, [*labels, *groups])
    by_name = {name: each for each in fixed.own for name in _meant(words, each)}
    own = []
    for each in page.own:
        others = [by_name[name] for name in _meant(words, each) if name in by_name]
        if different := next((other for other in others if other.name != each.name), None):
            return page, f"the name for {each.label!r} is set in {different.place}; change it there"
        if not others:
            own.append(each)
    return replace(page, language=language, own=tuple(own)), ""


def _meant(words: TranslatedNames, own: OwnName) -> list[str]:
    """The model's names; for one that this model has not, what was written."""
    return words.meant_by(own.label) or [key_of(own.label)]
