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
            "motion: also look at what moves, at the full resolution of the camera, at up to three places. Where there "
            "are zones, in them only. off: never. The default is for cameras; in films, photos and pipes nothing is "
            "followed unless this is set",
            live=True,
            page=True,
        ),
    ] = "motion"
    rest: Annotated[
        float,
        Rule(
            "While nothing moves in the view of a camera, it rests: the model looks once in this time, in s. While "
            "something moves, it looks at every frame. 0: the camera never rests",
            low=0,
            high=3600,
            live=True,
            page=True,
        ),
    ] = 2.0
    given: frozenset[str] = field(default=frozenset(), compare=False)
    """Keys that somebody has set. The defaults are for cameras: all else follows or rests only where that is set."""

    def follow_in(self, camera: bool) -> Follow:
        """Whether what moves is followed.

        camera  whether the source is a camera
        """
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
