"""What the daemon says that it costs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vitcam.processes.cost import CostMeter, cost_of

PROC = Path("/proc")
SPEND = (
    "sum(range(20_000_000)); f = open({path!r}, 'wb'); f.write(bytes(3_000_000)); f.flush(); __import__('os').fsync(f)"
)


def test_processor_time_and_written_bytes_of_children_are_counted_while_they_run_and_after(tmp_path: Path) -> None:
    before = cost_of(PROC, 1.0)
    code = SPEND.format(path=str(tmp_path / "written")) + "; print('spent', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        during = cost_of(PROC, 1.0)
        child.communicate(b"\n", timeout=30)
    after = cost_of(PROC, 1.0)

    assert before.written_bytes is not None
    assert during.written_bytes is not None
    assert after.written_bytes is not None
    assert during.written_bytes - before.written_bytes >= 3_000_000
    assert after.written_bytes >= during.written_bytes
    assert during.cpu_s - before.cpu_s > 0.1
    assert after.cpu_s >= during.cpu_s - 0.02  # the kernel counts ticks of 0.01 s


def test_the_memory_of_a_child_is_counted_while_it_runs() -> None:
    before = cost_of(PROC, 1.0).memory_bytes
    code = "held = b'x' * 50_000_000; print('held', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        during = cost_of(PROC, 1.0).memory_bytes
        child.communicate(b"\n", timeout=30)

    assert before is not None
    assert during is not None
    assert during - before > 45_000_000


def test_nothing_is_said_per_day_before_the_start_has_lost_its_weight() -> None:
    early, late = cost_of(PROC, 599.0), cost_of(PROC, 43200.0)

    assert (early.cpu_hours_per_day, early.written_mb_per_day) == (None, None)
    assert late.cpu_hours_per_day == pytest.approx(2 * late.cpu_s / 3600, abs=0.01)
    assert late.written_mb_per_day == pytest.approx(2e-6 * (late.written_bytes or 0), abs=0.01)


def test_a_kernel_that_does_not_count_bytes_gives_none_and_no_error(tmp_path: Path) -> None:
    found = cost_of(tmp_path, 1000.0)

    assert found.written_bytes is None
    assert found.memory_bytes is None
    assert found.written_mb_per_day is None
    assert found.cpu_s > 0


def test_the_figures_are_read_again_only_after_ten_seconds(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    (tmp_path / "self/io").write_text("write_bytes: 4096\n")
    meter = CostMeter(tmp_path)
    first = meter()
    os.truncate(tmp_path / "self/io", 0)

    assert first.written_bytes == 4096
    assert meter() is first
