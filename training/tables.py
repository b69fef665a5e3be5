"""What `evaluate` found, as a table for people."""

from __future__ import annotations

import io
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

WIDTH = 110


def evaluation_table(found: dict[str, Any]) -> str:
    """The figures of a model on some photos, then a line for each label, the worst first."""
    out = io.StringIO()
    console = Console(file=out, width=WIDTH, highlight=False)
    console.print(_overall(found), _classes(found["classes"]))
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines())


def _overall(found: dict[str, Any]) -> Table:
    skipped = f", {found['skipped']:,} more cannot be read" if found["skipped"] else ""
    rows = [
        ("photos", f"{found['n']:,} of {found['data']}, part {found['split']}{skipped}"),
        ("top-1", f"{found['top1']:.2%}  (95 % interval {found['top1_low']:.2%} to {found['top1_high']:.2%})"),
        ("top-5", f"{found['top5']:.2%}"),
        ("mean over classes", f"{found['mean_over_classes']:.2%}"),
        ("calibration error", f"{found['ece']:.2%}  (15 bins)"),
        ("known", f"{found['known']:.2%}  (the others stay below the model's threshold)"),
    ]
    if found["float_top1"] is not None:
        rows += [
            ("float top-1", f"{found['float_top1']:.2%}  (same answer on {found['agreement']:.2%})"),
            (
                "attention cosine",
                f"{found['attention_cosine_mean']:.4f}  (to float; worst {found['attention_cosine_min']:.4f})",
            ),
        ]
    rows += _unknown(found["unknown"]) if "unknown" in found else []
    table = Table("", str(found["model"]), box=SIMPLE_HEAD)
    for row in rows:
        table.add_row(*row)
    return table


def _unknown(found: dict[str, Any]) -> list[tuple[str, str]]:
    spread = f"± {found['rejected_sd']:.2%} over {found['seeds']} seeds"
    return [
        ("unknown, rejected", f"{found['rejected']:.2%}  ({spread}; {found['n']:,} photos of {found['data']})"),
        ("known, rejected", f"{found['false_rejection']:.2%}  (± {found['false_rejection_sd']:.2%}; 5 % is aimed at)"),
        ("with its threshold", f"{found['own_rejected']:.2%} and {found['own_false_rejection']:.2%}"),
    ]


def _classes(classes: list[dict[str, Any]]) -> Table:
    table = Table("label", box=SIMPLE_HEAD)
    for name in ("photos", "precision", "recall", "95 % interval"):
        table.add_column(name, justify="right")
    table.add_column("most often taken for")
    for each in sorted(classes, key=lambda each: (each["recall"], each["label"])):
        precision = "–" if each["precision"] is None else f"{each['precision']:.1%}"
        interval = f"{each['recall_low']:.1%} to {each['recall_high']:.1%}"
        taken = f"{each['confused_with']} ({each['confused']})" if each["confused"] else ""
        table.add_row(each["label"], f"{each['n']:,}", precision, f"{each['recall']:.1%}", interval, taken)
    return table
