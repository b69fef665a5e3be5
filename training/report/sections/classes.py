"""Every label: how many of its photos are found, and how far its name can be trusted."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from vitcam_training.report.markup import Node, paragraph, table, tag
from vitcam_training.report.material import Material


def classes(material: Material) -> list[Element]:
    """A row for each label that a photo shows, the worst first; a click on a title sorts by it."""
    found: list[dict[str, Any]] = material.figures["classes"]
    worst = sorted(found, key=lambda each: (each["recall"], each["precision"] or 0.0, each["label"]))
    silent = len(material.classifier.labels) - len(found)
    intro = (
        "Recall: the share of a label's photos that are answered with it, "
        f"{material.figures['mean_over_classes']:.2%} on average over labels. Precision: the share of right ones among "
        "its answers. The worst come first; a column's title sorts by it."
    )
    note = [paragraph(f"{silent} more labels have no photo here.", class_="note")] if silent else []
    head = ("label", "photos", "recall", "95 % interval", "precision", "most often taken for")
    return [
        paragraph(intro),
        table("Recall and precision of each label", head, map(_row, worst), "figures sortable words-6"),
        *note,
    ]


def _row(each: dict[str, Any]) -> list[Node]:
    taken = f"{each['confused_with']} ({each['confused']})" if each["confused"] else "–"
    return [
        each["label"],
        _figure(each["n"], f"{each['n']}"),
        _figure(each["recall"], f"{each['recall']:.1%}", bar=True),
        _figure(each["recall_low"], f"{each['recall_low']:.0%} to {each['recall_high']:.0%}"),
        _figure(each["precision"] or 0.0, "–" if each["precision"] is None else f"{each['precision']:.1%}", bar=True),
        tag("td", taken, data_value=each["confused"]),
    ]


def _figure(value: float, text: str, bar: bool = False) -> Element:
    style = f"--share:{value:.3f}" if bar else None
    return tag("td", text, data_value=f"{value:.6g}", class_="bar" if bar else None, style=style)
