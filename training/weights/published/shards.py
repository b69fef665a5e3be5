"""The weights of a published folder: one file, or several that an index lists, as large networks are saved.

`model.safetensors.index.json` maps the name of each tensor to the name of a file beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from vitcam.errors import UsageError
from vitcam_training.weights.published.network import TENSORS, read_settings

if TYPE_CHECKING:  # it imports Keras, for which a download has no use
    from vitcam_training.weights.checkpoints import Weights

INDEX = f"{TENSORS}.index.json"
SHARD = re.compile(r"\w[\w.-]*\.safetensors", re.ASCII)
"""A plain name: no folder, no pattern."""


def shards_of(index: Path) -> dict[str, list[str]]:
    """File -> the tensors that it holds, by an index.

    raises  UsageError if it cannot be read, lists nothing, or names a file that is not a plain one beside it
    """
    listed = read_settings(index).get("weight_map")
    if not isinstance(listed, dict) or not listed:
        raise UsageError(f"{index} lists no tensors in its 'weight_map'; download it again")
    found: dict[str, list[str]] = {}
    for tensor, name in listed.items():
        if not isinstance(name, str) or not SHARD.fullmatch(name):
            raise UsageError(
                f"{index} says that {tensor!r} lies in {name!r}; allowed: the name of a .safetensors file beside it"
            )
        found.setdefault(name, []).append(tensor)
    return found


def check_shards(folder: Path, names: Iterable[str]) -> None:
    """Raise UsageError if a file that the index lists is missing."""
    for name in names:
        if not (folder / name).is_file():
            raise UsageError(f"{folder} lacks {name}, which {INDEX} lists; download it again")


def read_tensors(folder: Path) -> Weights:
    """All tensors of a folder, such as (out, in) float32, by the names that they have there.

    raises  UsageError if a file is missing or damaged, or if one lacks a tensor that the index says it holds
    """
    from vitcam_training.weights.checkpoints import read_weights

    if (folder / TENSORS).is_file():
        return read_weights(folder / TENSORS)
    if not (folder / INDEX).is_file():
        raise UsageError(f"{folder} has neither {TENSORS} nor {INDEX}; vitcam reads no pickles, so ask for these files")
    found: Weights = {}
    shards = shards_of(folder / INDEX)
    check_shards(folder, shards)
    for name, tensors in shards.items():
        shard = read_weights(folder / name)
        for tensor in tensors:
            if tensor not in shard:
                raise UsageError(f"{folder / name} lacks {tensor!r}, which {INDEX} says it holds; download both again")
            found[tensor] = shard[tensor]
    return found
