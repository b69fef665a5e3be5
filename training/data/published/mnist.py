"""Handwritten digits: MNIST, 28 x 28 px, grey, in the four files it has been published in since 1998.

Parts: `train` (58,000), `calibration` (the last 2,000 of the published training digits, on which settings are chosen
and temperature and threshold fitted) and `heldout`, the 10,000 test digits, for figures only.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam_training.data.dataset import Dataset, Sample, data_root, missing_data
from vitcam_training.data.published.downloads import from_keras

CALIBRATION = 2000
LABELS = tuple("0123456789")
FILES = {"train": "train", "heldout": "t10k"}
SOURCE = "storage.googleapis.com/cvdf-datasets/mnist (the four .gz files, into a folder `mnist`)"


def mnist() -> Dataset:
    """Every digit in its part, in the order of publication.

    Without a folder `mnist` below the data root, Keras' own download is taken: the same digits in the same order.

    raises  UsageError if a file is missing or damaged, or there is neither folder nor network
    """
    folder = data_root() / "mnist"
    if folder.is_dir():
        found = {part: _read(folder, file) for part, file in FILES.items()}
    else:
        keras = from_keras("mnist", folder, SOURCE)
        found = {"train": keras["train"], "heldout": keras["test"]}
    parts = {part: _samples(FILES[part], *arrays) for part, arrays in found.items()}
    parts["calibration"] = parts["train"][-CALIBRATION:]
    parts["train"] = parts["train"][:-CALIBRATION]
    return Dataset("mnist", LABELS, parts)


def _read(folder: Path, file: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    images = read_idx(folder / f"{file}-images-idx3-ubyte.gz")
    labels = read_idx(folder / f"{file}-labels-idx1-ubyte.gz")
    if images.ndim != 3 or labels.shape != images.shape[:1]:
        raise UsageError(f"{folder} has images of {images.shape} and labels of {labels.shape}; download MNIST again")
    return images, labels


def _samples(file: str, images: NDArray[np.uint8], labels: NDArray[np.uint8]) -> tuple[Sample, ...]:
    rgb = np.broadcast_to(images[..., None], (*images.shape, 3))  # a view: three channels, the memory of one
    return tuple(
        Sample(Path(file, f"{i:05}.png"), int(label), pixels)
        for i, (label, pixels) in enumerate(zip(labels, rgb, strict=True))
    )


def read_idx(path: Path) -> NDArray[np.uint8]:
    """The bytes in a gzipped IDX file, such as (n, 28, 28): two zero bytes, 8 for uint8, axes, big-endian sizes.

    raises  UsageError if the file is missing, is cut off or holds anything else
    """
    if not path.is_file():
        raise missing_data(path, SOURCE)
    try:
        data = gzip.decompress(path.read_bytes())
        axes = struct.unpack_from(">HBB", data)
        shape: tuple[Any, ...] = struct.unpack_from(f">{axes[2]}I", data, 4)
        if axes[:2] != (0, 8):
            raise ValueError(f"it begins with {data[:4].hex()}")
        return np.frombuffer(data, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)
    except (OSError, EOFError, zlib.error, struct.error, ValueError) as error:
        raise UsageError(f"{path} is not a gzipped IDX file ({error}); download it again from {SOURCE}") from error
