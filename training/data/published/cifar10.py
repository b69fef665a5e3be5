"""CIFAR-10: 60,000 photos of 32 x 32 px in ten classes, in two zip files of lossless strips.

`train.zip` and `test.zip` hold strips `NNN.webp`, each of many photos below one another, and `labels.npy`, uint8.
Parts: `train` (48,000), `calibration` (the last 2,000 of the published training photos, on which settings are chosen
and temperature and threshold fitted) and `heldout`, the 10,000 test photos, for figures only.

Source: Krizhevsky 2009, "Learning multiple layers of features from tiny images".
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.pictures.decode import decode_image
from vitcam_training.data.dataset import Dataset, Sample, data_root, missing_data
from vitcam_training.data.published.downloads import from_keras

CALIBRATION = 2000
SIDE_PX = 32
LABELS = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
FILES = {"train": "train", "heldout": "test"}
SOURCE = (
    "huggingface.co/datasets/cyizhuo/CIFAR-10-dataset, packed as `cifar10/train.zip` and `cifar10/test.zip`: "
    "strips NNN.webp of photos below one another, and labels.npy"
)


def cifar10() -> Dataset:
    """Every photo in its part, in the order of the files.

    Without a folder `cifar10` below the data root, Keras' own download is taken. It holds the same photos in another
    order, so that other 2,000 of those for training calibrate; those held out are the same.

    raises  UsageError if a file is missing or damaged, or there is neither folder nor network
    """
    folder = data_root() / "cifar10"
    if folder.is_dir():
        found = {file: read_strips(folder / f"{file}.zip") for file in FILES.values()}
    else:
        found = from_keras("cifar10", folder / "train.zip", SOURCE)
    parts = {part: _samples(file, folder / f"{file}.zip", *found[file]) for part, file in FILES.items()}
    parts["calibration"] = parts["train"][-CALIBRATION:]
    parts["train"] = parts["train"][:-CALIBRATION]
    return Dataset("cifar10", LABELS, parts)


def _samples(name: str, path: Path, photos: NDArray[np.uint8], labels: NDArray[np.uint8]) -> tuple[Sample, ...]:
    if len(photos) != len(labels) or labels.max(initial=0) >= len(LABELS):
        raise UsageError(f"{path} holds {len(photos)} photos and {len(labels)} labels; download it again from {SOURCE}")
    return tuple(
        Sample(Path(name, f"{i:05}.png"), int(label), photo)
        for i, (photo, label) in enumerate(zip(photos, labels, strict=True))
    )


def read_strips(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Photos (n, 32, 32, 3) uint8 RGB and labels (n,) uint8 of one zip file.

    raises  UsageError if the file is missing, is cut off or holds anything else
    """
    if not path.is_file():
        raise missing_data(path, SOURCE)
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if name.endswith(".webp"))
            strips = [decode_image(archive.read(name)).reshape(-1, SIDE_PX, SIDE_PX, 3) for name in names]
            labels = np.load(io.BytesIO(archive.read("labels.npy")), allow_pickle=False)
            return np.concatenate(strips), np.asarray(labels, np.uint8)
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile, UsageError) as error:
        raise UsageError(f"{path} holds no strips of photos ({error}); download it again from {SOURCE}") from error
