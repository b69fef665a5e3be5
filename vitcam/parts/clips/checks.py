"""Whether this machine has what clips need."""

from collections.abc import Mapping

from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.errors import UsageError, VitcamError
from vitcam.parts.clips.ffmpeg import INSTALL, find_ffmpeg
from vitcam.parts.clips.settings import ClipSettings


def clips(context: CheckContext) -> CheckResult:
    """A missing ffmpeg matters only where clips are switched on."""
    if not context.settings[ClipSettings].enabled:
        return CheckResult("ok", "off; clips.enabled switches them on")
    try:
        return CheckResult("ok", f"H.264 by {find_ffmpeg().path}")
    except VitcamError as error:
        return CheckResult("warn", str(error), INSTALL)


def refuse_without_encoder(values: Mapping[str, object]) -> None:
    """Raises UsageError where the page switches clips on and nothing can encode them."""
    if values.get("clips.enabled"):
        try:
            find_ffmpeg()
        except VitcamError as error:
            raise UsageError(str(error)) from error


CHECKS = {"clips": clips}
