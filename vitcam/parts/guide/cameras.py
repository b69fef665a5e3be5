"""The cameras that are connected, each with a picture of what it sees."""

import base64
import binascii
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from vitcam.errors import SourceError
from vitcam.processes.command import run_with_timeout
from vitcam.sources.discovery import list_libcamera
from vitcam.sources.v4l2_devices import capture_devices, stable_name

_STILL_COMMAND = (sys.executable, "-P", "-m", "vitcam.parts.guide.still")
_STILL_WITHIN_S = 20.0  # OpenCV and picamera2 are imported for it, and the camera needs a second for its exposure
DEMO, AUTO = "demo", "auto"


@dataclass(frozen=True, slots=True)
class FoundCamera:
    """A camera that could be used."""

    source: str
    """As the setting `camera.source` names it."""
    name: str
    trouble: str = ""
    """Why it cannot be used now; empty if it can, as far as is known."""


def found_cameras() -> tuple[list[FoundCamera], str]:
    """All cameras of this machine, and why libcamera finds none, or "". Takes seconds where picamera2 is installed."""
    libcamera = list_libcamera()
    own = [
        FoundCamera("picamera" if number == 0 else f"picamera:{number}", _model_of(name))
        for number, name in enumerate(libcamera.names)
    ]
    found = [
        FoundCamera(
            f"v4l2:{stable_name(device.path) or device.path}",
            device.card,
            "" if device.permitted else "vitcam may not open it: its user has to be in the group video",
        )
        for device in capture_devices()
    ]
    return [*own, *found, FoundCamera(DEMO, DEMO)], libcamera.trouble


def still(source: str, cameras: Sequence[FoundCamera]) -> bytes:
    """What one of the found cameras sees now, as JPEG. A process of its own takes the picture, because drivers hang.

    raises  SourceError if the camera is none of them, or gives no picture
    """
    if source not in [camera.source for camera in cameras]:
        raise SourceError(f"{source[:100]!r} is none of the cameras that were found; look for them again")
    result = run_with_timeout((*_STILL_COMMAND, source), _STILL_WITHIN_S)
    if result.code is None:
        raise SourceError(f"{source} gave no picture within {_STILL_WITHIN_S:g} s")
    if result.code != 0:
        raise SourceError(result.last_words)
    try:
        return base64.b64decode(result.out.strip(), validate=True)
    except binascii.Error:
        raise SourceError(f"{source} gave something that is not a picture") from None


def used_of(cameras: Sequence[FoundCamera], source: str) -> FoundCamera | None:
    """Which of them a run uses, by its source; None: another one, such as one of the network."""
    if source == AUTO:
        return cameras[0] if cameras and cameras[0].source != DEMO else None
    same = [camera for camera in cameras if _node_of(camera.source) == _node_of(source)]
    return same[0] if same else None


def _node_of(source: str) -> str:
    """One node of the kernel has several names."""
    path = source.removeprefix("v4l2:")
    return os.path.realpath(path) if path.startswith("/dev/") else source.removesuffix(":0")


def _model_of(name: str) -> str:
    """`imx708` of `/base/axi/pcie@120000/rp1/i2c@88000/imx708@1a`."""
    return name.rpartition("/")[2].partition("@")[0] or name
