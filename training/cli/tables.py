"""The results of verbs as tables, and those of `export` as JSON."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from vitcam.model.card import ModelCard
from vitcam_training.evaluation.answers import top5_tells
from vitcam_training.model_card.page import card_warnings
from vitcam_training.weights.metadata import PLANNED

WIDTH = 110
APART = ("auroc", "rejected_at_5")  # figures with an interval


def evaluation_table(found: dict[str, Any]) -> str:
    """The figures of a model on some photos, then a line for each label, the worst first.

    Of photos without labels: how many were called known, and which.
    """
    if "mistakes" in found:
        return as_text(_called_known(found), _mistakes(found["mistakes"]))
    return as_text(_overall(found), _classes(found["classes"]))


def export_table(card: ModelCard, written: Sequence[Path]) -> str:
    """What was exported and how good it is.

    written  the files, the model first; none where a better model stayed in its place
    """
    found = card.accuracy
    if found:
        rows = [("photos", f"{found['n']:,} of {found['data']}, part {found['split']}")]
        rows += [("top-1", f"{found['top1']:.2%}"), *_top5(found)]
        rows += [*_named(found), _calibration(found), *_against_float(found)]
    else:
        rows = [("figures", "none were measured; --data names photos to measure on")]
    table = as_text(pairs(card.name, [*rows, ("temperature", f"{card.temperature:g}")]))
    return "\n".join([table, *([_wrote(written)] if written else [])])


def export_record(card: ModelCard, written: Sequence[Path]) -> dict[str, Any]:
    """The same for programs."""
    size = {"file": str(written[0]), "size_mb": round(written[0].stat().st_size / 1e6, 2)} if written else {}
    return {
        "model": card.name, **card.accuracy, "temperature": card.temperature,
        "epochs": card.provenance.get("epochs"), "epochs_planned": card.provenance.get(PLANNED),
        "file": None, "size_mb": None, **size, "cautions": card_warnings(card),
    }  # fmt: skip


def _wrote(files: Sequence[Path]) -> str:
    """On a line of its own, so that no table cuts what people copy."""
    names = " and ".join(path.name for path in files[1:])
    return f"wrote {files[0]}, {files[0].stat().st_size / 1e6:.2f} MB, and beside it {names}"


def as_text(*tables: Table) -> str:
    """Tables as a terminal of 110 columns shows them."""
    out = io.StringIO()
    Console(file=out, width=WIDTH, highlight=False).print(*tables)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines())


def pairs(title: str, rows: Sequence[tuple[str, str]]) -> Table:
    """A table of figures with their names."""
    table = Table("", escape(title), box=SIMPLE_HEAD)
    for name, text in rows:
        table.add_row(name, Text(text))  # file names may hold what Rich would take for markup
    return table


def _against_float(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        ("float top-1", f"{found['float_top1']:.2%}  (same answer on {found['agreement']:.2%})"),
        (
            "attention cosine",
            f"{found['attention_cosine_mean']:.4f}  (to float; worst {found['attention_cosine_min']:.4f})",
        ),
    ]


def _photos(found: dict[str, Any]) -> tuple[str, str]:
    skipped = f", {found['skipped']:,} more cannot be read" if found["skipped"] else ""
    return "photos", f"{found['n']:,} of {found['data']}, part {found['split']}{skipped}"


def _called_known(found: dict[str, Any]) -> Table:
    interval = f"95 % interval {found['known_low']:.2%} to {found['known_high']:.2%}"
    wrongly = f"{len(found['mistakes'])}, {found['known']:.2%}  ({interval}; none should be)"
    rows = [_photos(found), ("called known", wrongly), ("displayed by a wrong label", _displayed(found))]
    if len(found["kinds"]) > 1:
        rows += [
            (kind.replace("_", " "), f"{each['n']}: {each['label']} by a wrong label, {each['group']} by a wrong group")
            for kind, each in found["kinds"].items()
        ]
    return pairs(str(found["model"]), rows)


def _displayed(found: dict[str, Any]) -> str:
    interval = f"95 % interval {found['displayed_wrong_low']:.2%} to {found['displayed_wrong_high']:.2%}"
    return f"{found['displayed_wrong']:.2%}  ({interval}); {found['displayed_group']:.2%} by a wrong group"


def _mistakes(mistakes: list[dict[str, Any]]) -> Table:
    table = Table("called known", "taken for", box=SIMPLE_HEAD)
    table.add_column("probability", justify="right")
    for each in mistakes:
        table.add_row(Text(each["path"]), Text(each["label"]), f"{each['p']:.1%}")
    return table


def _overall(found: dict[str, Any]) -> Table:
    rows = [
        _photos(found),
        ("top-1", f"{found['top1']:.2%}  (95 % interval {found['top1_low']:.2%} to {found['top1_high']:.2%})"),
        *_top5(found),
        *_group(found),
        ("mean over classes", f"{found['mean_over_classes']:.2%}"),
        _calibration(found),
        ("known", f"{found['known']:.2%}  (the others stay below the model's threshold)"),
        *_names(found),
    ]
    if found["float_top1"] is not None:
        rows += _against_float(found)
    rows += _unknown(found["unknown"]) if "unknown" in found else []
    return pairs(str(found["model"]), rows)


def _top5(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [("top-5", f"{found['top5']:.2%}")] if top5_tells(found) else []


def _group(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    if "top1_or_group" not in found:
        return []
    return [("top-1 or its group", f"{found['top1_or_group']:.2%}  (the group that is named for an unsure label)")]


def _calibration(found: dict[str, Any]) -> tuple[str, str]:
    if "ece_debiased" not in found:
        return "calibration error", f"{found['ece']:.2%}  (15 bins)"
    usual = f"{found['ece']:.2%} in 15 bins, {found['ece_if_calibrated']:.2%} if it were perfectly calibrated"
    ends = f"{found['ece_low']:.2%} to {found['ece_high']:.2%}"
    return "calibration error", f"{found['ece_debiased']:.2%}  (debiased, 95 % interval {ends}; {usual})"


def _unknown(found: dict[str, Any]) -> list[tuple[str, str]]:
    spread = f"± {found['rejected_sd']:.2%} over {found['seeds']} seeds"
    ends = {name: f"95 % interval {found[name + '_low']:.2%} to {found[name + '_high']:.2%}" for name in APART}
    return [
        ("known above unknown", f"{found['auroc']:.2%} of all pairs, AUROC  ({ends['auroc']})"),
        ("unknown, rejected at 5 %", f"{found['rejected_at_5']:.2%}  ({ends['rejected_at_5']})"),
        ("unknown, rejected", f"{found['rejected']:.2%}  ({spread}; {found['n']:,} photos of {found['data']})"),
        ("known, rejected", f"{found['false_rejection']:.2%}  (± {found['false_rejection_sd']:.2%}; 5 % is aimed at)"),
        ("with its threshold", f"{found['own_rejected']:.2%} and {found['own_false_rejection']:.2%}"),
    ]


def _named(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How many photos get a name, and how many of these names are right; nothing of figures from before it was kept."""
    if found.get("displayed") is None:
        return []
    right = "" if found["displayed_right"] is None else f"  ({found['displayed_right']:.2%} of it right)"
    return [("displayed", f"{found['displayed']:.2%}{right}")]


def _names(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Of figures that have them."""
    rows = _named(found)
    if found.get("displayed_ece") is not None:
        says = f"{found['displayed_p']:.2%} on average; calibration error {found['displayed_ece']:.2%}"
        perfect = f"{found['displayed_ece_if_calibrated']:.2%} if it were perfectly calibrated"
        rows += [("its probability", f"{says}  (bins of as many photos each; {perfect})")]
    if found.get("difference") is not None:
        interval = f"95 % interval {found['difference_low']:+.2%} to {found['difference_high']:+.2%}"
        rows += [("right beyond the checkpoint", f"{found['difference']:+.2%}  ({interval})")]
    return rows


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
