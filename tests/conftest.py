"""What holds for every test.

What JAX has compiled is kept for the whole run: many tests train the same small networks, here and in processes of
their own, and compiling these anew was most of the time that the tests took.
"""

import gc
import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.own_state import own_state
from tests.slow_tier import SlowTier

_TESTS = Path(__file__).parent
_LONG_FOLDERS = frozenset({"integration", "training"})
_BELOW_STUDIES = ("training/study", "training/config.py", "training/export", "training/fit", "training/vit.py")
"""What a study is made of: its tests run in `make test-slow` once one of these has changed."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--due", action="store_true", help="run the slow tests whose subject has changed, and record them")
    parser.addoption("--all-slow", action="store_true", help="run and record all slow tests")


def pytest_configure(config: pytest.Config) -> None:
    # a shell starts what runs in its background with Ctrl-C ignored, and every child would inherit that
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):  # workers take it over
        _own_temporary_folder(config)
    os.environ.pop("PYTHONUNBUFFERED", None)  # images of containers set it; whoever uses vitcam does not
    settings.register_profile("any machine", deadline=None)  # a loaded one takes long for an example
    settings.load_profile("any machine")
    config.add_cleanup(own_state().cleanup)
    config.pluginmanager.register(SlowTier(config))
    if "JAX_COMPILATION_CACHE_DIR" in os.environ:
        return  # the user's own, or that of the process which started this one
    folder = tempfile.TemporaryDirectory(prefix="vitcam-compiled-", ignore_cleanup_errors=True)
    config.add_cleanup(folder.cleanup)
    os.environ |= {
        "JAX_COMPILATION_CACHE_DIR": folder.name,
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }


def _own_temporary_folder(config: pytest.Config) -> None:
    """One folder for what this run and its workers leave behind: a worker that is ended removes nothing itself.

    TensorFlow writes a module for each function that it converts. pytest keeps its own folders where they were.
    """
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
    folder = tempfile.TemporaryDirectory(prefix="vitcam-tests-", ignore_cleanup_errors=True)
    config.add_cleanup(folder.cleanup)
    config.add_cleanup(lambda: setattr(tempfile, "tempdir", None))  # before that folder goes
    os.environ["TMPDIR"] = folder.name
    tempfile.tempdir = None  # it is looked up again


def is_long(path: Path) -> bool:
    """Whether the tests of a file are long unless they are marked `smoke`: those of whole programs and of training."""
    return not _LONG_FOLDERS.isdisjoint(path.relative_to(_TESTS).parts)


def _may_be(path: Path, *, long: bool) -> bool:
    """Whether a file, or one below a folder, may have a test that is long, or one that is not."""
    if path.is_dir():
        return any(_may_be(each, long=long) for each in path.rglob("test_*.py"))
    usual, mark = is_long(path), "mark.smoke" if is_long(path) else "mark.long"
    return usual is long or mark in path.read_text("utf-8")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where only one tier runs, a file without a test of it is not imported.

    All of them take ten seconds of each process, and those of training 0.9 GB.
    """
    words = str(config.getoption("markexpr")).split()
    if "or" in words or not (collection_path.is_dir() or collection_path.name.startswith("test_")):
        return None
    if words[:1] == ["long"] or words[:2] == ["not", "long"]:
        return not _may_be(collection_path, long=words[0] == "long") or None
    return None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Nobody has to remember to mark a test of a whole program, of training or of a study."""
    if is_long(item.path) and not item.get_closest_marker("smoke"):
        item.add_marker(pytest.mark.long)
    if "study" in item.path.relative_to(_TESTS).parts:
        item.add_marker(pytest.mark.slow(*_BELOW_STUDIES))


def pytest_collection_finish() -> None:
    """What was imported stays to the end: the collector, which TensorFlow's converter calls, need not look at it."""
    gc.collect()
    gc.freeze()
