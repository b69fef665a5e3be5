"""What a run of tests leaves in the temporary folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow("tests/conftest.py")

ROOT = Path(__file__).parents[2]
LEAVES = """
import os, signal, tempfile

def test_a_worker_that_is_killed_leaves_a_file():
    tempfile.NamedTemporaryFile(prefix="__autograph_generated_file", delete=False).close()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_stays_in_the_temporary_folder_where_a_worker_is_killed(tmp_path: Path) -> None:
    tests, left = tmp_path / "tests", tmp_path / "left"
    tests.mkdir()
    left.mkdir()
    (tests / "test_leaves.py").write_text(LEAVES)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "JAX_"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--numprocesses", "1", "--max-worker-restart", "0", "--rootdir", str(tests), "-c", "/dev/null",
         str(tests)],
        env=environment | {"TMPDIR": str(left), "PYTHONPATH": str(ROOT)}, cwd=ROOT,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert "crashed" in done.stdout, done.stdout + done.stderr
    assert [path.name for path in left.iterdir() if not path.name.startswith("pytest-of-")] == []
