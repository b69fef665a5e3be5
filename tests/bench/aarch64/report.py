"""What people read: a table, the page aarch64.md of docs/program/, and lines of benchmarks.md between two marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.aarch64.blocks import Work
from tests.bench.aarch64.compare import Agreement

BEGIN, END = "<!-- bench-aarch64: begin -->", "<!-- bench-aarch64: end -->"
PAGE = Path(__file__).with_name("page.md")


@dataclass(frozen=True)
class Row:
    """One way to run the network."""

    title: str
    work: Work


def table(rows: Sequence[Row], against: Row) -> str:
    """Markdown; ratios are to `against`, below 1 is less work."""
    lines = [
        "| the same network in | M instructions | ratio | estimated M cycles | ratio |",
        "|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: row.work.instructions):
        work, other = row.work, against.work
        counted = f"{work.instructions / 1e6:.1f} | {work.instructions / other.instructions:.2f}"
        lines.append(f"| {row.title} | {counted} | {work.cycles / 1e6:.1f} | {work.cycles / other.cycles:.2f} |")
    return "\n".join(lines)


def page(rows: Sequence[Row], against: Row, alike: Agreement, made: str) -> str:
    """docs/program/aarch64.md; `made` says when, with what."""
    covered = min(row.work.covered for row in rows)
    text = PAGE.read_text(encoding="utf-8")
    return text.format(table=table(rows, against), agreement=alike, made=made, covered=f"{covered:.0%}")


def summary(ours: Row, against: Row, alike: Agreement) -> str:
    """The paragraph of docs/program/benchmarks.md."""
    instructions = ours.work.instructions / against.work.instructions
    cycles = ours.work.cycles / against.work.cycles
    return (
        f"On a Cortex-A76, the Raspberry Pi 5's processor, **under emulation, not measured on a Pi**, DeiT-Tiny takes "
        f"{ours.work.instructions / 1e6:.0f} M instructions. That is {instructions:.2f} of ExecuTorch's (Arm's int8 "
        f"recipe for this network), and by estimate {cycles:.2f} of its cycles. Against x86: {alike}. "
        "`make bench-aarch64`, [aarch64.md](aarch64.md)."
    )


def between_marks(text: str, lines: str) -> str:
    """`text` with what stands between the marks replaced. Raises ValueError if the marks are not there."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the marks {BEGIN} and {END} are not there")
    return f"{before}{BEGIN}\n{lines}\n{END}{after}"
