"""How much a picture resembles what a model was trained on, to find out-of-distribution pictures.

The best probability cannot tell that well, since softmax adds up to 1 whatever it sees. A picture of something else
excites no label strongly, so its probabilities lie nearer to the uniform distribution.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOOR = 1e-30  # a probability that underflowed to 0 has no logarithm


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
    logits = np.log(np.maximum(probabilities, FLOOR)) * temperature  # the largest is near 0: no exponential overflows
    return float(np.log(np.exp(logits).sum()) - logits.mean()) - math.log(len(probabilities))


def logistic(nats: float) -> float:
    """The logistic function: 0 to 1, and 0.5 for 0."""
    return 0.5 + 0.5 * math.tanh(nats / 2)  # exp would overflow
