"""The page of the study."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from vitcam.teach.interval import wilson
from vitcam_training.provenance import machine
from vitcam_training.study.program import write_markdown
from vitcam_training.study.teaching.beside import Beside
from vitcam_training.study.teaching.figures import FIRST, Accuracy, Exchanged, Rejected


@dataclass
class Findings:
    """All figures, in the order in which they came."""

    accuracies: list[Accuracy] = field(default_factory=list)
    rejections: list[Rejected] = field(default_factory=list)
    exchanges: list[Exchanged] = field(default_factory=list)
    besides: list[Beside] = field(default_factory=list)


def write_page(path: Path, found: Findings, base: str, command: str) -> None:
    """Write the page."""
    write_markdown(path, [
        f"""# What `vitcam teach` reaches

`{base}` is taught parts of data sets, and asked about the other photos: three draws, and ten where few photos of
flowers are taught. Brackets hold 95 % intervals over the photos of one draw. The network had seen photos of some of
these data sets when rows were added to it, but the numbers that are learned from here are those of the pretrained
network, which had not.

    {command}

{date.today()}, {machine()}.

## Accuracy

*Seconds* is processor time for learning, without looking at the photos, and *MB* the memory that it takes at most
beside their numbers. All ways but fine-tuning read the same numbers. `LogisticRegressionCV` is scikit-learn's as it is,
on standardised numbers; it needs two photos of a label, and has one draw of `household`. Fine-tuning changes the whole
network from the same weights, by `vitcam-train finetune` with six epochs: its seconds and MB are of the whole process,
with Keras and the export, and a tenth of its photos calibrate. Strengths are chosen by cross-validation. The threshold
and the weight of the bank were chosen on other draws (3 and later) than those of these tables.""",
        _accuracies(found.accuracies),
        """## None of these

Twenty labels of `caltech101` with ten photos each are taught. Photos of twenty other labels are asked about, and those
of `ordinary`. The bank has no photo of any of the forty labels.""",
        _rejections(found.rejections),
        f"""## Photos that are named wrong

A tenth of the photos were given another label on purpose. So many of them are among the first {FIRST:.0%} of the
suspects:""",
        _exchanges(found.exchanges),
        """## Beside the labels of the base

Five household labels were taken out of the base and taught again with `--add-to`, from ten photos each, or as many as
there are. *Full* is the base as it is, on held-out photos of the five. The other columns are about photos of other
things, without and with the taught labels.""",
        _besides(found.besides),
    ])  # fmt: skip


def _accuracies(rows: list[Accuracy]) -> str:
    lines = [
        "| data | labels | photos of each | way | right | draws | seconds | MB |",
        "|---|---:|---:|---|---:|---|---:|---:|",
    ]
    for row in rows:
        low, high = wilson(round(row.right * row.n), row.n)
        each = ", ".join(f"{share:.1%}" for share in row.each[:3]) + (" …" if row.each[3:] else "")
        lines.append(
            f"| `{row.data}` | {row.labels} | {row.photos} | {row.way} | {row.right:.1%} ({low:.1%} to {high:.1%}) | "
            f"{each} | {row.seconds:.2f} | {row.mb:,.0f} |"
        )
    return "\n".join(lines)


def _rejections(rows: list[Rejected]) -> str:
    lines = [
        "| draw | taught ones rejected | strange ones | `ordinary` | at exactly 5 %: strange ones | `ordinary` |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row.draw + 1} | {row.taught:.1%} of {row.n_taught} | {row.strange:.1%} of {row.n_strange} | "
        f"{row.ordinary:.1%} of {row.n_ordinary} | {row.at_five:.1%} | {row.ordinary_at_five:.1%} |"
        for row in rows
    ]
    return "\n".join(lines)


def _exchanges(rows: list[Exchanged]) -> str:
    lines = ["| data | exchanged | found | share |", "|---|---:|---:|---:|"]
    lines += [f"| `{row.data}` | {row.exchanged} | {row.found} | {row.found / row.exchanged:.1%} |" for row in rows]
    return "\n".join(lines)


def _besides(rows: list[Beside]) -> str:
    names = [kept.data for kept in rows[0].kept]
    lines = [
        f"| labels | full | taught | n | {' | '.join(f'`{name}` before | after | n' for name in names)} |",
        f"|---|---:|---:|---:|{'---:|---:|---:|' * len(names)}",
    ]
    for row in rows:
        kept = " | ".join(f"{each.before:.1%} | {each.after:.1%} | {each.n}" for each in row.kept)
        lines.append(f"| {', '.join(row.labels)} | {row.full:.1%} | {row.taught:.1%} | {row.n} | {kept} |")
    return "\n".join(lines)
