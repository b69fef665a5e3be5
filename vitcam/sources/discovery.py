"""Which cameras libcamera finds, and which camera is used when none was named."""

import importlib.util
import json
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass

from vitcam.errors import SourceError
from vitcam.processes.command import CommandResult, run_with_timeout
from vitcam.sentence import Sentence
from vitcam.sources.v4l2_devices import Device, capture_devices

log = logging.getLogger(__name__)

LIST_COMMAND = (sys.executable, "-P", "-m", "vitcam.sources.picamera.child", "--list")
LIST_WITHIN_S = 20.0  # importing picamera2 takes 2 s on a Pi 5, more on a busy Pi 3; it hangs at a loose cable
NO_IMPORT = 3
"""Exit status of LIST_COMMAND where picamera2 cannot be imported."""


@dataclass(frozen=True, slots=True)
class LibcameraList:
    """The cameras that libcamera finds, or why it finds none."""

    names: tuple[str, ...] = ()
    """Ids of the cameras at the Pi's own connectors."""
    trouble: str = ""
    """One sentence; empty where libcamera answered, and where picamera2 is not installed."""
    imports: bool = True
    """False where picamera2 is installed and cannot be imported."""


def log_trouble(sentence: str) -> None:
    """Default of `on_trouble`: log it."""
    log.warning("%s", sentence)


def default_uri(on_trouble: Callable[[str], None] = log_trouble) -> str:
    """`picamera` if libcamera finds a camera at the Pi's own connectors, else the first V4L2 capture device.

    Takes seconds where picamera2 is installed.

    on_trouble  called with one sentence where libcamera failed, so that another camera is taken
    raises      SourceError if there is no camera
    """
    libcamera = list_libcamera()
    if libcamera.names:
        return "picamera"
    device = first_device()
    if device is None and libcamera.trouble:
        raise SourceError(f"{libcamera.trouble}, and no other camera was found; `vitcam doctor` says what to do")
    if device is None:
        raise SourceError(Sentence("no camera was found; connect one", "camera.none"))
    if libcamera.trouble:
        on_trouble(
            f"{libcamera.trouble}; {device.path} ({device.card}) is used instead; `vitcam doctor` says what to do"
        )
    return f"v4l2:{device.path}"


def first_device() -> Device | None:
    """The V4L2 device that is taken where libcamera finds no camera; None if there is none."""
    # a device that may not be opened comes last: opening it says what to do
    return min(capture_devices(), key=lambda device: not device.permitted, default=None)


def list_libcamera() -> LibcameraList:
    """Ask libcamera in a process of its own: it starts threads, and never sees what is plugged in later."""
    if importlib.util.find_spec("picamera2") is None:
        return LibcameraList()
    result = run_with_timeout(LIST_COMMAND, LIST_WITHIN_S)
    if result.code != 0:
        return LibcameraList(trouble=_trouble(result), imports=result.code != NO_IMPORT)
    try:
        # a USB camera is in libcamera's list, too, but has neither its scaler nor its formats: V4L2 serves it better
        return LibcameraList(tuple(name for name in json.loads(result.out) if "/usb" not in name))
    except (TypeError, ValueError):
        return LibcameraList(trouble=f"picamera2 gives no list of cameras: {result.out[:80]!r}")


def _trouble(result: CommandResult) -> str:
    if result.code is None:
        return f"libcamera did not answer within {LIST_WITHIN_S:g} s"
    if result.code < 0:
        return f"libcamera crashed (signal {-result.code})"
    return f"libcamera cannot list its cameras: {result.last_words}"
