"""Every data set that a command can name, in one table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .cifar10 import cifar10
from .dataset import Dataset
from .everyday import everyday
from .folder import folder
from .imagenet import imagenet
from .mnist import mnist

DATASETS: dict[str, Callable[[], Dataset]] = {
    "cifar10": cifar10,
    "everyday": everyday,
    "imagenet": imagenet,
    "mnist": mnist,
}


def open_dataset(name: str) -> Dataset:
    """A data set by its name in the table, or a folder of photos. Raises UsageError if there is neither."""
    return DATASETS[name]() if name in DATASETS else folder(Path(name))
