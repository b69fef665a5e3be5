"""Refusals by a status of HTTP whose sentence the page can say in its own language."""

from collections.abc import Mapping
from typing import TypeVar

from aiohttp import web

from vitcam.sentence import Sentence

Refusal = TypeVar("Refusal", bound=web.HTTPException)


def refusal(kind: type[Refusal], sentence: Sentence, headers: Mapping[str, str] | None = None) -> Refusal:
    """To be raised."""
    made = kind(text=sentence, headers=headers)
    made.args = (sentence,)  # the text of a response is bytes
    return made


def sentence_of(error: web.HTTPException) -> str:
    """What it says."""
    said = error.args[0] if error.args else None
    return said if isinstance(said, Sentence) else error.text or error.reason
