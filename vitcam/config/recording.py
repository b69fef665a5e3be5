"""Settings of what is recorded beside events: clips, and problems of the camera."""

from dataclasses import dataclass
from typing import Annotated

from vitcam.config.option import Rule


@dataclass(frozen=True, slots=True)
class ClipSettings:
    """A short video of each event. It needs the program ffmpeg."""

    enabled: Annotated[bool, Rule("Record a clip of each event")] = False
    before_s: Annotated[float, Rule("How much a clip shows of the time before its event, in s", low=0, high=30)] = 5.0
    after_s: Annotated[float, Rule("How much a clip shows of the time after its event, in s", low=0, high=30)] = 5.0
    longest_s: Annotated[
        float, Rule("A clip that would be longer ends here, in s. It limits memory and disk", low=1, high=300)
    ] = 60.0
    labels: Annotated[tuple[str, ...], Rule("Labels and groups whose events get a clip. Empty: every label")] = ()
    zones: Annotated[
        tuple[str, ...], Rule("Zones whose events get a clip. Empty: every zone, and the whole picture")
    ] = ()
    fps: Annotated[float, Rule("Pictures/s of a clip", low=1, high=30)] = 10.0
    width: Annotated[int, Rule("Width of a clip, in px. Narrower pictures are not enlarged", low=160, high=1920)] = 640


@dataclass(frozen=True, slots=True)
class ProblemSettings:
    """Watch whether the camera still sees what it should see."""

    enabled: Annotated[
        bool,
        Rule("Report when the camera was moved, covered or blinded, is frozen, and when its picture is out of focus"),
    ] = True
    frozen_s: Annotated[
        float,
        Rule(
            "A camera whose picture stays the same to the last bit for this long, in s, is frozen and is opened again. "
            "0: never, as for a screen that is sent as a camera",
            low=0,
            high=86400,
        ),
    ] = 60.0
