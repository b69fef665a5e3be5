"""`vitcam classify`: many photos, and their answers for people, as JSON lines, or behind those of an earlier run."""

from vitcam.run.part import Part

PART = Part("batch", verbs={"classify": "vitcam.parts.batch.classify"}, after="run")
