"""Slow tests run when their subject has changed since they passed, in a small repository of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import slow_tier

CONFTEST = """
from tests.slow_tier import SlowTier

def pytest_addoption(parser):
    for option in ("--due", "--all-slow"):
        parser.addoption(option, action="store_true")

def pytest_configure(config):
    config.addinivalue_line("markers", "slow(subject): slow")
    config.pluginmanager.register(SlowTier(config))
"""
TESTS = """
from pathlib import Path
import pytest

@pytest.mark.slow("product")
def test_the_product():
    assert Path("product/part.txt").read_text() != "broken"

@pytest.mark.slow("other.txt")
@pytest.mark.parametrize("case", [1, 2])
def test_another(case): ...

def test_a_fast_one(): ...
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "product").mkdir()
    shutil.copy(slow_tier.__file__, tmp_path / "tests" / "slow_tier.py")
    files = {"tests/__init__.py": "", "tests/conftest.py": CONFTEST, "tests/test_all.py": TESTS}
    files |= {"tests/slow_tier.json": "{}", "product/part.txt": "whole", "other.txt": ""}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    subprocess.run("git init -q && git add .", shell=True, cwd=tmp_path, check=True, timeout=60)
    return tmp_path


def passed(repository: Path, *options: str) -> int:
    """How many tests passed in a run of the slow ones."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xdist", *options]
    environ = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # their import takes seconds
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=120, env=environ)
    return next(
        (int(line.split(" passed")[0].split()[-1]) for line in done.stdout.splitlines() if " passed" in line), 0
    )


@pytest.mark.long
@pytest.mark.parametrize("processes", ["0", pytest.param("2", marks=pytest.mark.long)])
def test_a_slow_test_is_due_until_it_passed_and_again_when_its_subject_changes(
    repository: Path, processes: str
) -> None:
    options = ("-m", "slow", "--due", "--numprocesses", processes)

    assert passed(repository, *options) == 3
    assert passed(repository, *options) == 0
    (repository / "product" / "part.txt").write_text("changed")
    assert passed(repository, *options) == 1
    assert passed(repository, *options, "--all-slow") == 3


def test_a_run_by_name_takes_a_slow_test_each_time_and_writes_nothing_down(repository: Path) -> None:
    for _ in range(2):
        assert passed(repository, "-m", "slow", "tests/test_all.py::test_another") == 2

    assert (repository / "tests" / "slow_tier.json").read_text() == "{}"


def test_a_slow_test_that_fails_stays_due_and_the_others_are_written_down(repository: Path) -> None:
    (repository / "product" / "part.txt").write_text("broken")

    assert passed(repository, "-m", "slow", "--due") == 2
    record = json.loads((repository / "tests" / "slow_tier.json").read_text())
    assert set(record) == {"tests/test_all.py::test_another[1]", "tests/test_all.py::test_another[2]"}


def test_fast_tests_run_always_and_write_nothing_down(repository: Path) -> None:
    for _ in range(2):
        assert passed(repository, "-m", "not slow") == 1

    assert (repository / "tests" / "slow_tier.json").read_text() == "{}"


def test_a_slow_test_without_a_subject_or_with_one_that_is_not_there_is_refused(repository: Path) -> None:
    for mark in ("slow", 'slow("absent")'):
        (repository / "tests" / "test_all.py").write_text(f"import pytest\n@pytest.mark.{mark}\ndef test_it(): ...\n")

        assert passed(repository) == 0
