"""The ablation from a recipe to a page; runs that are there already are not made again."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.training.unit.pictures import write_pictures

SLOW = pytest.mark.slow("training/study", "training/fit")

BASE = """
name = "colours"
data = "{photos}"

[model]
preset = "digits"
width = 16

[train]
epochs = {epochs}
batch_size = 6
"""

TIMEOUT_S = 280


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return write_pictures(tmp_path / "photos", each=12, side=28)


def command(tmp_path: Path, photos: Path, epochs: int) -> list[str]:
    (tmp_path / "base.toml").write_text(BASE.format(photos=photos, epochs=epochs))
    asked = ["base.toml", "--rows", "heads-2", "--seeds", "2", "--out", "out", "--json"]
    return [sys.executable, "-m", "vitcam_training.study.ablation", *asked]


@SLOW
def test_an_ablation_that_lost_one_run_makes_that_one_again_and_no_other(tmp_path: Path, photos: Path) -> None:
    words = command(tmp_path, photos, epochs=1)
    first = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT_S)
    lines = [json.loads(line) for line in first.stdout.splitlines()]
    kept = tmp_path / "out" / "runs.jsonl"
    kept.write_text("".join(line for line in kept.read_text().splitlines(True) if json.loads(line) != lines[1]))
    again = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT_S)
    (repeated,) = (json.loads(line) for line in again.stdout.splitlines())
    page = (tmp_path / "out" / "ablation.md").read_text()

    assert {(line["row"], line["seed"]) for line in lines} == {
        (row, seed) for row in ("base", "heads-2") for seed in (1, 2)
    }
    assert [run.stderr.count("begins") for run in (first, again)] == [4, 1], "each run is said when it begins"
    clocks = {"seconds": 0, "cpu_seconds": 0}
    assert repeated | clocks == lines[1] | clocks, "from its saved state it says the same"
    assert "| 2 heads |" in page
    assert "| 4 heads |" not in page
    assert (tmp_path / "out" / "ablation.svg").is_file()


@SLOW
def test_an_ablation_that_is_terminated_takes_its_runs_along(tmp_path: Path, photos: Path) -> None:
    words = command(tmp_path, photos, epochs=100_000)
    ablation = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert eventually(lambda: list(tmp_path.glob("out/*/log.csv")))
    workers = children(ablation.pid)
    ablation.send_signal(signal.SIGTERM)
    ablation.communicate(timeout=60)
    assert eventually(lambda: not [pid for pid in workers if Path("/proc", str(pid)).exists()])

    assert len(workers) > 0
    assert ablation.returncode == -signal.SIGTERM
    assert not (tmp_path / "out" / "ablation.md").exists()


def children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in path.read_text().split()] if path.exists() else []
