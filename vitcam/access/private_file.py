"""Small files that only the daemon's user may read."""

from pathlib import Path

from vitcam.storage.whole import write_whole


def write_private(path: Path, text: str) -> None:
    """Write the whole file or nothing, also when the power fails.

    Root writes it for the owner of the folder, so that a service that runs as somebody else can read it.

    raises  OSError if it cannot be written
    """
    write_whole(path, text, private=True)
