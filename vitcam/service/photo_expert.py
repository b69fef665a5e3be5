"""Answers photos that are sent over HTTP: with an interpreter of its own, so that the camera never waits."""

from functools import cached_property

from vitcam.decode import Decoded
from vitcam.frames import Image, Prediction
from vitcam.model.classifier import Classifier

_OPACITY = 0.85  # of the hottest spot of a map, as `vitcam explain` has it unasked


class PhotoExpert:
    """The daemon's model for one other thread. Its interpreter is made with the first photo."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier

    def classify(self, image: Image) -> Prediction:
        """What is on (H, W, 3) uint8, RGB, and where the model looked."""
        return self._own.classify_image(image, explain=True)

    def explain(self, photo: Decoded) -> Image:
        """The sheet of `vitcam explain`, (h, w, 3) uint8, RGB."""
        from vitcam.service.explain import About, ask  # with its letters, which few daemons need
        from vitcam.service.explain_sheet import draw_sheet

        explained = ask(self._own, photo, About("the photo that was sent"), self._classifier.top_k, _OPACITY)
        return draw_sheet(explained)

    @cached_property
    def _own(self) -> Classifier:
        return self._classifier.again(threads=1)
