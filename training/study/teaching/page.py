"""What the page shows of the study: a table for each kind of figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from vitcam.interval import wilson
from vitcam_training.study.marked import fill, made_by, table
from vitcam_training.study.teaching.figures import Accuracy, Exchanged, Rejected


@dataclass
class Findings:
    """All figures, in the order in which they came."""

    accuracies: list[Accuracy] = field(default_factory=list)
    rejections: list[Rejected] = field(default_factory=list)
    exchanges: list[Exchanged] = field(default_factory=list)


def write_page(path: Path, found: Findings, command: str) -> None:
    """Fill the page."""
    fill(
        path,
        {
            "accuracies": f"{_accuracies(found.accuracies)}\n\n{made_by(command)}",
            "rejections": _rejections(found.rejections),
            "exchanges": _exchanges(found.exchanges),
        },
    )


def _accuracies(rows: list[Accuracy]) -> str:
    lines = []
    for row in rows:
        low, high = wilson(round(row.right * row.n), row.n)
        each = ", ".join(f"{share:.1%}" for share in row.each[:3]) + (" …" if row.each[3:] else "")
        lines.append(
            f"`{row.data}` | {row.labels} | {row.photos} | {row.way} | {row.right:.1%} ({low:.1%} to {high:.1%}) | "
            f"{each} | {row.seconds:.2f} | {row.mb:,.0f}"
        )
    return table("data | labels | photos of each | way | right | draws | seconds | MB", *lines)


def _rejections(rows: list[Rejected]) -> str:
    return table(
        "draw | taught ones rejected | strange ones | `ordinary` | at exactly 5 %: strange ones | `ordinary`",
        *(
            f"{row.draw + 1} | {row.taught:.1%} of {row.n_taught} | {row.strange:.1%} of {row.n_strange} | "
            f"{row.ordinary:.1%} of {row.n_ordinary} | {row.at_five:.1%} | {row.ordinary_at_five:.1%}"
            for row in rows
        ),
    )


def _exchanges(rows: list[Exchanged]) -> str:
    lines = [f"`{row.data}` | {row.exchanged} | {row.found} | {row.found / row.exchanged:.1%}" for row in rows]
    return table("data | exchanged | found | share", *lines)
