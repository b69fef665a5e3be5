"""The way from photos of one's own to a running model, typed as docs/train/training.md shows it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.training.unit.pictures import write_pictures
from tests.unit.docs.pages import ROOT, console_lines

PAGE = ROOT / "docs" / "train" / "training.md"
OWN_PHOTOS = "FOLDER"
SHORTER = {"vitcam-train finetune": " short.toml"}
"""What is put behind a command, so that it trains for one epoch only."""
_TIMEOUT_S = 280


def commands() -> list[str]:
    lines = [shown.line for shown in console_lines(PAGE)]
    return [line for line in lines if line.startswith("vitcam-train") and OWN_PHOTOS in line]


@pytest.mark.slow("training", "docs/train/training.md")
def test_the_commands_for_photos_of_ones_own_make_a_model_as_they_are_shown(tmp_path: Path) -> None:
    write_pictures(tmp_path / OWN_PHOTOS, each=10)
    (tmp_path / "models").symlink_to(ROOT / "models")
    recipe = (ROOT / "training" / "recipes" / "folder.toml").read_text("utf-8")
    (tmp_path / "short.toml").write_text(re.sub(r"^epochs = \d+", "epochs = 1", recipe, flags=re.MULTILINE))
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    for line in commands():
        longer = next((more for begin, more in SHORTER.items() if line.startswith(begin)), "")
        done = subprocess.run(
            ["bash", "-c", line + longer], cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=_TIMEOUT_S
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"

    assert len(commands()) == 3
    assert (tmp_path / "FOLDER.tflite").stat().st_size > 1_000_000
