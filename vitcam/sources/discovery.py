"""Which camera to take when nobody named one."""

import importlib.util
import json
import subprocess
import sys

from vitcam.errors import SourceError
from vitcam.sources.v4l2_devices import capture_devices

_LOOK_S = 20  # importing picamera2 takes 2 s on a Pi 5, more on a busy Pi 3


def default_uri() -> str:
    """`picamera` if picamera2 finds a camera at the Pi's own connectors, else the first V4L2 capture device.

    Takes seconds where picamera2 is installed. Raises SourceError if there is no camera at all.
    """
    if _picamera2_finds_a_camera():
        return "picamera"
    # one that may not be opened comes last, and says what to do about it when it is
    devices = sorted(capture_devices(), key=lambda device: not device.permitted)
    if not devices:
        raise SourceError("no camera was found; connect one")
    return f"v4l2:{devices[0].path}"


def _picamera2_finds_a_camera() -> bool:
    """Asked in a process of its own: libcamera starts threads, and never again sees what is plugged in later."""
    if importlib.util.find_spec("picamera2") is None:
        return False
    command = [sys.executable, "-P", "-m", "vitcam.sources.picamera.child", "--list"]
    try:
        asked = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LOOK_S, check=True)
        # a USB camera is in libcamera's list, too, but has neither its scaler nor its formats: V4L2 serves it better
        return any("/usb" not in name for name in json.loads(asked.stdout))
    except (OSError, subprocess.SubprocessError, ValueError):
        return False
