"""What happened, once more: stored events from their pictures, and films under other settings. Nothing here is live."""

from vitcam.run.part import Part

PART = Part("replay", verbs={"replay": "vitcam.parts.replay.replay"}, after="events")
