"""A short video of each event. The publishing thread keeps JPEGs in memory, and one thread hands them to ffmpeg."""

from vitcam.parts.clips.settings import ClipSettings
from vitcam.parts.clips.state import ClipCounts
from vitcam.run.part import Part
from vitcam.threads.kinds import ThreadKind

ENCODES = ThreadKind(
    "hands the JPEGs of one clip after the other to ffmpeg",
    "the encoder, 10 minutes; it is killed then",
    "no clips are made",
    60.0,
)
PART = Part(
    "clips",
    sections={"clips": ClipSettings},
    harmless=("clips",),
    state={"clips": ClipCounts},
    threads={
        "clips": ENCODES,
        "clip limit": ThreadKind("ends an encoder that takes too long", "its time", fails="the thread `clips` ends it"),
    },
    make="vitcam.parts.clips.recorder:make",
    set_on_page="vitcam.parts.clips.checks:refuse_without_encoder",
    checks="vitcam.parts.clips.checks:CHECKS",
)
