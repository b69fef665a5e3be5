"""What people read: the tables of aarch64.md in docs/program/, and lines of benchmarks.md between two marks."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.bench.aarch64.blocks import Work
from tests.bench.aarch64.compare import Agreement
from tests.bench.aarch64.frame import FrameBudget
from tests.bench.aarch64.traffic import BLOCKS, Machine, Rates, layers, rates, times

BEGIN, END = "<!-- bench-aarch64: begin -->", "<!-- bench-aarch64: end -->"
PAGE = Path(__file__).with_name("page.md")

PI_HZ, PI_CACHE = 2.4e9, 512 * 1024
PEAK, STREAM = 17.1e9, 5.5e9
"""Bytes/s of a Pi 5's memory: 4,267 M transfers/s of 4 bytes, and what STREAM's copy reaches (sci-pi.org.uk/bench)."""
THREADS = (1, 2, 3, 4)
LEAST_MS = 0.005
"""Shorter waits are not named."""
ARM_MS = 26.40
"""What Arm publishes for this network in ExecuTorch on a Pi 5."""


@dataclass(frozen=True)
class Row:
    """One way to run the network."""

    title: str
    work: Work | None = None
    there: tuple[int, int] = (0, 0)
    """Photos on which its first label is the float network's, and those that the emulated processor was asked about."""
    here: tuple[int, int] = (0, 0)
    """The same of the same file on this machine."""
    reason: str = ""
    """Why it has no figures."""


def table(rows: Sequence[Row], ours: Row) -> str:
    """Markdown, the least work first; what has no figures last."""
    lines = [
        "| the same network in | M instructions | times ours | est. M cycles | times ours | agree | agree on x86 |",
        "|---|---|---|---|---|---|---|",
    ]
    counted = [(row.work, row) for row in rows if row.work is not None]
    base = ours.work
    for work, row in sorted(counted, key=lambda each: each[0].instructions):
        times = ("", "") if base is None else (
            f"{work.instructions / base.instructions:.2f}", f"{work.cycles / base.cycles:.2f}"
        )  # fmt: skip
        lines.append(
            f"| {row.title} | {work.instructions / 1e6:.1f} | {times[0]} | {work.cycles / 1e6:.1f} | {times[1]} "
            f"| {_of(row.there)} | {_of(row.here)} |"
        )
    lines += [f"| {row.title} | none: {row.reason} | | | | | |" for row in rows if row.work is None]
    return "\n".join(lines)


def agreeing(answers: NDArray[np.float32], reference: NDArray[np.float32]) -> tuple[int, int]:
    """How many of the answers (n, C) have the same first label as the float network's (m, C), n <= m; and n."""
    if not len(answers):
        return 0, 0
    return int((answers.argmax(1) == reference[: len(answers)].argmax(1)).sum()), len(answers)


def best_other(rows: Sequence[Row], ours: Row) -> Row:
    """The other runtime that executes the fewest instructions; one that runs our own file is none."""
    others = [row for row in rows if row is not ours and row.work is not None and "vitcam" not in row.title]
    return min(others, key=lambda row: row.work.instructions if row.work else 0)


def frame_table(frame: FrameBudget, model: Work) -> str:
    """Markdown: each part, and its share of the network's instructions."""
    lines = ["| one frame of 1280×720 px, one viewer | M instructions | of the network's |", "|---|---|---|"]
    for stage, count in frame.stages.items():
        lines.append(f"| {stage} | {count / 1e6:.2f} | {count / frame.stages['invoke']:.2%} |")
    around = f"{frame.around / 1e6:.2f} | {frame.around / model.instructions:.2%}"
    lines.append(f"| **all but the network, as on a Pi 5** | {around} |")
    return "\n".join(lines)


def rates_of(ours: Work) -> Rates:
    """What a core needs for each kind of work, from what our file was counted to need."""
    other = ours.cycles - ours.int8_cycles - ours.float_cycles
    return rates(layers(), ours.int8_cycles, ours.float_cycles, other)


def time_table(ours: Work, executorch: Work | None) -> str:
    """Markdown: by threads the least time of an answer, and how much of it the cores wait for memory."""
    rate = rates_of(ours)
    lines = [
        "| threads | vitcam, ms at least | waiting, kind case | waiting, unkind case | ExecuTorch, ms at least |",
        "|---|---|---|---|---|",
    ]
    for threads in THREADS:
        kind = times(layers(), Machine(PI_HZ, PI_CACHE, PEAK), rate, threads, unkind=False)
        unkind = times(layers(), Machine(PI_HZ, PI_CACHE, STREAM), rate, threads, unkind=True)
        low, high = (sum(each.seconds for each in found) * 1e3 for found in (kind, unkind))
        waits = [sum(each.waits for each in found) * 1e3 for found in (kind, unkind)]
        theirs = "" if executorch is None else f"{executorch.cycles / PI_HZ / threads * 1e3:.1f}"
        lines.append(f"| {threads} | {low:.1f} to {high:.1f} | {waits[0]:.2f} | {waits[1]:.2f} | {theirs} |")
    return "\n".join(lines)


