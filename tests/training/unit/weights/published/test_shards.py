"""Weights in several files, which an index lists."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from vitcam.errors import UsageError
from vitcam_training.weights.foreign import ImportOptions, import_foreign
from vitcam_training.weights.metadata import read_metadata
from vitcam_training.weights.published.clip import read_clip
from vitcam_training.weights.published.shards import INDEX, read_tensors
from vitcam_training.weights.published.timm import read_timm
from vitcam_training.weights.published.transformers import read_transformers

FIXTURES = Path(__file__).parents[4] / "fixtures"
WHOLE = "model.safetensors"
NAMES = [f"model-0000{i}-of-00003.safetensors" for i in (1, 2, 3)]
READERS = {"transformers/vit": read_transformers, "transformers/clip": read_clip, "timm/vit": read_timm}


def sharded(place: Path, saved: str = "transformers/vit") -> Path:
    """A copy of a saved network with its tensors in three files."""
    shutil.copytree(FIXTURES / saved, place)
    tensors = load_file(place / WHOLE)
    (place / WHOLE).unlink()
    listed = {tensor: NAMES[i % 3] for i, tensor in enumerate(sorted(tensors))}
    for name in NAMES:
        save_file({tensor: tensors[tensor] for tensor in listed if listed[tensor] == name}, place / name)
    write_index(place, listed)
    return place


def write_index(folder: Path, listed: object) -> None:
    (folder / INDEX).write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": listed}))


def listed_in(folder: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((folder / INDEX).read_text())["weight_map"]
    return found


@pytest.mark.parametrize("saved", READERS)
def test_a_network_in_shards_is_the_one_in_a_single_file(tmp_path: Path, saved: str) -> None:
    one, several = (READERS[saved](folder) for folder in (FIXTURES / saved, sharded(tmp_path / "net", saved)))

    assert several.config == one.config
    assert several.weights.keys() == one.weights.keys()
    assert all(np.array_equal(several.weights[name], one.weights[name]) for name in one.weights)


@pytest.mark.parametrize("spec", [".", INDEX])
def test_a_folder_of_shards_or_its_index_is_imported(tmp_path: Path, spec: str) -> None:
    folder, out = sharded(tmp_path / "net"), tmp_path / "out.safetensors"
    import_foreign(str(folder / spec), None, out, ImportOptions("net"))

    assert read_metadata(out).labels == ("collie", "tabby cat", "tea cup")


def test_a_single_file_counts_where_there_is_one(tmp_path: Path) -> None:
    folder = sharded(tmp_path / "net")
    shutil.copy(FIXTURES / "transformers" / "vit" / WHOLE, folder)
    (folder / NAMES[0]).unlink()

    assert "vit.layernorm.bias" in read_tensors(folder)


def _without_shard(folder: Path) -> None:
    (folder / NAMES[1]).unlink()


def _cut_shard(folder: Path) -> None:
    path = folder / NAMES[1]
    path.write_bytes(path.read_bytes()[:100])


def _in_another_shard(folder: Path) -> None:
    listed = listed_in(folder)
    write_index(folder, listed | {tensor: NAMES[0] for tensor, name in listed.items() if name == NAMES[2]})


def _unlisted(folder: Path) -> None:
    write_index(folder, {tensor: name for tensor, name in listed_in(folder).items() if tensor != "vit.layernorm.bias"})


def _naming(name: object) -> Callable[[Path], None]:
    return lambda folder: write_index(folder, listed_in(folder) | {"vit.layernorm.bias": name})


def _with_index(text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / INDEX).write_text(text)

    return write


def _without_index(folder: Path) -> None:
    (folder / INDEX).unlink()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_without_shard, "lacks model-00002-of-00003.safetensors, which model.safetensors.index.json lists"),
        (_cut_shard, "model-00002-of-00003.safetensors holds no weights"),
        (
            _in_another_shard,
            r"model-00001-of-00003\.safetensors lacks '.*', which model\.safetensors\.index\.json says",
        ),
        (_unlisted, r"lacks 'layernorm\.bias'"),
        (_naming("../outside.safetensors"), r"'vit\.layernorm\.bias' lies in '\.\./outside\.safetensors'; allowed"),
        (_naming("/etc/outside.safetensors"), "lies in '/etc/outside.safetensors'; allowed"),
        (_naming("..\\outside.safetensors"), "allowed: the name of a .safetensors file beside it"),
        (_naming("more/outside.safetensors"), "allowed: the name of a .safetensors file beside it"),
        (_naming("*.safetensors"), "allowed: the name of a .safetensors file beside it"),
        (_naming("pytorch_model.bin"), "lies in 'pytorch_model.bin'; allowed: the name of a .safetensors file"),
        (_naming(7), "lies in 7; allowed"),
        (_with_index("{"), "cannot be read as JSON"),
        (_with_index("[]"), "holds no settings"),
        (_with_index('{"weight_map": {}}'), "lists no tensors in its 'weight_map'"),
        (_with_index('{"weight_map": ["a"]}'), "lists no tensors in its 'weight_map'"),
        (_without_index, "has neither model.safetensors nor model.safetensors.index.json"),
    ],
)
def test_shards_that_do_not_fit_their_index_are_refused(
    tmp_path: Path, spoil: Callable[[Path], None], message: str
) -> None:
    save_file({"vit.layernorm.bias": np.zeros(32, np.float32)}, tmp_path / "outside.safetensors")
    folder = sharded(tmp_path / "net")
    spoil(folder)

    with pytest.raises(UsageError, match=message):
        read_transformers(folder)
