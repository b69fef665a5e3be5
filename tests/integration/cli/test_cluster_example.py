"""examples/cluster on a cluster of two workers on this machine, of which one is killed."""

import json
import os
import re
import signal
import subprocess
from collections import Counter
from pathlib import Path
from typing import IO

import pytest

from tests.eventually import eventually
from tests.needs import missing

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "cluster" / "classify_on_dask.py"
GOLDEN = ROOT / "models" / "golden"
READ = """
import json, sys
import pyarrow.parquet as pq
print(json.dumps(pq.read_table(sys.argv[1], columns=["path", "label", "error"]).to_pylist()))
"""

pytestmark = pytest.mark.slow(
    "examples/cluster", "vitcam/model/classifier.py", "vitcam/sources/images.py", "vitcam/wire.py"
)


@pytest.fixture(scope="module")
def python() -> Path:
    """That of the environment that has Dask; VITCAM_CLUSTER_PYTHON names another one, such as of Python 3.13."""
    named = os.environ.get("VITCAM_CLUSTER_PYTHON")
    found = Path(named) if named else ROOT / ".venv" / "cluster" / "bin" / "python"
    return found if found.exists() else missing(f"{found} is not there; `make .venv/cluster/ready` makes it")


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Some hundred photos in folders, and two files that are not."""
    folder = tmp_path / "photos"
    for number in range(600):
        place = folder / f"{number % 7}" / f"{number}.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(GOLDEN / "digits" / f"{'2358'[number % 4]}.png")
    (folder / "damaged.png").write_bytes(b"no picture")
    (folder / "gone.png").symlink_to(folder / "nowhere")
    return folder


def start(python: Path, photos: Path, out: Path, *options: str) -> "subprocess.Popen[str]":
    command = [str(python), str(EXAMPLE), str(photos), str(out), *options]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def line_of(stream: IO[str] | None, beginning: str) -> str:
    """The first line that begins like this."""
    assert stream is not None
    for line in stream:
        if line.startswith(beginning):
            return line
    raise AssertionError(f"it ended and did not say {beginning!r}")


def rows_in(python: Path, out: Path) -> list[dict[str, str | None]]:
    read = subprocess.run([str(python), "-c", READ, str(out)], capture_output=True, text=True, check=True)
    rows: list[dict[str, str | None]] = json.loads(read.stdout)
    return rows


def test_every_photo_is_answered_exactly_once_though_a_worker_is_killed(
    python: Path, photos: Path, tmp_path: Path
) -> None:
    out = tmp_path / "answers"
    with start(python, photos, out, "--workers", "2", "--model", "mnist", "--part", "5") as job:
        first, second = map(int, line_of(job.stderr, "workers: ").split()[1:])
        eventually(lambda: any(out.glob("*.parquet")) or job.poll() is not None)
        os.kill(first, signal.SIGKILL)
        there = len(list(out.glob("*.parquet")))
        summary, _ = job.communicate(timeout=600)

    assert first != second
    assert 0 < there < 121, "it was killed in between"
    assert job.returncode == 0, summary
    rows = rows_in(python, out)
    wanted = {str(path) for path in photos.rglob("*.png")}
    assert Counter(row["path"] for row in rows) == Counter(wanted)
    assert {Path(str(row["path"])).name for row in rows if row["error"]} == {"damaged.png", "gone.png"}
    assert all((row["label"] is None) == (row["error"] is not None) for row in rows)


def test_the_whole_job_goes_on_after_it_was_killed(python: Path, photos: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers"
    options = ("--workers", "1", "--model", "mnist", "--part", "5")
    with start(python, photos, out, *options) as job:
        workers = [int(pid) for pid in line_of(job.stderr, "workers: ").split()[1:]]
        eventually(lambda: any(out.glob("*.parquet")) or job.poll() is not None)
        for pid in (job.pid, *workers):
            os.kill(pid, signal.SIGKILL)
        job.communicate(timeout=60)
    there = len(list(out.glob("*.parquet")))
    with start(python, photos, out, *options) as again:
        said = line_of(again.stderr, f"{there} of 121 parts")
        again.communicate(timeout=600)
    other = subprocess.run(
        [str(python), str(EXAMPLE), str(photos), str(out), "--model", "cifar10"], capture_output=True, text=True
    )

    assert 0 < there < 121, said
    assert Counter(row["path"] for row in rows_in(python, out)) == Counter(str(p) for p in photos.rglob("*.png"))
    assert other.returncode == 2
    assert "mnist" in other.stderr


def test_it_prints_how_much_two_workers_gain(python: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(60):
        (folder / f"{number}.jpg").symlink_to(GOLDEN / "coffee.jpg")
    cost: dict[int, tuple[float, float]] = {}
    for workers in (1, 2):
        with start(python, folder, tmp_path / str(workers), "--workers", str(workers), "--part", "5") as job:
            printed, _ = job.communicate(timeout=600)
        found = re.search(r"([\d.]+) photos/s; ([\d.]+) s of processor time", printed)
        assert found, printed
        cost[workers] = float(found[1]), float(found[2])
    with capsys.disabled():
        for workers, (rate, cpu_s) in cost.items():
            print(f"\n{workers} worker(s): {rate:.1f} photos/s, {cpu_s:.1f} s of processor time for 60 photos", end="")
        print(f"\nload of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")

    assert cost[2][1] < 2 * cost[1][1], "two workers must not do the work twice"
