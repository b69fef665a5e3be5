"""What `vitcam bench` makes of what its children measured."""

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from vitcam.benchmark.child import some_input
from vitcam.benchmark.measure import default_threads, read_threads
from vitcam.benchmark.peak_model import MACS
from vitcam.benchmark.row import BenchRow, Rounds, row_of
from vitcam.cli.bench import bench_table
from vitcam.errors import ModelError, UsageError
from vitcam.model.macs import Macs
from vitcam.model.runtime import TensorInfo


def latencies(*p50: float) -> list[dict[str, float]]:
    """A round for each of these medians."""
    shares = {"p10_ms": 0.9, "p50_ms": 1.0, "p90_ms": 1.5, "p99_ms": 2.0}
    rest = {"partitions": 1, "outside": 0, "rss_mb": 68.0}
    return [{name: ms * share for name, share in shares.items()} | {"fps": 1000 / ms} | rest for ms in p50]


def peaks(*gmac_s: float) -> list[dict[str, float]]:
    """A round for each of these rates of the yardstick."""
    return [{"p10_ms": MACS / 1e6 / rate} for rate in gmac_s]


def row(macs: Macs) -> BenchRow:
    """Figures of three rounds, the second of them disturbed."""
    return row_of("mine", 2, macs, Rounds(latencies(10, 40, 11), peaks(200, 50, 190), peaks(48, 20, 50)))


def test_latencies_are_the_medians_of_the_rounds_so_that_one_disturbed_round_is_nothing() -> None:
    found = row(Macs(0, 0))

    assert (found.p50_ms, found.p90_ms, found.p99_ms) == (11, 16.5, 22)
    assert found.fps == pytest.approx(1000 / 11, abs=0.01)


def test_the_roofline_adds_what_each_part_takes_at_the_best_rate_that_was_measured() -> None:
    found = row(Macs(int8=1_000_000_000, floating=100_000_000))

    assert found.roofline_ms == 5 + 2  # 200 and 50 GMAC/s
    assert found.fraction == pytest.approx(7 / 11, abs=1e-4)


def test_a_model_that_multiplies_nothing_has_no_roofline_and_reaches_none_of_it() -> None:
    found = row(Macs(0, 0))

    assert found.roofline_ms is None
    assert found.fraction is None
    assert "–" in printed(found)


def test_the_table_has_a_column_a_thread_count_and_what_of_the_roofline_is_reached() -> None:
    text = printed(row(Macs(10**9, 10**8)))

    assert "2 threads" in text
    assert "64%" in text


@pytest.mark.parametrize(("text", "threads"), [("1,2,4", (1, 2, 4)), (" 2 , 1,2", (2, 1)), ("64", (64,))])
def test_thread_counts_are_taken_in_the_order_given_and_once_each(text: str, threads: tuple[int, ...]) -> None:
    assert read_threads(text) == threads


@pytest.mark.parametrize("text", ["", "0", "x", "1,,2", "-1", "1.5", "65", "²", "9" * 5000])
def test_thread_counts_that_cannot_be_meant_are_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(UsageError, match="1 to 64 are allowed"):
        read_threads(text)


def test_every_core_of_a_pi_is_tried_and_larger_machines_in_doubling_steps() -> None:
    found = {cores: default_threads(cores) for cores in (1, 2, 4, 6, 8, 12, 128)}

    assert found == {
        1: (1,),
        2: (1, 2),
        4: (1, 2, 3, 4),
        6: (1, 2, 4, 6),
        8: (1, 2, 4, 8),
        12: (1, 2, 4, 8, 12),
        128: (1, 2, 4, 8, 16, 32, 64),
    }


@pytest.mark.parametrize(("dtype", "low", "high"), [("u1", 0, 255), ("i1", -128, 127), ("f4", 0, 1), ("i4", 0, 0)])
def test_made_up_input_fills_the_range_of_pixels_and_is_zero_where_it_may_be_an_index(
    dtype: str, low: float, high: float
) -> None:
    values = some_input(Path("x.tflite"), TensorInfo("in", (1, 50, 50, 3), np.dtype(dtype), 0, 0))

    assert values.dtype == dtype
    assert values.shape == (1, 50, 50, 3)
    assert (values.min(), values.max()) == pytest.approx((low, high), abs=0.01)


def test_an_input_of_text_is_refused() -> None:
    with pytest.raises(ModelError, match="only inputs of numbers"):
        some_input(Path("x.tflite"), TensorInfo("words", (1,), np.dtype("S1"), 0, 0))


def printed(found: BenchRow) -> str:
    """The table as text."""
    console = Console(file=io.StringIO(), width=120)
    console.print(bench_table([found]))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()
