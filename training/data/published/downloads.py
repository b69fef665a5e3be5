"""The data sets that Keras itself downloads, where they do not lie below the data root and there is a network.

Keras keeps them in `~/.keras/datasets`, checks their sums, and gives arrays. Blocks on the network.
"""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam_training.data.dataset import missing_data

PATIENCE_S = 10.0  # without data from the server

Photos = tuple[NDArray[np.uint8], NDArray[np.uint8]]
"""(n, ...) pictures, (n,) labels."""


def from_keras(name: str, path: Path, source: str) -> dict[str, Photos]:
    """The photos to train on, `train`, and those to test with, `test`, of `keras.datasets.NAME`.

    path, source  where they were looked for, and who gives them away: what the error says
    raises        UsageError if they can neither be found in Keras' folder nor be downloaded
    """
    import keras

    module = getattr(keras.datasets, name)
    try:
        with _patient(), contextlib.redirect_stdout(sys.stderr):  # Keras draws its progress on stdout
            (train, train_labels), (test, test_labels) = module.load_data()
    except Exception as error:  # Keras raises a bare Exception for whatever ends a download
        missing = missing_data(path, source)
        raise UsageError(f"{missing}; Keras' own download, kept in ~/.keras, failed: {_line(error)}") from error
    return {"train": (train, _flat(train_labels)), "test": (test, _flat(test_labels))}


@contextlib.contextmanager
def _patient() -> Iterator[None]:
    """Set a time-out for connections: Keras sets none."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(PATIENCE_S)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def _flat(labels: NDArray[Any]) -> NDArray[np.uint8]:
    return np.asarray(labels, np.uint8).reshape(-1)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
