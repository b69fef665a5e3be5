"""Training in processes of their own that are killed, interrupted, or out of time, and go on."""

import csv
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.eventually import eventually
from tests.training.unit.pictures import write_pictures
from vitcam_training.weights.checkpoints import read_weights

SLOW = pytest.mark.slow("training/fit", "training/vit.py", "training/data", "training/config.py")

RECIPE = """
name = "colours"
data = "{photos}"
seed = 3

[model]
image_size = [32, 32]
patch_size = 16
width = 32
depth = 2
heads = 1
drop_path = 0.2
dropout = 0.1

[augment]
mix = 0.5

[train]
epochs = 4
batch_size = 6
per_label = 10
learning_rate = 2e-3
average = 0.9
"""
STEPS = 4 * 5
LIMIT_S = 240


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "colours.toml"
    path.write_text(RECIPE.format(photos=write_pictures(tmp_path / "photos", each=12, side=32)))
    return path


SINGLE = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "OMP_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
}  # fmt: skip
"""One thread for sums, so that they are added in one order."""


def start(recipe: Path, out: Path, *options: str, backend: str = "tensorflow") -> subprocess.Popen[str]:
    """`vitcam-train fit` on one core, with one thread for its sums; saves after every step."""
    code = "from vitcam_training.cli import main; main()"
    command = [sys.executable, "-c", code, "fit", str(recipe), "--out", str(out), "--save-every", "0", *options]
    environment = os.environ | SINGLE | {"KERAS_BACKEND": backend}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    os.sched_setaffinity(process.pid, {min(os.sched_getaffinity(0))})  # at once: cores are counted at the import
    return process


def after_saves(process: subprocess.Popen[str], out: Path, saves: int) -> None:
    """Wait until the run in `out` has saved itself so many times."""
    seen = set[int]()

    def has_saved() -> bool:
        if (out / "state.npz").exists():
            seen.add((out / "state.npz").stat().st_mtime_ns)
        return len(seen) >= saves or process.poll() is not None

    eventually(has_saved, LIMIT_S, every_s=0.001)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    try:
        _, said = process.communicate(timeout=LIMIT_S)
    finally:
        process.kill()
    return process.returncode, said


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "log.csv").open(newline="") as file:
        return [row | {"seconds": ""} for row in csv.DictReader(file)]


@SLOW
@pytest.mark.timeout(3 * LIMIT_S)
@pytest.mark.parametrize("backend", ["tensorflow", "jax"])
def test_a_run_killed_at_a_random_step_ends_with_the_same_weights_bit_for_bit(
    recipe: Path, tmp_path: Path, backend: str
) -> None:
    saves = random.randrange(1, STEPS)
    whole, parts = (start(recipe, tmp_path / name, backend=backend) for name in ("whole", "parts"))
    after_saves(parts, tmp_path / "parts", saves)
    parts.send_signal(signal.SIGKILL)
    killed, _ = ended(parts)
    again, said = ended(start(recipe, tmp_path / "parts", backend=backend))
    undisturbed, _ = ended(whole)

    assert (killed, again, undisturbed) == (-signal.SIGKILL, 0, 0), said
    weights, wanted = (read_weights(tmp_path / name / "weights.safetensors") for name in ("parts", "whole"))
    for name in wanted:
        np.testing.assert_array_equal(weights[name], wanted[name], err_msg=f"{name}, killed after {saves} saves")
    assert rows(tmp_path / "parts") == rows(tmp_path / "whole")


@pytest.mark.timeout(3 * LIMIT_S)
@SLOW
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_says_where_it_stopped_and_how_to_go_on(
    recipe: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    process = start(recipe, tmp_path / "run")
    after_saves(process, tmp_path / "run", 2)
    process.send_signal(number)
    status, said = ended(process)

    assert status == code, said
    assert "vitcam-train: interrupted: stopped in epoch " in said
    assert f"saved in {tmp_path / 'run'}; run the same command to continue" in said
    assert "Traceback" not in said


@SLOW
@pytest.mark.timeout(3 * LIMIT_S)
@pytest.mark.parametrize("line", ["loading Keras", "reading the photos"])
def test_an_interrupt_before_anything_is_trained_is_one_sentence(recipe: Path, tmp_path: Path, line: str) -> None:
    process = start(recipe, tmp_path / "run", "--dry-run")
    assert process.stderr
    for said in process.stderr:
        if line in said:
            break
    process.send_signal(signal.SIGINT)
    status, rest = ended(process)

    assert status == 1, rest
    assert [said for said in rest.splitlines() if said.startswith("vitcam-train: ")] == [
        "vitcam-train: interrupted; what was saved before is kept, so run the same command again"
    ]
    assert "Traceback" not in rest


@pytest.mark.slow("training/fit", "training/cli")
@pytest.mark.timeout(3 * LIMIT_S)
def test_one_epoch_ends_with_weights_and_a_budget_is_refused_with_its_remedy(recipe: Path, tmp_path: Path) -> None:
    refused, why = ended(start(recipe, tmp_path / "run", "--budget", "10m"))
    status, said = ended(start(recipe, tmp_path / "run", "--epochs", "1"))

    assert (refused, status) == (2, 0), why + said
    assert "give --epochs" in why
    assert len(rows(tmp_path / "run")) == 1
    assert read_weights(tmp_path / "run" / "weights.safetensors")


@pytest.mark.slow("training/fit", "training/cli")
@pytest.mark.timeout(3 * LIMIT_S)
def test_a_run_without_time_does_one_step_and_ends_well(recipe: Path, tmp_path: Path) -> None:
    status, said = ended(start(recipe, tmp_path / "run", "--stop-after", "0.001"))

    assert status == 0, said
    assert "the time of --stop-after is over, 0.001 min: stopped in epoch 1 of 4 after step 1 of 5" in said
