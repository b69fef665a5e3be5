"""The same training on each of Keras' backends: the same photos in the same order, from the same weights."""

import csv
import importlib.util
import os
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.needs import need_torch
from tests.training.unit.nets import small_about, small_vit
from tests.training.unit.pictures import write_pictures
from vitcam_training.config import ViTConfig
from vitcam_training.weights.checkpoints import save_weights, to_timm
from vitcam_training.weights.metadata import read_metadata

pytestmark = pytest.mark.slow("training/fit", "training/vit.py", "training/data", "training/config.py")

RECIPE = """
name = "colours"
data = "{photos}"
seed = 3

[model]
image_size = [32, 32]

[train]
epochs = 5
batch_size = 6
learning_rate = 5e-4
average = 0.9
"""
LIMIT_S = 240


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Photos, a recipe, and weights to begin with: each backend would draw others from the same seed."""
    root = tmp_path_factory.mktemp("backends")
    photos = write_pictures(root / "photos", each=20, side=32)
    (root / "colours.toml").write_text(RECIPE.format(photos=photos))
    config = ViTConfig(3, (32, 32), 8, width=32, depth=2, heads=4)
    about = replace(small_about(3), labels=("blue", "green", "red"), network=asdict(config))
    save_weights(root / "begin.safetensors", to_timm(small_vit(config)), about)
    return root


@pytest.fixture(scope="module")
def expected(workshop: Path) -> list[dict[str, float]]:
    """What TensorFlow has, the default."""
    return trained(workshop, "tensorflow", sys.executable)


def trained(workshop: Path, backend: str, python: str) -> list[dict[str, float]]:
    """The log of a training by the command."""
    out = workshop / backend
    call = [python, "-c", "from vitcam_training.cli import main; main()", "finetune", str(workshop / "colours.toml")]
    call += ["--weights", str(workshop / "begin.safetensors"), "--out", str(out)]
    known = os.environ | {"KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "2"}
    done = subprocess.run(call, env=known, capture_output=True, text=True, timeout=LIMIT_S)

    assert done.returncode == 0, done.stderr

    assert backend in read_metadata(out / "weights.safetensors").provenance["versions"]

    with (out / "log.csv").open(newline="") as file:
        return [{name: float(text) for name, text in line.items() if text} for line in csv.DictReader(file)]


@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_the_last_loss_of_every_backend_is_that_of_tensorflow_within_two_percent(
    workshop: Path, expected: list[dict[str, float]], backend: str
) -> None:
    found = trained(workshop, backend, need_torch() if backend == "torch" else sys.executable)

    assert expected[-1]["train_loss"] < 0.6 * expected[0]["train_loss"], "it learns something"
    for name in ("train_loss", "test_loss"):
        assert found[-1][name] == pytest.approx(expected[-1][name], rel=0.02)
    assert found[-1]["test_accuracy"] == expected[-1]["test_accuracy"]


@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_training_needs_tensorflow_on_no_other_backend(backend: str) -> None:
    code = "import sys, vitcam_training.fit.prepare; print('tensorflow' in sys.modules)"
    python = need_torch() if backend == "torch" else sys.executable
    environment = os.environ | {"KERAS_BACKEND": backend}
    done = subprocess.run([python, "-c", code], env=environment, capture_output=True, text=True, timeout=120)

    assert importlib.util.find_spec("tensorflow"), "it is there, and could be imported"
    assert done.stdout.strip() == "False", done.stderr
