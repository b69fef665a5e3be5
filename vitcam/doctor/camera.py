"""Which cameras there are, whether they may be opened, and whether the source that is set is among them.

The sources import OpenCV, so they are imported where they are used: see `check_model`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.errors import UsageError, VitcamError

if TYPE_CHECKING:
    from vitcam.sources.network.trust import Trust
    from vitcam.sources.v4l2_devices import Device

_NO_CAMERA = "connect one (rpicam-hello --list-cameras, v4l2-ctl --list-devices), or try: vitcam run --source demo"
_LOOSE_CABLE = "check the ribbon cable at both ends, then reboot; dmesg | grep -i -e csi -e camera"
_NO_RIGHT = "sudo usermod -aG video $USER, then log in again"


def camera(context: CheckContext) -> CheckResult:
    """What libcamera and the kernel find, measured by what the settings ask for."""
    from vitcam.sources import is_on_network
    from vitcam.sources.discovery import list_libcamera
    from vitcam.sources.v4l2_devices import capture_devices

    source = context.settings.camera.source
    if is_on_network(source):
        return _answers(source, context.settings.camera.trust)
    devices = capture_devices(context.machine.root / "dev")
    libcamera = list_libcamera()
    # a picamera2 that cannot be imported is a result of the check of that name
    if libcamera.trouble and libcamera.imports and not source.startswith(("v4l2:", "/dev/v")):
        return CheckResult("fail", libcamera.trouble + _used_instead(source, devices), _LOOSE_CABLE)
    found = _listed(libcamera.names, devices)
    if source.startswith(("v4l2:", "/dev/v")):
        return _named_device(source.removeprefix("v4l2:"), devices, found)
    if source.startswith("picamera"):
        missing = CheckResult("fail", f"picamera2 finds no camera; {found}", _NO_CAMERA)
        return CheckResult("ok", found) if libcamera.names else missing
    if source:
        return _no_camera_wanted(source)
    if libcamera.names or any(device.permitted for device in devices):
        return CheckResult("ok", found)
    return CheckResult("fail", found, _NO_RIGHT if devices else _NO_CAMERA)


def _answers(source: str, trust: "Trust") -> CheckResult:
    """One picture from a network camera; every wait inside has its time-out."""
    from vitcam.redaction import redacted
    from vitcam.sources import SourceOptions, open_source

    try:
        with open_source(source, SourceOptions(trust=trust)) as opened:
            height, width = next(iter(opened)).preview.shape[:2]
    except VitcamError as error:
        found, _, fix = str(error).partition("; ")
        return CheckResult("fail", found, fix or "look at the same address with ffplay or a browser from this machine")
    return CheckResult("ok", f"{redacted(source)} sends pictures of {width}×{height} px")


def _used_instead(source: str, devices: "list[Device]") -> str:
    """The end of a sentence: which camera `vitcam run` takes if the settings name none."""
    permitted = [device.path for device in devices if device.permitted]
    return f"; vitcam run uses {permitted[0]} instead" if permitted and not source else ""


def _listed(names: Sequence[str], devices: "list[Device]") -> str:
    names = [f"picamera: {name}" for name in names]
    names += [f"{device.path}: {device.card}{'' if device.permitted else ' (may not be opened)'}" for device in devices]
    return "; ".join(names) or "no camera was found"


def _named_device(path: str, devices: "list[Device]", found: str) -> CheckResult:
    match = next((device for device in devices if device.path == path), None)
    if match is None:
        return CheckResult("fail", f"{path} is not a camera; {found}", _NO_CAMERA)
    return CheckResult("ok", found) if match.permitted else CheckResult("fail", found, _NO_RIGHT)


def _no_camera_wanted(source: str) -> CheckResult:
    from vitcam.sources import open_source

    try:
        open_source(source)
    except UsageError as error:
        return CheckResult("fail", str(error), "name another with --source, or in [camera] source")
    if source.partition(":")[0] == "-":
        return CheckResult("ok", "the source is stdin: what a pipe brings shows when it runs")
    return CheckResult("ok", f"the source is {source}: no camera is needed")
