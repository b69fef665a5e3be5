"""The settings of second models: when one is asked, and which species there are at this place."""

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar

from vitcam.config.option import Rule, Why
from vitcam.config.rules import OrderedRule

_NAME = re.compile(r"[\w-][\w.-]{0,199}")


def is_model_name(text: str) -> bool:
    """Whether a text may be the name of an installed model, and not a path."""
    return _NAME.fullmatch(text) is not None and not text.endswith(".tflite")


@dataclass(frozen=True, slots=True)
class SecondRule(OrderedRule):
    """A second model, which is asked about the same part of the picture where the first one gives a certain name."""

    ways: ClassVar[tuple[str, ...]] = ("model",)

    when: Annotated[
        str,
        Rule(
            "Label or group of the first model at which the second one is asked",
            filled=True,
            example="bird",
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = ""
    model: Annotated[
        str,
        Rule(
            "The second model: name of an installed one, or a .tflite file. Its labels are what it may say",
            filled=True,
            example="birds",
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = ""
    above: Annotated[
        float,
        Rule(
            "Probability from which on the second model's name is displayed; below it is not sure which. 0: as the "
            "card of the model says",
            low=0,
            high=1,
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = 0.0

    @property
    def lacks(self) -> str:
        return "" if self.when and self.model else "asks nothing; give it `when` and `model`"

    @property
    def named_labels(self) -> list[tuple[str, str]]:
        return [(self.when, f"[[second]] {self.name} is for")]


@dataclass(frozen=True, slots=True)
class SpeciesSettings:
    """What a second model is asked about that was chosen on the page, and which of its names may be said."""

    ask: Annotated[
        tuple[str, ...],
        Rule(
            "Labels and groups at which a second model is asked about the same part of the picture, such as bird",
            labels=True,
            live=True,
            page=True,
        ),
    ] = ()
    model: Annotated[
        str,
        Rule(
            "Name of the installed model that is asked then, such as birds",
            filled=True,
            form=is_model_name,
            form_words="the name of an installed model",
            live=True,
            page=True,
        ),
    ] = "birds"
    only: Annotated[
        tuple[str, ...],
        Rule(
            "Species that there are at this place, by their English or scientific names: second models say no others. "
            "Empty: all that they know, or those of `species.list`",
            live=True,
            page=True,
        ),
    ] = ()
    list: Annotated[
        str,
        Rule("File with one such species a line. Empty: there is none", live=True, page=Why.PATH),
    ] = ""
    names: Annotated[
        str,
        Rule(
            "File with names of species in another language, one a line: Carduelis carduelis = Stieglitz. Empty: "
            "English names",
            live=True,
            page=Why.PATH,
        ),
    ] = ""

    @property
    def rules(self) -> tuple[SecondRule, ...]:
        """What was chosen on the page, as rules."""
        return tuple(
            SecondRule(f"page-{number}", when=label, model=self.model) for number, label in enumerate(self.ask, 1)
        )
