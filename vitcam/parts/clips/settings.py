"""The settings of clips."""

from dataclasses import dataclass
from typing import Annotated

from vitcam.config.option import Rule


@dataclass(frozen=True, slots=True)
class ClipSettings:
    """A short video of each event. It needs the program ffmpeg."""

    enabled: Annotated[bool, Rule("Record a clip of each event", page=True)] = False
    before_s: Annotated[
        float, Rule("How much a clip shows of the time before its event, in s", low=0, high=30, page=True)
    ] = 5.0
    after_s: Annotated[
        float, Rule("How much a clip shows of the time after its event, in s", low=0, high=30, page=True)
    ] = 5.0
    longest_s: Annotated[
        float,
        Rule("A clip that would be longer ends here, in s. It limits memory and disk", low=1, high=300, page=True),
    ] = 60.0
    labels: Annotated[
        tuple[str, ...], Rule("Labels and groups whose events get a clip. Empty: every label", labels=True, page=True)
    ] = ()
    zones: Annotated[
        tuple[str, ...], Rule("Zones whose events get a clip. Empty: every zone, and the whole picture", page=True)
    ] = ()
    fps: Annotated[float, Rule("Pictures/s of a clip", low=1, high=30, page=True)] = 10.0
    width: Annotated[
        int, Rule("Width of a clip, in px. Narrower pictures are not enlarged", low=160, high=1920, page=True)
    ] = 640
