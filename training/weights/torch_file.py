"""Weights that PyTorch saved, `.pth`, without PyTorch and without running anything: see pickled.py.

The zip format of `torch.save` (since 1.6) holds a pickle and a file for each storage; the one before it holds them one
after the other. A tensor is a window of a storage: offset, sizes and strides, each of which is checked here.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
import struct
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam_training.weights.pickled import Allowed, Name, Refused, read_pickle

SUFFIXES = (".pth", ".pt")
HASHED = re.compile(r"-([0-9a-f]{8,64})\.pth?$")
"""The name of a file on torch hub: its end is the start of the file's SHA-256."""
INSIDE = ("model", "state_dict", "model_state_dict")
"""Under which training programs keep the weights beside other things, most common first."""
MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001  # of the format before 1.6
PICKLE_MB, DIMENSIONS, SHARED = 64, 16, 8
"""Most that a pickle may have; most sizes of a tensor; how often, all in all, tensors may lie over one storage."""
KINDS = {
    "Float": "<f4", "Double": "<f8", "Half": "<f2", "BFloat16": "<u2", "Long": "<i8", "Int": "<i4", "Short": "<i2",
    "Char": "i1", "Byte": "u1", "Bool": "?",
}  # fmt: skip
TYPES = {f"torch.{kind}Storage": kind for kind in KINDS}


@dataclass(frozen=True, eq=False)
class Storage:
    """Numbers that tensors are windows of; filled in once the pickle is read, as the older format has them behind."""

    kind: str
    key: str
    numbers: int


