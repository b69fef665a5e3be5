"""Refusals by a status of HTTP whose sentence the page can say in its own language."""

from collections.abc import Mapping
from typing import Final, TypeVar

from aiohttp import web

from vitcam.sentence import Sentence

SENTENCE: Final = "sentence"
"""Where a refusal keeps it: the text of a response is bytes."""
Refusal = TypeVar("Refusal", bound=web.HTTPException)


def refusal(kind: type[Refusal], sentence: Sentence, headers: Mapping[str, str] | None = None) -> Refusal:
    """To be raised."""
    made = kind(text=sentence, headers=headers)
    made[SENTENCE] = sentence
    return made
