"""What the C++ libraries of TensorFlow and XLA write to stderr: their real errors, and nothing else.

They greet while they are loaded, before any of their settings counts: that oneDNN is on, and that a log is not ready.
To turn oneDNN off would silence that, too, and a step of training would take a fifth longer.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

LEVEL = "TF_CPP_MIN_LOG_LEVEL"
"""From which level on their lines are written; read by jaxlib, too."""
_ERRORS, _FATAL = "2", "3"
_GPUS = ("/dev/nvidiactl", "/dev/kfd")
_GREETING = re.compile(rb"WARNING: All log messages before absl::InitializeLog|.*oneDNN custom operations are on")


def quieten() -> None:
    """Let them say only what counts, unless `TF_CPP_MIN_LOG_LEVEL` says otherwise. Call it before they are imported.

    With a GPU that is from errors on: so they say why they do not use it. Without one, what fails raises an exception,
    and the only error that is written is advice to report a compilation that took two minutes.
    """
    os.environ.setdefault(LEVEL, _ERRORS if any(map(os.path.exists, _GPUS)) else _FATAL)
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds TensorFlow as Python does, and lets it be loaded without its greeting, whoever imports it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if fullname == "tensorflow" else None
        if spec and spec.loader:
            spec.loader = _WithoutGreeting(spec.loader)
        return spec


class _WithoutGreeting(Loader):
    """Loads a module as `loader` does."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__:
            module.__spec__.loader = self._loader
        with without_greeting():
            self._loader.exec_module(module)


@contextmanager
def without_greeting() -> Iterator[None]:
    """Keep what anything writes to file descriptor 2, and write it afterwards, but for the greeting."""
    if sys.stderr is None:  # closed: the descriptor may be that of another file
        yield
        return
    with tempfile.TemporaryFile() as kept:
        sys.stderr.flush()
        stderr = os.dup(2)
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(stderr, 2)
            kept.seek(0)
            os.write(2, b"".join(line for line in kept if not _GREETING.match(line)))
            os.close(stderr)