@dataclass(frozen=True, eq=False)
class Tensor:
    """A window that was checked."""

    storage: Storage
    offset: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    def over(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """The window of (n,) numbers."""
        strides = [stride * numbers.itemsize for stride in self.strides]
        window = np.lib.stride_tricks.as_strided(numbers[self.offset :], self.sizes, strides, writeable=False)
        if self.storage.kind == "BFloat16":  # the upper half of a float32
            return (window.astype(np.uint32) << 16).view(np.float32)
        return window


@dataclass
class _Content:
    """What one file says it holds."""

    storages: dict[str, Storage] = field(default_factory=dict)
    elements: int = 0

    def allowed(self) -> Allowed:
        """The names that a file of weights needs."""
        return Allowed(
            calls={
                "collections.OrderedDict": _dictionary,
                "torch._utils._rebuild_tensor_v2": self.tensor,
                "torch._utils._rebuild_parameter": _parameter,
                "torch.Size": lambda sizes=(): tuple(sizes),
            },
            names=frozenset(TYPES),
            stored=self.storage,
        )

    def storage(self, persistent_id: Any) -> Storage:
        """From `("storage", type, key, where it lay, numbers)`, in the older format with a view behind, None."""
        if not (
            type(persistent_id) is tuple
            and len(persistent_id) >= 5
            and persistent_id[0] == "storage"
            and not any(persistent_id[5:])
        ):
            raise Refused("a storage that is described in an unknown way")
        kind, key, numbers = persistent_id[1], persistent_id[2], persistent_id[4]
        if not (isinstance(kind, Name) and kind.text in TYPES and type(key) is str and _is_count(numbers)):
            raise Refused("a storage that is described in an unknown way")
        found = self.storages.setdefault(key, Storage(TYPES[kind.text], key, numbers))
        if (found.kind, found.numbers) != (TYPES[kind.text], numbers):
            raise Refused(f"two storages {key!r} that differ")
        return found

    def tensor(self, storage: Any, offset: Any, sizes: Any, strides: Any, *_: Any) -> Tensor:
        """The window, if it lies within its storage."""
        known = isinstance(storage, Storage) and type(sizes) is tuple and type(strides) is tuple
        if not (known and len(sizes) == len(strides) <= DIMENSIONS and all(map(_is_count, (offset, *sizes, *strides)))):
            raise Refused("a tensor that is described in an unknown way")
        count = math.prod(sizes)
        last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
        if offset > storage.numbers or count > storage.numbers or (count and last >= storage.numbers):
            raise Refused(
                f"a tensor of {_short(sizes)}, which is more than the {_short(storage.numbers)} numbers it is made of"
            )
        self.elements += count
        return Tensor(storage, offset, sizes, strides)

    def check_total(self, size: int) -> None:
        """Raise Refused where storages or tensors would take far more memory than the `size` bytes of the file."""
        if sum(each.numbers * np.dtype(KINDS[each.kind]).itemsize for each in self.storages.values()) > size:
            raise Refused("storages that are larger than the file")
        there = sum(storage.numbers for storage in self.storages.values())
        if self.elements > SHARED * there:
            raise Refused(f"tensors of {self.elements:,} numbers made of {there:,}")


def read_torch(path: Path) -> dict[str, NDArray[Any]]:
    """The tensors of a `.pth` file by their names, a dense layer's (out, in); of a training checkpoint, the network's.

    raises  UsageError if the file is none of `torch.save`, holds anything but tensors and plain data, or is not what
            its name says
    """
    content = path.read_bytes()
    _check_hash(path, content)
    try:
        found = _read_zip(content) if zipfile.is_zipfile(io.BytesIO(content)) else _read_legacy(content)
    except Refused as refused:
        raise UsageError(
            f"{path} holds {refused}; give weights that torch.save wrote of a state_dict, and nothing else"
        ) from refused
    except (zipfile.BadZipFile, struct.error, ValueError, EOFError, OSError, RuntimeError) as error:
        raise UsageError(f"{path} is a damaged PyTorch file ({error}); download it again") from error
    if not found:
        raise UsageError(f"{path} holds no named tensors, neither at its top level nor under {', '.join(INSIDE)}")
    return found


def _check_hash(path: Path, content: bytes) -> None:
    named = HASHED.search(path.name)
    digest = hashlib.sha256(content).hexdigest()
    if named and not digest.startswith(named[1]):
        raise UsageError(
            f"the SHA-256 of {path} begins with {digest[: len(named[1])]}, and its name says {named[1]}: it is damaged "
            "or another file; download it again, or rename a file of your own so that its name has no hash"
        )


def _read_zip(content: bytes) -> dict[str, NDArray[Any]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {info.filename: info for info in archive.infolist()}
        roots = [name.removesuffix("/data.pkl") for name in files if name.endswith("/data.pkl")]
        if len(roots) != 1:
            raise Refused("no `data.pkl`, or several")
        if any(info.compress_type != zipfile.ZIP_STORED for info in files.values()):
            raise Refused("compressed parts, which torch.save does not write")
        if files[f"{roots[0]}/data.pkl"].file_size > PICKLE_MB * 2**20:
            raise Refused(f"a pickle of more than {PICKLE_MB} MB")
        if f"{roots[0]}/byteorder" in files and archive.read(f"{roots[0]}/byteorder") != b"little":
            raise Refused("numbers whose bytes are in another order than this machine's")
        loaded = _Content()
        weights = _weights(read_pickle(io.BytesIO(archive.read(f"{roots[0]}/data.pkl")), loaded.allowed()))
        loaded.check_total(len(content))
        numbers = {}
        for key, storage in loaded.storages.items():
            if f"{roots[0]}/data/{key}" not in files:
                raise Refused(f"no data for the storage {key!r}")
            numbers[key] = _numbers(storage, archive.read(f"{roots[0]}/data/{key}"))
    return {name: tensor.over(numbers[tensor.storage.key]) for name, tensor in weights.items()}


def _read_legacy(content: bytes) -> dict[str, NDArray[Any]]:
    file, loaded = io.BytesIO(content), _Content()
    plain = Allowed({}, frozenset(), loaded.storage)
    try:
        magic = read_pickle(file, plain)
    except Refused:
        magic = None
    if magic != MAGIC or read_pickle(file, plain) != PROTOCOL:
        raise Refused("nothing that torch.save writes")
    system = read_pickle(file, plain)
    if type(system) is not dict or system.get("little_endian") is not True:
        raise Refused("numbers whose bytes are in another order than this machine's")
    weights = _weights(read_pickle(file, loaded.allowed()))
    loaded.check_total(len(content))
    numbers, keys = {}, read_pickle(file, plain)
    if not (type(keys) is list and all(type(key) is str for key in keys)):
        raise Refused("storages without names")
    for key in keys:
        storage = loaded.storages.get(key)
        if storage is None or file.read(8) != struct.pack("<q", storage.numbers):
            raise Refused(f"another storage {key!r} than it describes")
        numbers[key] = _numbers(storage, file.read(storage.numbers * np.dtype(KINDS[storage.kind]).itemsize))
    if missing := set(loaded.storages) - set(numbers):
        raise Refused(f"no data for the storage {min(missing)!r}")
    return {name: tensor.over(numbers[tensor.storage.key]) for name, tensor in weights.items()}


def _numbers(storage: Storage, raw: bytes) -> NDArray[Any]:
    kind = np.dtype(KINDS[storage.kind])
    if len(raw) != storage.numbers * kind.itemsize:
        raise Refused(f"{len(raw):,} bytes for the {_short(storage.numbers)} numbers of the storage {storage.key!r}")
    return np.frombuffer(raw, kind)


def _weights(found: Any) -> dict[str, Tensor]:
    """The tensors by name of what the pickle held; none where it held something else."""
    places = (found, *(found.get(name) for name in INSIDE)) if type(found) is dict else ()
    named = [
        {name: each for name, each in place.items() if isinstance(name, str) and isinstance(each, Tensor)}
        for place in places
        if type(place) is dict
    ]
    return max(named, key=len, default={})


def _dictionary(items: Any = ()) -> dict[Any, Any]:
    return dict(items)


def _parameter(data: Any, *_: Any) -> Any:
    return data


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _short(value: Any) -> str:
    text = f"{value:,}" if isinstance(value, int) else " × ".join(map(str, value)) or "no size"
    return text if len(text) < 60 else f"{text[:60]}…"
