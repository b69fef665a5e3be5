"""Asks a model about a stored picture. The history stores these answers; a replay makes them once more."""

import time

from vitcam.frames import Frame, Image, Prediction, Rect
from vitcam.model.classifier import Classifier


def ask_again(classifier: Classifier, picture: Image, crop: Rect, source: str) -> Prediction:
    """The prediction for a picture that was decoded from its file.

    picture  (H, W, 3) uint8, RGB
    crop     the part that the model sees, in px
    """
    return classifier(Frame(picture, None, crop, 0, time.monotonic_ns(), source))
