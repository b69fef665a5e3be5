"""Which cameras there are, whether they may be opened, and whether the source that is set is among them.

The sources import OpenCV, so they are imported where they are used: see `check_model`.
"""

import importlib.util
import json
import sys
from typing import TYPE_CHECKING

from vitcam.commands.doctor.check import Examined, Finding
from vitcam.errors import UsageError, VitcamError
from vitcam.processes.bounded import run_bounded

if TYPE_CHECKING:
    from vitcam.sources.v4l2_devices import Device

_LOOK_S = 30  # libcamera hangs where a ribbon cable is loose
_LIST = [sys.executable, "-P", "-m", "vitcam.sources.picamera.child", "--list"]
_NO_CAMERA = "connect one (rpicam-hello --list-cameras, v4l2-ctl --list-devices), or try: vitcam run --source demo"
_ON_THE_NETWORK = ("rtsp:", "http:", "https:")
_NO_RIGHT = "sudo usermod -aG video $USER, then log in again"


def camera(examined: Examined) -> Finding:
    """What libcamera and the kernel find, measured by what the settings ask for."""
    from vitcam.sources.v4l2_devices import capture_devices

    source = examined.settings.camera.source
    if source.startswith(_ON_THE_NETWORK):
        return _answers(source)
    devices = capture_devices(examined.machine.root / "dev")
    ribbon, trouble = _libcamera_finds()
    if trouble and not source.startswith(("v4l2:", "/dev/v")):
        return Finding(
            "fail", trouble, "check the ribbon cable at both ends, then reboot; dmesg | grep -i -e csi -e camera"
        )
    found = _listed(ribbon, devices)
    if source.startswith(("v4l2:", "/dev/v")):
        return _named_device(source.removeprefix("v4l2:"), devices, found)
    if source.startswith("picamera"):
        return Finding("ok", found) if ribbon else Finding("fail", f"picamera2 finds no camera; {found}", _NO_CAMERA)
    if source:
        return _no_camera_wanted(source)
    if ribbon or any(device.permitted for device in devices):
        return Finding("ok", found)
    return Finding("fail", found, _NO_RIGHT if devices else _NO_CAMERA)


def _answers(source: str) -> Finding:
    """One picture from a network camera; every wait inside has its time-out."""
    from vitcam.redaction import redacted
    from vitcam.sources import open_source

    try:
        with open_source(source) as opened:
            height, width = next(iter(opened)).preview.shape[:2]
    except VitcamError as error:
        return Finding("fail", str(error), "look at the same address with ffplay or a browser from this machine")
    return Finding("ok", f"{redacted(source)} sends pictures of {width}×{height} px")


def _libcamera_finds() -> tuple[list[str], str]:
    """The names of libcamera's cameras, and what is wrong with it; nothing is where it is not installed."""
    if importlib.util.find_spec("picamera2") is None:
        return [], ""
    outcome = run_bounded(_LIST, _LOOK_S)
    if outcome.code != 0:
        return [], _trouble(outcome.code)
    try:  # a USB camera is in libcamera's list, too, but vitcam opens it by V4L2
        return [name for name in json.loads(outcome.out) if "/usb" not in name], ""
    except (TypeError, ValueError):
        return [], f"picamera2 gives no list of cameras: {outcome.out[:80]!r}"


def _trouble(code: int | None) -> str:
    """A picamera2 that does not import is the business of its own check; one that hangs or crashes is a camera's."""
    if code is None:
        return f"libcamera did not answer within {_LOOK_S} s"
    return f"libcamera crashed (signal {-code})" if code < 0 else ""


def _listed(ribbon: list[str], devices: "list[Device]") -> str:
    names = [f"picamera: {name}" for name in ribbon]
    names += [f"{device.path}: {device.card}{'' if device.permitted else ' (may not be opened)'}" for device in devices]
    return "; ".join(names) or "no camera was found"


def _named_device(path: str, devices: "list[Device]", found: str) -> Finding:
    match = next((device for device in devices if device.path == path), None)
    if match is None:
        return Finding("fail", f"{path} is no camera; {found}", _NO_CAMERA)
    return Finding("ok", found) if match.permitted else Finding("fail", found, _NO_RIGHT)


def _no_camera_wanted(source: str) -> Finding:
    from vitcam.sources import open_source

    try:
        open_source(source)
    except UsageError as error:
        return Finding("fail", str(error), "name another with --source, or in [camera] source")
    if source.partition(":")[0] == "-":
        return Finding("ok", "the source is stdin: what a pipe brings shows when it runs")
    return Finding("ok", f"the source is {source}: no camera is needed")
