"""Pictures for which a model has no answer: those without contrast, and those unlike what it was trained on.

A network has no answer for a bare wall, and often names a label with confidence. Contrast tells such pictures apart
from photos of things, whatever the network has learned: with too little there is nothing to see, because it is too
dark, too bright or too plain.

The best probability cannot tell how familiar a picture is, since softmax adds up to 1 whatever it sees. A picture of
something else excites no label strongly, so its probabilities lie nearer to the uniform distribution.
"""

import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image

_Plane = NDArray[np.uint8] | NDArray[np.int16]

LEAST_CONTRAST = 40.0
"""Below this contrast a picture is blank, where the model file says nothing else. Of 4,858 photos of things and 200
ordinary ones none is below it; of drawn blank frames nine of ten are."""
_CELLS = 28
"""The picture is averaged to this many cells a side, 8 px each of 224: that takes most of the noise away."""
_SHARE = 0.98
"""Contrast is this quantile over the cells: edges in 2 % of them are enough, as of a small thing on a plain wall."""
_BRIGHT, _DARK = 160.0, 40.0
"""Where the brightest parts of a picture are darker than `_BRIGHT`, contrast counts relative to them, plus `_DARK`.
So a thing in a dark room is seen, and the noise of a black picture is not."""
_ROWS = 14
"""Noise is measured along so many rows."""
_NOISE = 1.25
"""White noise leaves 0.8 times the median of its second differences; noise of pixels that were scaled leaves more."""
_SMALLEST = 8
"""Pictures of fewer px a side are too small to tell."""
_FLOOR = 1e-30  # a probability that underflowed to 0 has no logarithm


def contrast(image: Image) -> float:
    """How strong the edges in a picture are: 0 for a plain surface, about 180 for the usual photo.

    image    (h, w, 3) uint8, RGB, at the model's size
    returns  levels of 255, as the Laplacian sums them up; infinity for a picture of a few px
    """
    height, width = image.shape[:2]
    if min(height, width) < _SMALLEST:
        return math.inf
    luma = np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY))
    cells = np.asarray(cv2.resize(luma, (min(_CELLS, width), min(_CELLS, height)), interpolation=cv2.INTER_AREA))
    edges = np.abs(cv2.Laplacian(cells, cv2.CV_16S)[1:-1, 1:-1])  # 0 where the light changes evenly
    structure = math.sqrt(max(0.0, _quantile(edges, _SHARE) ** 2 - _noise(luma) ** 2))
    return structure / min(1.0, (_quantile(cells, _SHARE) + _DARK) / (_BRIGHT + _DARK))


def _noise(luma: NDArray[np.uint8]) -> float:
    """How much contrast noise leaves in the cells at most, by the median of |second differences| along rows.

    Edges are too rare to change the median; noise is everywhere. Neighbours are left out: scaling makes them alike.
    """
    rows = luma[:: max(1, len(luma) // _ROWS)].astype(np.int16)
    second = rows[:, 4:] + rows[:, :-4]
    middle = rows[:, 2:-2]
    second -= middle  # in place, twice: this runs for each frame, with cold caches
    second -= middle
    return _NOISE * _quantile(np.abs(second, out=second), 0.5)


def _quantile(values: _Plane, share: float) -> float:
    """As np.quantile without interpolation; that would take longer than all the rest."""
    flat = values.flatten()
    place = int(share * (flat.size - 1))
    flat.partition(place)
    return float(flat.item(place))


def familiarity(probabilities: NDArray[np.floating[Any]], temperature: float = 1.0) -> float:
    """The Kullback-Leibler divergence of the probabilities from the uniform distribution, in nats.

    It is the log-sum-exp of the logits less their mean and log C: the energy score (Liu et al. 2020, arXiv 2010.03759)
    without the constant that may be added to all logits unseen. As a score of its own: Huang et al. 2021, arXiv
    2110.00218, section 4.

    The energy is that of the network's own logits, without the temperature by which probabilities match how often a
    guess is right. They come back from the probabilities but for a constant, which takes no part.

    probabilities  (C,), not all the same as 0
    temperature    by which the logits were divided before the softmax, and which is taken back; 1: none
    returns        0 where all labels are as likely, more for a more familiar picture
    """
    logits = np.log(np.maximum(probabilities, _FLOOR))
    logits *= temperature  # the largest is near 0: no exponential overflows
    mean = logits.dtype.type(np.add.reduce(logits) / len(logits))  # as `mean` does, in a third of its time
    return float(np.log(np.add.reduce(np.exp(logits, out=logits))) - mean) - math.log(len(probabilities))


def logistic(nats: float) -> float:
    """The logistic function: 0 to 1, and 0.5 for 0."""
    return 0.5 + 0.5 * math.tanh(nats / 2)  # exp would overflow


def logit(p: float) -> float:
    """The inverse of `logistic`, in nats; finite, also for 0 and 1."""
    p = min(max(p, 1e-9), 1 - 1e-9)
    return math.log(p / (1 - p))
