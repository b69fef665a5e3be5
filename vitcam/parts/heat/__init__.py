"""Keeps the processor below the temperature from which on the firmware slows it."""

from vitcam.parts.heat.settings import HeatSettings
from vitcam.parts.heat.state import Heat
from vitcam.run.part import Part
from vitcam.threads.kinds import ThreadKind

THREAD = ThreadKind("reads the temperature every two seconds", "a sensor", "the temperature is not watched", 30.0)
PART = Part(
    "heat",
    sections={"heat": HeatSettings},
    state={"heat": Heat},
    threads={"heat": THREAD},
    make="vitcam.parts.heat.watch:make",
)