def waiting_layers(ours: Work, threads: int) -> tuple[str, str]:
    """Names of the layers whose cores wait for memory in either case, with how long, ms."""
    rate = rates_of(ours)

    def names(bytes_per_s: float, unkind: bool) -> str:
        found = times(layers(), Machine(PI_HZ, PI_CACHE, bytes_per_s), rate, threads, unkind)
        waits: dict[str, float] = {}
        for each in found:
            kind = re.sub(rf"^block {BLOCKS}, .*", "the last block", each.layer.name)
            kind = re.sub(r"^block \d+, ", "", kind)
            waits[kind] = waits.get(kind, 0.0) + each.waits * 1e3
        return ", ".join(f"{name} {ms:.2f} ms" for name, ms in waits.items() if ms >= LEAST_MS) or "nowhere"

    return names(PEAK, False), names(STREAM, True)


def check_here(peers: str) -> str:
    """How far the arithmetic is from what was measured on this machine, from the text of peers.md."""
    found = re.search(r"^\| \*\*vitcam\*\*[^|]*\| ([\d.]+) \|[^|]*\|[^|]*\| ([\d.]+) \|", peers, re.MULTILINE)
    if found is None:
        return "peers.md has no row of vitcam to check it by"
    two, one = float(found[1]), float(found[2])
    more = f"{2 * two / one - 1:.0%}"
    return f"one thread takes {one:.2f} ms, so two would take {one / 2:.2f}; measured are {two:.2f}, {more} more"


@dataclass(frozen=True)
class Found:
    """All that a page is made of."""

    rows: Sequence[Row]
    """The first is ours."""
    executorch: Work | None
    alike: Agreement
    """Our file on both processors."""
    model: str
    """The shipped one's name."""
    shipped: Work
    golden: Agreement
    """Its golden images on both processors."""
    frame: FrameBudget
    peers: str
    """The text of peers.md."""
    made: str
    """When, with what."""


def page(found: Found) -> str:
    """docs/program/aarch64.md."""
    ours = found.rows[0]
    assert ours.work is not None
    waits = waiting_layers(ours.work, THREADS[-1])
    around_s = found.frame.around * found.shipped.cycles / found.shipped.instructions / PI_HZ
    text = PAGE.read_text(encoding="utf-8").format(
        table=table(found.rows, ours), best=_best(found.rows, ours), agreement=found.alike, made=found.made,
        covered=f"{min(row.work.covered for row in found.rows if row.work is not None):.0%}",
        model=found.model, shipped=f"{found.shipped.instructions / 1e6:.1f}",
        shipped_cycles=f"{found.shipped.cycles / 1e6:.0f}", golden=found.golden,
        frame=frame_table(found.frame, found.shipped), around_ms=f"{around_s * 1e3:.1f}",
        times=time_table(ours.work, found.executorch),
        waits_kind=waits[0], waits_unkind=waits[1], check=check_here(found.peers), arm=_arm(found.executorch),
    )  # fmt: skip
    return "\n\n".join(map(_wrapped, text.strip().split("\n\n"))) + "\n"


def summary(ours: Row, rows: Sequence[Row], alike: Agreement) -> str:
    """The paragraph of docs/program/benchmarks.md."""
    other = best_other(rows, ours)
    assert ours.work is not None
    assert other.work is not None
    instructions = ours.work.instructions / other.work.instructions
    cycles = ours.work.cycles / other.work.cycles
    return _wrapped(
        f"On a Cortex-A76, the Raspberry Pi 5's processor, **under emulation, not measured on a Pi**, DeiT-Tiny takes "
        f"{ours.work.instructions / 1e6:.0f} M instructions. That is {instructions:.2f} of the best other row's "
        f"({other.title}), and by estimate {cycles:.2f} of its cycles. Against x86: {alike}. "
        "`make bench-aarch64`, [aarch64.md](aarch64.md)."
    )


def between_marks(text: str, lines: str) -> str:
    """`text` with what stands between the marks replaced. Raises ValueError if the marks are not there."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the marks {BEGIN} and {END} are not there")
    return f"{before}{BEGIN}\n{lines}\n{END}{after}"


def _wrapped(block: str) -> str:
    """A paragraph or a list at the width of a page; tables and headings as they are."""
    if block.startswith(("|", "#", "<")):
        return block
    items = re.split(r"\n(?=- )", block)
    indent = "  " if block.startswith("- ") else ""
    fill = partial(textwrap.fill, width=120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(fill(" ".join(item.split())) for item in items)


def _best(rows: Sequence[Row], ours: Row) -> str:
    other = best_other(rows, ours)
    assert ours.work is not None
    assert other.work is not None
    ratio = ours.work.instructions / other.work.instructions
    return f"vitcam executes **{ratio:.2f}** of the instructions of the best other row, {other.title}."


def _arm(executorch: Work | None) -> str:
    if executorch is None:
        return "It was not counted here."
    least = executorch.cycles / PI_HZ / THREADS[-1] * 1e3
    return f"The published time is {ARM_MS / least:.1f} times that, so vitcam may take that much longer, too."


def _of(counts: tuple[int, int]) -> str:
    return f"{counts[0]} of {counts[1]}" if counts[1] else ""
