"""Where the model looks, and how often."""

from dataclasses import dataclass, field
from typing import Annotated

from vitcam.config.option import Rule
from vitcam.pictures.view import Follow


@dataclass(frozen=True, slots=True)
class LookSettings:
    """Where the model looks beside the whole picture or the zones."""

    follow: Annotated[
        Follow,
        Rule(
            "motion: look at what moves, too, in all pixels that the camera has of it; up to three places. Where there "
            "are zones, in them only. off: never",
            live=True,
            page=True,
        ),
    ] = "off"
    rest: Annotated[
        float,
        Rule(
            "While nothing moves in the view of a camera, look again after this time, in s. What moves is looked at at "
            "once, in every frame. 0: it never rests",
            low=0,
            high=3600,
            live=True,
            page=True,
        ),
    ] = 2.0
    rest_is_set: bool = field(default=False, compare=False)
    """Whether somebody has set `rest`. Its default holds for cameras; a pipe rests only where it is set."""


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """When something moves, and when nothing does any more, so that the camera rests."""

    threshold: Annotated[
        float,
        Rule(
            "Change of a spot that counts as movement, in levels of 255. Use more if the picture is noisy",
            low=1,
            high=100,
            live=True,
            page=True,
        ),
    ] = 6.0
    hold_s: Annotated[
        float,
        Rule(
            "Time without movement after which a camera rests, in s",
            low=0,
            high=3600,
            live=True,
            page=True,
        ),
    ] = 3.0
