"""Clips: whether the program that encodes them is there."""

from vitcam.clips.ffmpeg import INSTALL, find_ffmpeg
from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.errors import VitcamError


def clips(context: CheckContext) -> CheckResult:
    """A missing ffmpeg matters only where clips are switched on."""
    if not context.settings.clips.enabled:
        return CheckResult("ok", "off; clips.enabled switches them on")
    try:
        return CheckResult("ok", f"H.264 by {find_ffmpeg().path}")
    except VitcamError as error:
        return CheckResult("warn", str(error), INSTALL)
