"""Asks the model about pictures as the history keeps them, so that a replay can give the same answers, bit for bit.

A JPEG is not the frame that it was made of. The history's thread asks, with an interpreter of its own: the camera does
not wait, and it happens only when a picture is written.
"""

from functools import cached_property

from vitcam.history.best_picture import summary_of
from vitcam.history.stored import FrameSummary
from vitcam.model.classifier import Classifier
from vitcam.pictures.decode import decode_image
from vitcam.replay.stored_picture import ask_again
from vitcam.words.live_labels import LiveLabels


class StoredAnswers:
    """Called in one thread. Its interpreter, about 7 MB, is made for the first picture."""

    def __init__(self, classifier: Classifier, words: LiveLabels | None = None) -> None:
        self._classifier = classifier
        self._words = words

    def __call__(self, jpeg: bytes, summary: FrameSummary) -> FrameSummary:
        """What the encoded picture shows.

        summary  what the frame showed, of which it was made; its crop holds
        """
        self._own.top_k = self._classifier.top_k  # a reload may have changed it
        if self._words is not None:
            self._words.give_to(self._own)
        return summary_of(ask_again(self._own, decode_image(jpeg), summary.crop, "history"), scale=1.0)

    @cached_property
    def _own(self) -> Classifier:
        return self._classifier.clone(threads=1)
