"""Where the model looks, and how often."""

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """Classify less often while nothing moves. Off by default: it misses things that are very slow or very small."""

    enabled: Annotated[
        bool,
        Rule(
            "Classify fewer frames of a camera while nothing moves in the part that the model gets",
            live=True,
            page=True,
        ),
    ] = False
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
            "Time without movement after which fewer frames are classified, in s",
            low=0,
            high=3600,
            live=True,
            page=True,
        ),
    ] = 3.0
    rest_fps: Annotated[
        float, Rule("Limit of predictions/s while nothing moves", low=0.01, high=60, live=True, page=True)
    ] = 1.0
