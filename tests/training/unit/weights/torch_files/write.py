"""Small files as PyTorch saves them: `python tests/training/unit/weights/torch_files/write.py FOLDER`.

Those beside this script were written by it with PyTorch 2.13.0, for machines without PyTorch.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np


def expected() -> dict[str, np.ndarray]:
    """What every file holds, by name. All values are exact in 16 bits of either kind."""
    numbers = np.arange(12, dtype=np.float32).reshape(3, 4)
    return {
        "plain": numbers,
        "half": numbers / 8,
        "brain": -numbers,
        "double": numbers * 2,
        "whole": numbers,
        "turned": numbers.T,
        "window": numbers[1:, 1:3],
        "tied": numbers,
        "parameter": numbers[0],
        "number": np.float32(7),
        "empty": numbers[:0],
    }


def write(folder: Path) -> None:
    """`new.pth`, `old.pth` (the format before 1.6), `training-HASH.pth` and `evil.pth`, which would run a command."""
    import torch

    numbers = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    state = torch.nn.Module().state_dict()  # an OrderedDict with `_metadata`
    state |= {
        "plain": numbers,
        "half": (numbers / 8).half(),
        "brain": (-numbers).bfloat16(),
        "double": (numbers * 2).double(),
        "whole": numbers.long(),
        "turned": numbers.T,
        "window": numbers[1:, 1:3],
        "tied": numbers,
        "parameter": torch.nn.Parameter(numbers[0].clone()),
        "number": torch.tensor(7.0),
        "empty": numbers[:0].clone(),
    }
    torch.save(state, folder / "new.pth")
    torch.save(state, folder / "old.pth", _use_new_zipfile_serialization=False)
    torch.save({"model": state, "epoch": 3, "loss": 0.5, "done": [True, None]}, folder / "training.pth")
    digest = hashlib.sha256((folder / "training.pth").read_bytes()).hexdigest()[:8]
    (folder / "training.pth").rename(folder / f"training-{digest}.pth")
    torch.save({"model": state, "args": Evil()}, folder / "evil.pth")


class Evil:
    """Whoever unpickles it makes a folder."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        import os

        return os.mkdir, ("it-was-run",)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
