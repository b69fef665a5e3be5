"""What is made of the emulator's counts: blocks, answers of two processors, the page and the README."""

from pathlib import Path

import numpy as np
import pytest

from tests.bench.aarch64.blocks import Block, Work, read_blocks
from tests.bench.aarch64.compare import agreement
from tests.bench.aarch64.frame import FrameBudget, read_stages
from tests.bench.aarch64.frame_guest import STAGES
from tests.bench.aarch64.report import (
    Found,
    Row,
    page,
    summary,
    table,
)

OURS = Row("**vitcam**", Work(145_000_000, 64_000_000, 0.99, 31_000_000, 12_000_000), (29, 30), (97, 100))
OTHER = Row("another", Work(instructions=290_000_000, cycles=160_000_000, covered=0.97))
ALIKE = agreement(np.array([[0.9, 0.1]], np.float32), np.array([[0.9, 0.1]], np.float32))


def test_a_block_translated_twice_is_counted_once_with_all_its_runs(tmp_path: Path) -> None:
    counted = tmp_path / "counted.blocks"
    counted.write_text("3 2 4000 d503201f d65f03c0\n9 1 5000 d503201f\n7 2 4000 d503201f d65f03c0\n")

    blocks = read_blocks(counted)

    assert blocks == [Block(10, ("d503201f", "d65f03c0")), Block(9, ("d503201f",))]
    assert sum(block.instructions for block in blocks) == 29


def test_answers_that_differ_only_where_undecided_say_how_undecided() -> None:
    here = np.array([[0.8, 0.1, 0.1], [0.40, 0.38, 0.22]], np.float32)
    there = np.array([[0.8, 0.1, 0.1], [0.38, 0.40, 0.22]], np.float32)

    alike = agreement(there, here)

    assert (alike.photos, alike.same_label, alike.close) == (2, 1, 2)
    assert alike.undecided == pytest.approx(0.02, abs=1e-6)
    assert "1 of 2 photos, which led by 0.020 at most" in str(alike)


@pytest.mark.parametrize(
    ("there", "holds"),
    [
        ([[0.80, 0.10, 0.10], [0.38, 0.40, 0.22]], True),  # the other label, where it hung by two hundredths
        ([[0.10, 0.80, 0.10], [0.40, 0.38, 0.22]], False),  # a clear answer turned round
        ([[0.80, 0.00, 0.20], [0.40, 0.36, 0.24]], False),  # the same labels, but other probabilities
    ],
)
def test_parity_bears_what_was_undecided_and_nothing_else(there: list[list[float]], holds: bool) -> None:
    here = np.array([[0.8, 0.1, 0.1], [0.40, 0.38, 0.22]], np.float32)

    assert agreement(np.array(there, np.float32), here).holds is holds


def test_the_table_puts_least_work_first_and_divides_by_ours() -> None:
    without = Row("a third", reason="it has no wheel")

    lines = table([without, OTHER, OURS], OURS).splitlines()

    assert lines[2:] == [
        "| **vitcam** | 145.0 | 1.00 | 64.0 | 1.00 | 29 of 30 | 97 of 100 |",
        "| another | 290.0 | 2.00 | 160.0 | 2.50 |  |  |",
        "| a third | none: it has no wheel | | | | | |",
    ]


def test_a_mark_costs_each_stage_what_a_mark_with_nothing_before_it_does() -> None:
    stages = read_stages("3 1 4000 d503201f\n# stage 1 1600 16\n# stage 5 5200 2\n# stage 7 90 1\n# thread 0 9000\n")

    assert stages == {STAGES[5]: 5000, STAGES[7]: 0}


def test_page_and_summary_say_that_no_pi_was_measured() -> None:
    frame = FrameBudget({"invoke": 145_000_000, "write": 30_000})
    work = OURS.work
    assert work is not None
    peers = "| **vitcam**: int8 | 6.60 | 6 … 7 | 1.00 | 12.00 | 11 … 13 | 1.00 | 99% agree |"

    made = page(Found([OURS, OTHER], OTHER.work, ALIKE, "everyday", work, ALIKE, frame, peers, "today"))

    assert "Nothing here is a time of a Pi" in made
    assert "97% of the instructions or more" in " ".join(made.split())
    assert "two would take 6.00; measured are 6.60, 10% more" in " ".join(made.split())
    assert "{" not in made
    assert "under emulation, not measured on a Pi" in summary(OURS, [OURS, OTHER], ALIKE)
