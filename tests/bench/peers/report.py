"""What people read of a run: a Markdown table, a plot, and the lines of docs/benchmarks.md between two marks."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.peers.catalogue import OURS, PEERS
from tests.bench.peers.measure import Timing, ratios
from tests.bench.peers.verdict import Verdict

PAGE = Path(__file__).with_name("page.md")
BEGIN, END = "<!-- bench-peers: begin -->", "<!-- bench-peers: end -->"

RIVALS = {
    "OpenVINO's int8": ("openvino-int8", "openvino-int8-f32"),
    "ExecuTorch's": ("executorch-int8", "executorch-dynamic"),
    "PyTorch's float32": ("pytorch", "pytorch-compiled"),
}
"""What docs/benchmarks.md compares with; of each the fastest."""


@dataclass(frozen=True)
class Row:
    """What is known of one peer in the end."""

    name: str
    version: str = ""
    verdict: Verdict | None = None
    timing: Timing | None = None
    reason: str = ""
    """Why there are no figures; empty where there are."""

    @property
    def title(self) -> str:
        """As the table gives it."""
        return PEERS[self.name].title.replace(" {version}", f" {self.version}" if self.version else "")


@dataclass(frozen=True)
class Conditions:
    """How a run was made."""

    date: str
    command: str
    threads: int
    rounds: int
    count: int
    """Inferences timed in each round."""
    photos: int


def ranked(rows: Sequence[Row]) -> list[Row]:
    """Those with figures, the fastest first."""
    timed = [(row.timing.median_ms, row) for row in rows if row.timing]
    return [row for _, row in sorted(timed, key=lambda pair: pair[0])]


def table(rows: Sequence[Row]) -> str:
    """Markdown: a row a peer, the fastest first, those without figures last."""
    times = ratios({row.name: row.timing for row in rows if row.timing}, OURS)
    lines = ["| the same network in | ms | rounds from … to | times ours | answers |", "|---|---|---|---|---|"]
    for row in ranked(rows):
        assert row.timing is not None
        low, high = min(row.timing.rounds_ms), max(row.timing.rounds_ms)
        ratio = f"{times[row.name]:.2f}" if row.name in times else ""
        lines.append(f"| {row.title} | {row.timing.median_ms:.2f} | {low:.2f} … {high:.2f} | {ratio} | {row.verdict} |")
    lines += [f"| {row.title} | none | | | {row.reason.replace('|', '/')} |" for row in rows if row.timing is None]
    return "\n".join(lines)


def page(rows: Sequence[Row], conditions: Conditions) -> str:
    """The whole of `docs/peers.md`."""
    values = {name: getattr(conditions, name) for name in ("date", "command", "threads", "rounds", "count", "photos")}
    return PAGE.read_text(encoding="utf-8").format(machine=machine(), table=table(rows), **values)


def machine() -> str:
    """The processor and what runs on it."""
    cpuinfo = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", cpuinfo.read_text(), re.MULTILINE) if cpuinfo.exists() else None
    name = found[1].strip() if found else platform.machine()
    system = f"{platform.system()} on {platform.machine()}, Python {platform.python_version()}"
    return f"{name}, {len(os.sched_getaffinity(0))} cores, {system}"


def summary(rows: Sequence[Row], conditions: Conditions) -> str:
    """What docs/benchmarks.md says: the plot and the comparisons that matter most."""
    times = ratios({row.name: row.timing for row in rows if row.timing}, OURS)
    said = []
    for what, names in RIVALS.items():
        found = [times[name] for name in names if name in times]
        said += [f"{min(found):.2f} times as long in {what}"] if found else []
    ours = next((row.timing.median_ms for row in rows if row.name == OURS and row.timing), None)
    time = f"{ours:.1f} ms in vitcam; {', '.join(said)}" if ours else "no figure for vitcam itself"
    return (
        f"![Time of one inference by runtime](peers.svg)\n\n"
        f"DeiT-Tiny at 224 px, batch 1, {conditions.threads} threads, {machine().partition(',')[0]}: {time}.\n"
        f"All of it, and how it was measured: [peers.md](peers.md)."
    )


def between_marks(text: str, inner: str) -> str:
    """`text` with `inner` between the marks. Raises ValueError if it has not both."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the marks {BEGIN} and {END} are wanted, one after the other")
    return f"{before}{begin}\n{inner}\n{end}{after}"


def plot(rows: Sequence[Row], path: Path) -> None:
    """Bars as SVG, the fastest on top, ours in colour."""
    import matplotlib as mpl

    mpl.use("agg")
    mpl.rcParams["svg.hashsalt"] = "vitcam"  # the same bars, the same file
    from matplotlib import pyplot

    timed = ranked(rows)[::-1]
    times = [row.timing.median_ms for row in timed if row.timing]
    figure, axes = pyplot.subplots(figsize=(9, 0.9 + 0.32 * len(timed)), layout="constrained")
    colours = ["#c2410c" if row.name == OURS else "#94a3b8" for row in timed]
    bars = axes.barh([row.title.replace("**", "") for row in timed], times, color=colours)
    axes.bar_label(bars, [f"{ms:.1f}" for ms in times], padding=3)
    axes.set_xlabel("ms for one inference of DeiT-Tiny at 224 px; less is better")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
