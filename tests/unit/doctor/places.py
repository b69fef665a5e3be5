"""Machines for the doctor to look at: folders that hold what a kernel would show."""

from dataclasses import replace

from vitcam.config.camera import CameraSettings
from vitcam.config.settings import Settings
from vitcam.doctor.check import CheckContext


def put(context: CheckContext, path: str, text: str) -> None:
    """Let the machine have a file of that text."""
    file = context.machine.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def watching(context: CheckContext, source: str) -> CheckContext:
    """The same machine with that source in its settings."""
    return replace(context, settings=Settings(camera=CameraSettings(source=source)))
