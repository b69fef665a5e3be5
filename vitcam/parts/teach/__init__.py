"""From named photos to a model that knows their labels, in seconds and on the device: rows of a head, nothing else.

`datasets` has the pictures that people collect and name, `inbox` those of which the model was unsure.
"""

from collections.abc import Mapping

from vitcam.parts.teach.settings import CollectSettings, InboxSettings
from vitcam.run.part import Part, View
from vitcam.threads.kinds import ThreadKind

THREADS: Mapping[str, ThreadKind] = {
    "collect": ThreadKind(
        "encodes and writes the pictures that are collected; it begins with the first recording",
        "the disk",
        "no pictures are collected",
        60.0,
    ),
    "inbox": ThreadKind(
        "encodes and writes the pictures of which the model is unsure, and asks another model about them",
        "the disk",
        "no pictures are put into the inbox",
        60.0,
    ),
}
_CLI = "vitcam.parts.teach.cli"
PART = Part(
    "teach",
    sections={"collect": CollectSettings, "inbox": InboxSettings},
    harmless=("collect",),
    threads=THREADS,
    make="vitcam.parts.teach.make:make",
    made_again=(r"datasets/[^/]+/\.vitcam-features\.npz",),
    copies="vitcam.parts.teach.corrected_copies:CorrectedPictures",
    routes="vitcam.parts.teach.routes:HANDLERS",
    schemas="vitcam.parts.teach.schemas:schemas",
    view=View("M3 4h9l9 9-8 8-9-9zM8 9h.01", order=1, changes=True, on_correction="teach.from_history"),
    verbs={verb: f"{_CLI}.{verb}" for verb in ("collect", "datasets", "teach")},
    after="events",
)
