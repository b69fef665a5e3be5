"""To whom the memory of a process belongs: by /proc/PID/smaps, and by what heaptrack says of the heap."""

import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEAD = re.compile(r"([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+\s*(.*)")
_ARENA_KB = 1024  # of Python's small objects, Objects/obmalloc.c
_STACK_KB = 8192
_OWNERS = (  # by a part of the file's path, the first that fits
    ("cv2/", "OpenCV"), ("opencv_python", "OpenCV"), ("av.libs/", "FFmpeg of PyAV"), ("/av/", "FFmpeg of PyAV"),
    ("ai_edge_litert", "LiteRT"), ("numpy", "NumPy"), ("libcrypto", "OpenSSL"), ("libssl", "OpenSSL"),
    ("sqlite", "SQLite"), ("site-packages/", "other packages"), ("lib-dynload", "Python"), ("libpython", "Python"),
    ("bin/python", "Python"), ("/lib", "libraries of the system"),
)  # fmt: skip
_ON_THE_HEAP = (  # by a function on the stack of an allocation
    (("xnn_", "tflite::"), "LiteRT: weights in XNNPACK's order, tensors"),
    (("libav", "av_malloc"), "FFmpeg: frames it keeps, and converted pictures"),
    (("sqlite3",), "SQLite"),
    (("SSL_", "X509", "CRYPTO_"), "OpenSSL"),
    (("bytes_subscript",), "Python: the model's bytes"),
    (("PyDataMem", "npy_alloc"), "NumPy: arrays"),
    (("Py", "_io_"), "Python: objects above 512 bytes"),
)


@dataclass(slots=True)
class Share:
    """MB of 2^20 bytes."""

    resident: float = 0.0
    pss: float = 0.0
    """Resident, with pages that several processes share divided among them."""
    anonymous: float = 0.0
    """That no file holds."""

    def add(self, resident: float, pss: float, anonymous: float) -> None:
        self.resident, self.pss, self.anonymous = self.resident + resident, self.pss + pss, self.anonymous + anonymous


def shares(pid: int) -> dict[str, Share]:
    """By owner, the largest first; `all` is the last."""
    found: dict[str, Share] = defaultdict(Share)
    for name, size_kb, fields in _mappings(Path(f"/proc/{pid}/smaps").read_text()):
        values = [fields.get(each, 0) / 1024 for each in ("Rss", "Pss", "Anonymous")]
        for owner in (_owner_of(name, size_kb), "all"):
            found[owner].add(*values)
    every = found.pop("all")
    return dict(sorted(found.items(), key=lambda each: -each[1].resident)) | {"all": every}


def on_the_heap(recording: Path) -> dict[str, float]:
    """MB that were allocated when a process was killed that ran under heaptrack, by owner, the largest first."""
    folded = recording.with_suffix(".folded")
    command = ["heaptrack_print", "-f", str(recording), "-F", str(folded), "--flamegraph-cost-type", "leaked"]
    command += [option for part in ("leaks", "peaks", "allocators", "temporary") for option in (f"--print-{part}", "0")]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    found: Counter[str] = Counter()
    for line in folded.read_text(errors="replace").splitlines():
        stack, _, size = line.rpartition(" ")
        owner = next((name for parts, name in _ON_THE_HEAP if any(part in stack for part in parts)), "others")
        found[owner] += int(size)
    return {owner: size / 2**20 for owner, size in found.most_common()}


def _mappings(smaps: str) -> Iterator[tuple[str, int, dict[str, int]]]:
    """Name, size in kB, and the fields in kB of each mapping."""
    name, size_kb, fields = "", 0, dict[str, int]()
    for line in smaps.splitlines():
        head = _HEAD.match(line)
        if head is None:
            key, _, value = line.partition(":")
            if value.endswith(" kB"):
                fields[key] = int(value.split()[0])
            continue
        if fields:
            yield name, size_kb, fields
        name, size_kb, fields = head[3], (int(head[2], 16) - int(head[1], 16)) // 1024, {}
    if fields:
        yield name, size_kb, fields


def _owner_of(name: str, size_kb: int) -> str:
    if name == "[heap]":
        return "heap of malloc"
    if name.startswith("[stack") or (not name and size_kb == _STACK_KB):
        return "stacks of threads"
    if not name:
        arena = size_kb % _ARENA_KB == 0
        return "Python's small objects" if arena else "outside of the heap: large blocks, and heaps of threads"
    return next((owner for part, owner in _OWNERS if part in name), "other files")
