"""What people read of a run: a Markdown table, a plot, and lines of docs/program/benchmarks.md between two marks."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.peers.catalogue import OURS, PEERS
from tests.bench.peers.measure import Timing, ratios
from tests.bench.peers.verdict import Verdict

PAGE = Path(__file__).with_name("page.md")
BEGIN, END = "<!-- bench-peers: begin -->", "<!-- bench-peers: end -->"

RIVALS = {
    "OpenVINO's int8": ("openvino-int8", "openvino-int8-f32", "openvino-dynamic"),
    "ONNX Runtime's int8": ("onnxruntime-int8", "onnxruntime-static"),
    "ExecuTorch's int8": ("executorch-int8", "executorch-dynamic"),
    "PyTorch": ("pytorch", "pytorch-compiled", "torchao"),
}
"""What docs/program/benchmarks.md compares with; of each the fastest."""


@dataclass(frozen=True)
class Row:
    """What is known of one peer in the end."""

    name: str
    version: str = ""
    verdict: Verdict | None = None
    timings: Mapping[int, Timing] = field(default_factory=dict)
    """By number of threads."""
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
    threads: tuple[int, ...]
    """Each is measured; the table is ranked by the first."""
    rounds: int
    count: int
    """Inferences timed in each round."""
    photos: int


def ranked(rows: Sequence[Row], threads: int) -> list[Row]:
    """Those with figures, the fastest first."""
    timed = [row for row in rows if threads in row.timings]
    return sorted(timed, key=lambda row: row.timings[threads].median_ms)


def times_ours(rows: Sequence[Row], threads: int) -> dict[str, float]:
    """By name: how many times our time each takes."""
    return ratios({row.name: row.timings[threads] for row in rows if threads in row.timings}, OURS)


def table(rows: Sequence[Row], threads: Sequence[int]) -> str:
    """Markdown: a row a peer, the fastest first, those without figures last; three columns a number of threads."""
    heads = [f"ms, {_counted(n)} | rounds from … to | times ours" for n in threads]
    lines = [f"| the same network in | {' | '.join(heads)} | answers |", "|---" * (2 + 3 * len(threads)) + "|"]
    known = ranked(rows, threads[0])
    for row in known:
        cells = [cell for n in threads for cell in _cells(row, n, times_ours(rows, n))]
        lines.append(f"| {row.title} | {' | '.join(cells)} | {row.reason.replace('|', '/') or row.verdict} |")
    gap = "| " * (3 * len(threads) - 1)
    lines += [f"| {row.title} | none {gap}| {row.reason.replace('|', '/')} |" for row in rows if row not in known]
    return "\n".join(lines)


def _cells(row: Row, threads: int, times: Mapping[str, float]) -> list[str]:
    if threads not in row.timings:
        return ["none", "", ""]
    timing = row.timings[threads]
    ratio = f"{times[row.name]:.2f}" if row.name in times else ""
    return [f"{timing.median_ms:.2f}", f"{min(timing.rounds_ms):.2f} … {max(timing.rounds_ms):.2f}", ratio]


def _counted(threads: int) -> str:
    return f"{threads} thread{'s' if threads != 1 else ''}"


def page(rows: Sequence[Row], conditions: Conditions) -> str:
    """The whole of `docs/program/peers.md`."""
    values = {name: getattr(conditions, name) for name in ("date", "command", "rounds", "count", "photos")}
    threads = " and ".join(map(_counted, conditions.threads))
    shown = table(rows, conditions.threads)
    return PAGE.read_text(encoding="utf-8").format(machine=machine(), table=shown, threads=threads, **values)


def machine() -> str:
    """The processor and what runs on it."""
    cpuinfo = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", cpuinfo.read_text(), re.MULTILINE) if cpuinfo.exists() else None
    name = found[1].strip() if found else platform.machine()
    system = f"{platform.system()} on {platform.machine()}, Python {platform.python_version()}"
    return f"{name}, {len(os.sched_getaffinity(0))} cores, {system}"


def summary(rows: Sequence[Row], conditions: Conditions) -> str:
    """What docs/program/benchmarks.md says: the plot and the comparisons that matter most."""
    ours = next((row.timings for row in rows if row.name == OURS), {})
    lines = [("vitcam", [f"{ours[n].median_ms:.1f} ms" if n in ours else "–" for n in conditions.threads])]
    for rival, names in RIVALS.items():
        times = [times_ours(rows, n) for n in conditions.threads]
        found = [[each[name] for name in names if name in each] for each in times]
        if any(found):
            lines.append((rival, [f"{min(each):.2f} times as long" if each else "–" for each in found]))
    head = [
        f"| runtime | {' | '.join(_counted(n) for n in conditions.threads)} |",
        "|---" * (1 + len(conditions.threads)) + "|",
    ]
    return "\n".join(
        [
            "![Time of one inference by runtime](peers.svg)\n",
            f"DeiT-Tiny at 224 px, batch 1, {machine().partition(',')[0]}:\n",
            *head,
            *(f"| {name} | {' | '.join(cells)} |" for name, cells in lines),
            "\nAll of it, and how it was measured: [peers.md](peers.md).",
        ]
    )


def between_marks(text: str, inner: str) -> str:
    """`text` with `inner` between the marks. Raises ValueError if it has not both."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the marks {BEGIN} and {END} are wanted, one after the other")
    return f"{before}{begin}\n{inner}\n{end}{after}"


def plot(rows: Sequence[Row], threads: int, path: Path) -> None:
    """Bars as SVG, the fastest on top, ours in colour."""
    import matplotlib as mpl

    mpl.use("agg")
    mpl.rcParams["svg.hashsalt"] = "vitcam"  # the same bars, the same file
    from matplotlib import pyplot

    timed = ranked(rows, threads)[::-1]
    times = [row.timings[threads].median_ms for row in timed]
    figure, axes = pyplot.subplots(figsize=(9, 0.9 + 0.32 * len(timed)), layout="constrained")
    colours = ["#c2410c" if row.name == OURS else "#94a3b8" for row in timed]
    bars = axes.barh([row.title.replace("**", "") for row in timed], times, color=colours)
    axes.bar_label(bars, [f"{ms:.1f}" for ms in times], padding=3)
    axes.set_xlabel(f"ms for one inference of DeiT-Tiny at 224 px, {_counted(threads)}; less is better")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
