"""A second look: where the first model says bird, a second, small one is asked about the same part of the picture."""

from vitcam.parts.second.settings import SecondRule, SpeciesSettings
from vitcam.parts.second.state import SecondState
from vitcam.run.part import Part
from vitcam.threads.kinds import ThreadKind

LOADS = ThreadKind(
    "loads second models after a change of the settings or of their files; it begins once one is asked for",
    "the disk",
    "a change of second models has no effect",
    180.0,
)
PART = Part(
    "second",
    sections={"species": SpeciesSettings},
    rules={"second": SecondRule},
    state={"second": SecondState},
    threads={"second": LOADS},
    make="vitcam.parts.second.look:make",
    checks="vitcam.parts.second.checks:CHECKS",
    verbs={"models get": "vitcam.parts.second.cli.get"},
)
