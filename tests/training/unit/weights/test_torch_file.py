"""Files of PyTorch are read by PyTorch, as tensors alone; without it, a sentence says what to give instead."""

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.refusals import naming
from vitcam.errors import UsageError
from vitcam_training.weights.checkpoints import read_weights

NUMBERS = np.arange(12, dtype=np.float32).reshape(3, 4)
EXPECTED = {
    "plain": NUMBERS,
    "half": NUMBERS / 8,
    "brain": -NUMBERS,
    "double": NUMBERS * 2,
    "whole": NUMBERS,
    "turned": NUMBERS.T,
    "window": NUMBERS[1:, 1:3],
    "parameter": NUMBERS[0],
    "number": np.float32(7),
}
"""What every file holds, by name. All values are exact in 16 bits of either kind."""


class Evil:
    """Whoever unpickles it makes a folder."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("it-was-run",)


def state(torch: Any) -> dict[str, Any]:
    """Tensors of many kinds."""
    numbers = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    return {
        "plain": numbers,
        "half": (numbers / 8).half(),
        "brain": (-numbers).bfloat16(),
        "double": (numbers * 2).double(),
        "whole": numbers.long(),
        "turned": numbers.T,
        "window": numbers[1:, 1:3],
        "parameter": torch.nn.Parameter(numbers[0].clone()),
        "number": torch.tensor(7.0),
    }


def test_every_tensor_of_a_file_or_of_a_training_checkpoint_is_read(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.save(state(torch), tmp_path / "new.pth")
    torch.save(state(torch), tmp_path / "old.pth", _use_new_zipfile_serialization=False)
    torch.save({"model": state(torch), "epoch": 3, "done": [True, None]}, tmp_path / "training.pt")

    for name in ("new.pth", "old.pth", "training.pt"):
        found = read_weights(tmp_path / name)
        assert set(found) == set(EXPECTED)
        for key, array in EXPECTED.items():
            np.testing.assert_array_equal(found[key], array)
            assert found[key].dtype == np.float32
            assert found[key].shape == np.shape(array)


def test_a_file_that_would_run_something_is_refused_and_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    torch.save({"model": state(torch), "args": Evil()}, tmp_path / "evil.pth")
    torch.save({"epoch": 3}, tmp_path / "empty.pth")
    (tmp_path / "damaged.pth").write_bytes((tmp_path / "empty.pth").read_bytes()[:-40])

    for name in ("evil.pth", "damaged.pth"):
        with pytest.raises(UsageError, match=naming(name, "more than weights", ".safetensors")):
            read_weights(tmp_path / name)
    with pytest.raises(UsageError, match="holds no named tensors"):
        read_weights(tmp_path / "empty.pth")
    assert not (tmp_path / "it-was-run").exists()


def test_without_pytorch_the_refusal_names_both_ways_and_nothing_is_unpickled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    (tmp_path / "net.pth").write_bytes(b"cos\nmkdir\n(S'it-was-run'\ntR.")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match=naming("net.pth", ".safetensors", "pip install torch")):
        read_weights(tmp_path / "net.pth")
    assert not (tmp_path / "it-was-run").exists()


def test_a_file_that_is_not_what_its_name_says_is_refused(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"weights").hexdigest()[:8]
    for name, content in ((f"net-{digest}.pth", b"weights."), ("net-0badc0de.pth", b"weights")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UsageError, match=naming("SHA-256", name, "download it again")):
            read_weights(tmp_path / name)
