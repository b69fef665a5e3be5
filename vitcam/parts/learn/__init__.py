"""How a Vision Transformer comes to its answer for one picture, step by step: the view Learn."""

from vitcam.run.part import RARE, Part, View

PART = Part(
    "learn",
    routes="vitcam.parts.learn.routes:HANDLERS",
    schemas="vitcam.parts.learn.routes:schemas",
    view=View("M2 9l10-5 10 5-10 5zM6 11.5V17c3 2.5 9 2.5 12 0v-5.5", RARE, changes=True),
)
