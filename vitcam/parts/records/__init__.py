"""What was seen as records for others: a Camera Trap Data Package, and eBird's format."""

from vitcam.parts.records.settings import PlaceSettings
from vitcam.run.part import Part

PART = Part(
    "records",
    sections={"place": PlaceSettings},
    checks="vitcam.parts.records.checks:CHECKS",
    verbs={"export": "vitcam.parts.records.export"},
    after="events",
)
