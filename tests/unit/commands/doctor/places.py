"""Machines for the doctor to look at: folders that hold what a kernel would show."""

from dataclasses import replace

from vitcam.commands.doctor.check import Place
from vitcam.config.settings import CameraSettings, Settings


def put(place: Place, path: str, text: str) -> None:
    """Let the machine have a file of that text."""
    file = place.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def watching(place: Place, source: str) -> Place:
    """The same machine with that source in its settings."""
    return replace(place, settings=Settings(camera=CameraSettings(source=source)))
