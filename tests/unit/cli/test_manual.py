"""The manual page: made by docs/generate_cli.py, understood by troff, and installed by a wheel."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from vitcam.cli import VERBS

ROOT = Path(__file__).parents[3]
MANUAL = ROOT / "vitcam" / "cli" / "vitcam.1"


def test_every_verb_has_a_heading_in_ascii() -> None:
    text = MANUAL.read_text("ascii")

    assert [verb for verb in VERBS if f"\n.SS vitcam {verb}\n" not in text] == []


def test_a_wheel_puts_it_where_man_looks() -> None:
    files = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["data-files"]

    assert files["share/man/man1"] == [str(MANUAL.relative_to(ROOT))]


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_warns_of_nothing() -> None:
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", MANUAL], capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stderr) == (0, "")
