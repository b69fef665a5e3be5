"""How a Vision Transformer comes to its answer for one picture, step by step: the view Learn."""

from vitcam.run.part import Part, View

PART = Part(
    "learn",
    routes="vitcam.parts.learn.routes:HANDLERS",
    schemas="vitcam.parts.learn.routes:schemas",
    view=View(changes=True),
)
