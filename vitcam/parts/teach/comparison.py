"""The model in use beside the one that is taught, on pictures that neither has learned from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.model.classifier import Classifier
from vitcam.model.taught import DIGEST
from vitcam.parts.teach.cache import Seen
from vitcam.parts.teach.dataset import Photo
from vitcam.parts.teach.examples import Examples
from vitcam.parts.teach.logistic import Floats
from vitcam.parts.teach.report import Comparison, Share
from vitcam.pictures.decode import Limits, decode
from vitcam.pictures.resize import enough_for
from vitcam.sources.images import bytes_of

_MOST = 200
"""Pictures: each has to be asked about once more."""
_DETAIL = 4  # as `vitcam.parts.teach.photos` decodes them


def compared(
    name: str,
    photos: Sequence[Photo],
    seen: Sequence[Seen],
    examples: Examples,
    together: NDArray[np.bool_],
    held: Floats,
) -> Comparison | None:
    """None: no picture is new to the model in use, or none of a label with further recordings.

    name      of the model in use, or its file
    together  (n,) whether a photo was held out with all of its recording
    held      (n, K + 1) by rows that were learned without the photo
    raises    ModelError if the model cannot be used
    """
    classifier = Classifier(name, threads=1, top_k=1)
    is_new = np.array([each.digest[:DIGEST] not in classifier.taught_pictures for each in seen])
    places = np.flatnonzero(is_new & together & examples.measured)
    if not len(places):
        return None
    places = places[np.linspace(0, len(places) - 1, min(_MOST, len(places))).astype(int)]
    before = sum(_is_right(classifier, photos[place]) for place in places)
    after = int((held[places].argmax(1) == examples.of[places]).sum())
    return Comparison(classifier.card.name, Share(before, len(places)), Share(after, len(places)))


def _is_right(classifier: Classifier, photo: Photo) -> bool:
    try:
        image = _picture(photo.path, classifier)
    except UsageError:  # it is gone meanwhile
        return False
    answer = classifier.classify_image(image)
    is_meant = answer.known or classifier.card.taught != "alone"  # else it may be none of these
    return is_meant and answer.top[0].label.casefold() == photo.label.casefold()


def _picture(path: Path, classifier: Classifier) -> NDArray[np.uint8]:
    limits = Limits(enough=enough_for(classifier.input, _DETAIL))
    return decode(bytes_of(str(path)), limits).image
