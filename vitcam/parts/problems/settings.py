"""The settings of problems."""

from dataclasses import dataclass
from typing import Annotated

from vitcam.config.option import Rule


@dataclass(frozen=True, slots=True)
class ProblemSettings:
    """Watch whether the camera still sees what it should see."""

    enabled: Annotated[
        bool,
        Rule(
            "Report when the camera was moved, covered or blinded, is frozen, and when its picture is out of focus",
            page=True,
        ),
    ] = True
    frozen_s: Annotated[
        float,
        Rule(
            "A camera whose picture stays the same to the last bit for this long, in s, is frozen and is opened again. "
            "0: never, as for a screen that is sent as a camera",
            low=0,
            high=86400,
            page=True,
        ),
    ] = 60.0
