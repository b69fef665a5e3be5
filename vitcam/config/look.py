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
            "are zones, in them only. off: never. The default is for cameras; in films, photos and pipes nothing is "
            "followed unless this is set",
            live=True,
            page=True,
        ),
    ] = "motion"
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
    given: frozenset[str] = field(default=frozenset(), compare=False)
    """Keys that somebody has set. The defaults are for cameras: all else follows or rests only where that is set."""

    def follow_in(self, camera: bool) -> Follow:
        """Whether what moves is followed before a camera, or in something else."""
        return self.follow if camera or "follow" in self.given else "off"


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
