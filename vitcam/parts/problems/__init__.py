"""Whether the camera still sees what it usually sees. In the publishing thread: it may not wait."""

from vitcam.parts.problems.settings import ProblemSettings
from vitcam.run.part import Part

PART = Part("problems", sections={"problems": ProblemSettings}, make="vitcam.parts.problems.watch:make")
