"""Chooses the picture of an event: the most certain and sharpest frame, encoded only when it is clearly better."""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vitcam.errors import VitcamError
from vitcam.frames import Frame, Prediction
from vitcam.history.stored import FrameSummary
from vitcam.pictures.encode import encode_jpeg
from vitcam.rects import Rect

QUALITY = 80
_DETAIL_QUALITY = 90  # it is small, it is looked at from near by, and models learn from it
_CLEARLY = 1.1
_NOT_LESS = 0.8  # of the certainty of the best frame: sharpness alone does not make a picture
_SIDE = 224  # px, at which sharpness is measured
_FIRST_GAP_NS, _LONGEST_GAP_NS = 1_000_000_000, 60_000_000_000


@dataclass(frozen=True, slots=True, eq=False)
class EncodedFrame:
    """One frame as it is kept."""

    jpeg: bytes
    summary: FrameSummary
    detail: bytes | None = None
    """JPEG of its box in the camera's own px; None: it has no box."""


class BestPicture:
    """Of one event. Encoding is rare: at once for the first frame, then after gaps that double up to a minute."""

    def __init__(self) -> None:
        self._value = self._p = 0.0
        self._next_ns = 0
        self._gap_ns = _FIRST_GAP_NS

    @property
    def found(self) -> bool:
        """Whether there is a picture so far."""
        return self._next_ns > 0

    def consider(self, frame: Frame, prediction: Prediction, p: float) -> EncodedFrame | None:
        """The frame as a picture, if it is clearly better than all before.

        p  how certain the model is of the event's label, 0 to 1
        """
        first = not self.found
        if not first and (frame.captured_ns < self._next_ns or p < _NOT_LESS * self._p):
            return None
        value = p * sharpness(frame, prediction.crop) ** 0.25  # half as sharp weighs as much as 16 % less certain
        if not first and value <= _CLEARLY * self._value:
            return None
        try:
            jpeg = encode_jpeg(frame.preview, QUALITY)
            part = None if prediction.track is None else frame.part(prediction.crop)
            box = None if part is None else encode_jpeg(part, _DETAIL_QUALITY)
        except VitcamError:  # such as a preview of no size
            return None
        self._value, self._p, self._next_ns = value, p, frame.captured_ns + self._gap_ns
        self._gap_ns = min(2 * self._gap_ns, _LONGEST_GAP_NS)
        summary = summary_of(prediction)
        if part is not None:
            summary = replace(summary, detail=(part.shape[1], part.shape[0]))
        return EncodedFrame(jpeg, summary, box)


def summary_of(prediction: Prediction) -> FrameSummary:
    """What a prediction says, without the memory of its frame."""
    evidence = prediction.evidence
    return FrameSummary(
        prediction.top,
        prediction.size,
        prediction.crop,
        None if evidence is None else np.array(evidence, np.float32),
        prediction.familiarity,
    )


def sharpness(frame: Frame, crop: Rect) -> float:
    """How sharp the part is that the model saw: the variance of its Laplacian, above 0; 1 is a blurred picture.

    crop    what the model saw: the frame's own crop, or that of a zone
    source  Pech-Pacheco et al. 2000, Diatom autofocusing in brightfield microscopy
    """
    part = frame.model_input if crop == frame.crop else None
    if part is None:
        part = frame.part(crop)
    grey = cv2.cvtColor(cv2.resize(part, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY)
    return 1.0 + float(cv2.Laplacian(grey, cv2.CV_32F).var())
