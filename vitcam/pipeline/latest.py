"""The newest frame with the newest prediction, for viewers."""

from vitcam.frames import ClassifiedFrame, Frame, Prediction
from vitcam.pipeline.beats import Beats
from vitcam.slot import Slot

VALID_S = 2.0  # for this time a prediction is shown with frames that came after its own


class LatestFrame:
    """Pairs frames and predictions as they come from two threads. A pair never goes back in time.

    slot     where the pair is put
    max_fps  rate to which classifying is limited; 0: none
    """

    def __init__(self, slot: Slot[ClassifiedFrame], max_fps: float, beats: Beats) -> None:
        self._slot = slot
        self._valid_s = max(VALID_S, 2 / max_fps if max_fps > 0 else 0.0)
        self._beats = beats

    def captured(self, frame: Frame) -> None:
        """Put a frame with the newest prediction, if that was confirmed lately enough."""

        def pair(before: ClassifiedFrame | None) -> ClassifiedFrame:
            if before is None:
                return ClassifiedFrame(frame, None)
            age_s = (frame.captured_ns - self._beats.classify.confirmed_ns) / 1e9
            return ClassifiedFrame(frame, before.prediction if age_s <= self._valid_s else None)

        self._slot.revise(pair)

    def classified(self, frame: Frame, prediction: Prediction) -> None:
        """Put a prediction with its own frame, or with a newer one that viewers have seen already."""

        def pair(before: ClassifiedFrame | None) -> ClassifiedFrame:
            if before is None or before.frame.captured_ns <= frame.captured_ns:
                return ClassifiedFrame(frame, prediction)
            return ClassifiedFrame(before.frame, prediction)

        self._slot.revise(pair)
