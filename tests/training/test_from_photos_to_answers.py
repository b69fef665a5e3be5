"""A tiny network is trained, exported and asked, by the commands that people type: training works at all.

TensorFlow stays in these commands' own processes: it takes 0.9 GB, and no other test of this tier needs it.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import vitcam
from tests.training.unit.pictures import COLOURS, RECIPE, write_pictures


def vitcam_train(folder: Path, *arguments: str) -> None:
    program = Path(sys.executable).with_name("vitcam-train")
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, timeout=280)

    assert done.returncode == 0, done.stderr


@pytest.mark.smoke
def test_photos_become_a_model_that_names_them(tmp_path: Path) -> None:
    write_pictures(tmp_path / "photos", each=20, side=32)
    (tmp_path / "colours.toml").write_text(RECIPE.format(photos="photos", epochs=8))
    vitcam_train(tmp_path, "fit", "colours.toml", "--out", "run")
    vitcam_train(tmp_path, "export", "run/weights.safetensors", "-o", "colours.tflite", "--data", "photos")
    photos = [f"photos/{name}/00.png" for name in COLOURS]
    answers = vitcam("classify", *photos, "--model", "colours.tflite", "--json", cwd=tmp_path).lines

    assert [answer["top"][0]["label"] for answer in answers if "top" in answer] == list(COLOURS)
