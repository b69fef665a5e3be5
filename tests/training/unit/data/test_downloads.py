"""What Keras downloads cannot be had here: its loaders are replaced by arrays of the shapes that they document."""

import socket
from importlib import import_module
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from tests.refusals import naming
from vitcam.errors import UsageError
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import photo_of


@pytest.fixture(autouse=True)
def no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VITCAM_DATA", str(tmp_path))


def pictures(count: int, *shape: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Each of one grey, which tells its place."""
    return np.zeros((count, *shape), np.uint8) + np.arange(count).astype(np.uint8).reshape(-1, *(1 for _ in shape))


def test_cifar10_is_what_keras_downloads_where_it_is_not_at_hand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load_data() -> Any:
        print("Downloading data")  # as Keras does, on stdout
        labels = np.arange(2010, dtype=np.uint8) % 10
        return (pictures(2010, 32, 32, 3), labels[:, None]), (pictures(20, 32, 32, 3), labels[:20, None])

    monkeypatch.setattr(keras.datasets.cifar10, "load_data", load_data)
    found = open_dataset("cifar10")

    assert {part: len(samples) for part, samples in found.parts.items()} == {
        "train": 10, "heldout": 20, "calibration": 2000,
    }  # fmt: skip
    assert found.labels[found.parts["heldout"][13].label] == "cat"
    np.testing.assert_array_equal(photo_of(found.parts["heldout"][13]), np.full((32, 32, 3), 13))
    assert capsys.readouterr().out == ""


def test_mnist_is_what_keras_downloads_where_it_is_not_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = np.arange(2010, dtype=np.uint8) % 10
    arrays = (pictures(2010, 28, 28), labels), (pictures(20, 28, 28), labels[:20])
    monkeypatch.setattr(keras.datasets.mnist, "load_data", lambda: arrays)
    found = open_dataset("mnist")

    assert [len(found.parts[part]) for part in ("train", "calibration", "heldout")] == [10, 2000, 20]
    np.testing.assert_array_equal(photo_of(found.parts["heldout"][7]), np.full((28, 28, 3), 7))


@pytest.mark.parametrize("name", ["cifar10", "mnist"])
def test_without_data_and_network_one_sentence_says_both(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    module = import_module(f"keras.src.datasets.{name}")
    download = module.get_file
    monkeypatch.setattr(module, "get_file", lambda **given: download(**given, cache_dir=tmp_path))  # an empty one
    monkeypatch.setattr("socket.getaddrinfo", unreachable)
    waits: list[float | None] = []
    monkeypatch.setattr("socket.setdefaulttimeout", waits.append)
    for proxy in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)

    with pytest.raises(UsageError, match=naming("VITCAM_DATA", "Keras", "Name or service")):
        open_dataset(name)
    assert waits == [10.0, None]
