"""Settings of the camera."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from vitcam.certificates import FINGERPRINT_WORDS, is_fingerprint, read_fingerprint
from vitcam.config.option import Rule, Why
from vitcam.config.validators import DURATION_WORDS, is_duration
from vitcam.pictures.view import CROP_WORDS, Flip, Rotate, is_region

if TYPE_CHECKING:
    from vitcam.sources.network.trust import Trust

_LONGEST_NAME = 40


def _is_camera_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and text.isprintable()


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """Where pictures come from, and what the camera should deliver."""

    source: Annotated[
        str,
        Rule(
            "Where pictures come from: picamera, v4l2:/dev/video0, rtsp://…, http://… (MJPEG or a picture), - (a "
            "pipe), a file, a folder, demo. Empty: the first camera",
            page=True,
        ),
    ] = ""
    name: Annotated[
        str,
        Rule(
            "What people call this camera, on the page and in messages. Topics of MQTT and what programs know it by "
            "stay as they are. Empty: messages say the source",
            form=_is_camera_name,
            form_words=f"up to {_LONGEST_NAME} characters in one line",
            example="Front door",
            live=True,
            page=True,
        ),
    ] = ""
    fingerprint: Annotated[
        str,
        Rule(
            "SHA-256 of the certificate of a network camera (https:// or rtsps://). Only this certificate is accepted, "
            "also one that signs itself, has expired or is for another name. Empty: an authority must have signed it",
            form=is_fingerprint,
            form_words=FINGERPRINT_WORDS,
            page=True,
        ),
    ] = ""
    authority: Annotated[
        str,
        Rule(
            "PEM file with the authorities that sign the certificate of a network camera. Empty: the ones that this "
            "machine trusts",
            page=Why.PATH,
        ),
    ] = ""
    width: Annotated[
        int,
        Rule(
            "Width of the camera's pictures, in px. Larger pictures of a network camera are halved, but not below this",
            low=64,
            high=8192,
            page=True,
        ),
    ] = 1280
    height: Annotated[
        int,
        Rule(
            "Height of the camera's pictures, in px. Larger pictures are halved as with the width",
            low=64,
            high=8192,
            page=True,
        ),
    ] = 720
    fps: Annotated[float, Rule("Frame rate of the camera, in frames/s", low=0.1, high=240, page=True)] = 30.0
    rotate: Annotated[Rotate, Rule("Degrees to turn pictures clockwise, so that they are upright", page=True)] = 0
    flip: Annotated[
        Flip, Rule("Mirror pictures left to right (h), top to bottom (v) or both (hv), after `rotate`", page=True)
    ] = "none"
    crop: Annotated[
        str,
        Rule(
            "The part of the upright picture that the model gets. 0,0,1,1: the whole picture. Empty: for a camera the "
            "part that was last chosen on the page, else the whole picture",
            form=is_region,
            form_words=CROP_WORDS,
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = ""
    masks: Annotated[
        tuple[str, ...],
        Rule(
            "Parts of the upright picture that are black before anybody sees them: model, page, and what is stored. In "
            "the environment and with --set, put semicolons between them",
            form=is_region,
            form_words=f"rectangles {CROP_WORDS}",
            separator=";",
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = ()
    every: Annotated[
        str,
        Rule(
            "How long the page shows each photo of a folder, unless --no-realtime is given",
            filled=True,
            form=is_duration,
            form_words=DURATION_WORDS,
            page=True,
        ),
    ] = "3s"
    ask_every: Annotated[
        str,
        Rule(
            "How often an http address is asked that gives one picture, and not a stream",
            filled=True,
            form=is_duration,
            form_words=DURATION_WORDS,
            page=True,
        ),
    ] = "1s"

    @property
    def trust(self) -> "Trust":
        """Which certificate the camera must have."""
        from vitcam.sources.network.trust import Trust  # it brings `ssl` along, and `vitcam --help` needs none

        return Trust(read_fingerprint(self.fingerprint), self.authority)
