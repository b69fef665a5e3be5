"""The guide of a first run: cameras with their pictures, passwords, the address for a phone."""

from vitcam.run.part import Part
from vitcam.threads.kinds import WAITER, ThreadKind

LOOKS = ThreadKind(
    "looks for cameras for the guide of a first run, and waits for a picture of each",
    "a process of its own, 20 s",
    "the guide shows no cameras",
    90.0,
    WAITER,
)
PART = Part(
    "guide",
    threads={"cameras": LOOKS},
    make="vitcam.parts.guide.first_run:make",
    routes="vitcam.parts.guide.routes:HANDLERS",
)
