"""Classifies photos that are sent over HTTP, with an interpreter of its own, so that the camera does not wait."""

from functools import cached_property

from vitcam.frames import Image, Prediction
from vitcam.model.classifier import Classifier
from vitcam.pictures.decode import MAX_UNTRUSTED_PIXELS, Decoded, Limits
from vitcam.pictures.decoder.process import DecodeProcess
from vitcam.pictures.resize import enough_for
from vitcam.words.live_labels import LiveLabels

_OPACITY = 0.85  # of the hottest spot of a map, the default of `vitcam explain`


# A large photo is decoded at reduced size, which keeps at least this many times the model's px on each side. Of 120
# photos, 118 had the same best label as in full size, and its probability differed by 0.006 on average.
_DETAIL = 4


class PhotoClassifier:
    """The daemon's model for uploaded photos. Its interpreter is made for the first one. Close it at the end."""

    def __init__(self, classifier: Classifier, words: LiveLabels | None = None) -> None:
        self._classifier = classifier
        self._words = words
        self._decoder = DecodeProcess()
        self._limits = Limits(MAX_UNTRUSTED_PIXELS, enough_for(classifier.input, _DETAIL))

    def decode(self, data: bytes) -> Decoded:
        """The pixels of a photo. Raises UsageError for bytes that are not a photo; VitcamError after `close`."""
        return self._decoder(data, self._limits)

    def classify(self, image: Image) -> Prediction:
        """The prediction for a picture, (H, W, 3) uint8, RGB, with attention and rollout."""
        return self._ready().classify_image(image, explain=True)

    def explain(self, photo: Decoded) -> Image:
        """The figure of `vitcam explain`, (h, w, 3) uint8, RGB."""
        from vitcam.explain.explained import explain
        from vitcam.explain.figure import draw_figure  # loads the font, which few daemons need

        top_k = self._classifier.top_k
        return draw_figure(explain(self._ready(), photo, "the photo that was sent", top_k, _OPACITY))

    def close(self) -> None:
        """End a decode that is running. May be called in any thread."""
        self._decoder.close()

    def _ready(self) -> Classifier:
        self._own_classifier.top_k = self._classifier.top_k  # a reload may have changed it
        if self._words is not None:
            self._words.give_to(self._own_classifier)
        return self._own_classifier

    @cached_property
    def _own_classifier(self) -> Classifier:
        return self._classifier.clone(threads=1)
