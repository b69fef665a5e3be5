"""What a graph gets of a picture, where that is not the picture itself: numbers about 0, or other whole ones."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.model.runtime import TensorInfo

_MIDDLE = 128


def input_values(
    image: Image, tensor: TensorInfo, mean: Sequence[float] = (), std: Sequence[float] = ()
) -> NDArray[Any]:
    """A picture as an input takes it.

    image      (h, w, 3) uint8, RGB
    mean, std  of red, green and blue, or one of all: (level - mean) / std is what the network was trained with; empty:
               levels as they are, and in int8 less 128
    returns    (h, w, 3) of the input's type; `image` itself where that is what it takes
    """
    if not mean:
        if tensor.dtype == np.int8:
            return (image.astype(np.int16) - _MIDDLE).astype(np.int8)
        return image
    of_mean, of_std = (np.asarray(each, dtype=np.float32) for each in (mean, std))
    real: NDArray[Any] = (image.astype(np.float32) - of_mean) / of_std
    if not tensor.scale:
        return real
    allowed = np.iinfo(tensor.dtype)
    stored: NDArray[Any] = np.clip(np.rint(real / tensor.scale) + tensor.zero_point, allowed.min, allowed.max)
    return stored.astype(tensor.dtype)
