"""How many threads NumPy's matrix products take: more than one would wait for those that teach side by side."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LIBRARY = re.compile(r"/\S*openblas\S*\.so\S*")
_NAMES = ("openblas_{}", "openblas_{}64_", "scipy_openblas_{}", "scipy_openblas_{}64_")
"""As OpenBLAS is built by itself, for Debian, and for NumPy's wheels."""


@contextmanager
def one_thread() -> Iterator[None]:
    """While the context lasts, a matrix product takes one thread. No effect where NumPy uses another library."""
    libraries = [ctypes.CDLL(path) for path in _loaded()]
    before = [_call(library, "get_num_threads") for library in libraries]
    for library in libraries:
        _call(library, "set_num_threads", 1)
    try:
        yield
    finally:
        for library, threads in zip(libraries, before, strict=True):
            if threads:
                _call(library, "set_num_threads", threads)


def _loaded() -> list[str]:
    """The OpenBLAS libraries of this process."""
    try:
        return sorted(set(_LIBRARY.findall(Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace"))))
    except OSError:
        return []


def _call(library: ctypes.CDLL, name: str, *values: int) -> int:
    """What a function says, whatever it is called there; 0 where there is none."""
    for pattern in _NAMES:
        function = getattr(library, pattern.format(name), None)
        if function is not None:
            return int(function(*values) or 0)
    return 0
