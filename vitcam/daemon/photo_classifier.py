"""Answers photos that are sent over HTTP: with an interpreter of its own, so that the camera never waits."""

from functools import cached_property

from vitcam.frames import Image, Prediction
from vitcam.model.classifier import Classifier
from vitcam.pictures.decode import FOREIGN_PIXELS, Decoded, Limits
from vitcam.pictures.decoder.process import DecodeProcess
from vitcam.pictures.resize import enough_for

_OPACITY = 0.85  # of the hottest spot of a map, as `vitcam explain` has it unasked


# of a photo that is decoded reduced, so many times the px a side that the model takes stay: of 120 photos, 118 had the
# same best label as in full size, and its probability differed by 0.006 on average
_DETAIL = 4


class PhotoClassifier:
    """The daemon's model for one other thread. Its interpreter is made with the first photo. Close it in the end."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._decoder = DecodeProcess()
        self._limits = Limits(FOREIGN_PIXELS, enough_for(classifier.input, _DETAIL))

    def decode(self, data: bytes) -> Decoded:
        """A photo's pixels. Raises UsageError for what is none; VitcamError once this was closed."""
        return self._decoder(data, self._limits)

    def classify(self, image: Image) -> Prediction:
        """What is on (H, W, 3) uint8, RGB, and where the model looked."""
        return self._own.classify_image(image, explain=True)

    def explain(self, photo: Decoded) -> Image:
        """The figure of `vitcam explain`, (h, w, 3) uint8, RGB."""
        from vitcam.explain.explained import explain
        from vitcam.explain.figure import draw_figure  # loads the font, which few daemons need

        return draw_figure(explain(self._own, photo, "the photo that was sent", self._classifier.top_k, _OPACITY))

    def close(self) -> None:
        """End what is being decoded; in any thread."""
        self._decoder.close()

    @cached_property
    def _own(self) -> Classifier:
        return self._classifier.clone(threads=1)
