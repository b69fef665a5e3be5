"""One file that carries a vitcam to another machine. In: folders. Out: a tar archive with a manifest, and back again.

Nothing in an archive is believed before it is checked: names, kinds, sizes and SHA-256.
"""

from vitcam.run.part import Part

PART = Part(
    "backup",
    before_run="vitcam.parts.backup.unfinished:finish",
    verbs={verb: f"vitcam.parts.backup.cli.{verb}" for verb in ("backup", "restore")},
)
