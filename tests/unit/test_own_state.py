"""Tests and benchmarks leave the user's state alone: not one crop of theirs changes what is measured."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vitcam.daemon.saved_state.page_choices import SavedCrop
from vitcam.folders import state_folder
from vitcam.pictures.view import Region

ASK = "import os, {module}; from vitcam.folders import state_folder; print(state_folder(os.environ))"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Of somebody who uses vitcam every day."""
    SavedCrop(tmp_path / ".local/state/vitcam", "auto").save(Region(0, 0, 0.5, 0.5))
    return tmp_path


def test_what_the_tests_read_and_write_is_not_the_users() -> None:
    folder = state_folder(os.environ)

    assert folder is not None
    assert folder.parent.name.startswith("vitcam-state-")


@pytest.mark.parametrize("module", ["tests.bench", "tests.bench.startup", "tests.bench.throughput"])
def test_what_a_benchmark_reads_and_writes_is_not_the_users(home: Path, module: str) -> None:
    environ = {**os.environ, "HOME": str(home), "STATE_DIRECTORY": str(home / ".local/state/vitcam")}
    environ.pop("XDG_STATE_HOME")
    done = subprocess.run(
        [sys.executable, "-c", ASK.format(module=module)], env=environ, capture_output=True, text=True, timeout=60
    )

    assert Path(done.stdout.strip()).parent.name.startswith("vitcam-state-"), done.stderr
