"""Settings of names: the language, and names of your own, which are keys that no setting has."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

from vitcam.config.option import Option, Rule, Why
from vitcam.names.languages import LANGUAGES, ORIGINAL
from vitcam.names.wanted import NAME_WORDS, OwnName, WantedNames

if TYPE_CHECKING:
    Language = str
else:
    Language = Literal[tuple(LANGUAGES)]


@dataclass(frozen=True, slots=True)
class NameSettings:
    """What labels and groups are called: in another language, and by names of your own."""

    language: Annotated[
        Language,
        Rule(
            "Language of labels and groups, as far as vitcam has translations. en: as the model says",
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = ORIGINAL
    own: tuple[OwnName, ...] = ()
    """Every other key of the section: the name of a label or a group, and what it is called instead."""
    language_place: str = field(default="", compare=False)
    """The file, variable or option that sets the language; empty: none does."""

    @property
    def wanted(self) -> WantedNames:
        """These as what is wanted of names."""
        return WantedNames(self.language if self.language_place else "", self.own, self.language_place)


OWN_NAME = Option(
    "names",
    '"LABEL"',
    str,
    None,
    (),
    Rule(
        "Another name for this label or group, in files and with --set only. Labels of the same name become one. "
        "Empty: it is hidden",
        form_words=NAME_WORDS,
        example="Mia",
        live=True,
        page=Why.ELSEWHERE,
    ),
)
"""What every key of `[names]` says that is not a setting itself."""
