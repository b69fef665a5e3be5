"""The settings of heat."""

from dataclasses import dataclass
from typing import Annotated

from vitcam.config.option import Rule, Why


@dataclass(frozen=True, slots=True)
class HeatSettings:
    """Classify fewer frames before the processor gets so hot that the firmware slows it."""

    enabled: Annotated[
        bool,
        Rule(
            "Limit the predictions/s while the processor is hot, and use fewer threads where they are enough",
            page=Why.MACHINE,
        ),
    ] = True
    limit: Annotated[
        float,
        Rule(
            "Temperature that the processor should not reach, in °C. 0: 80 on a Raspberry Pi, whose firmware slows the "
            "processor from there on; on other machines nothing is limited",
            low=0,
            high=110,
            page=Why.MACHINE,
        ),
    ] = 0.0
