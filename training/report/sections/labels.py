"""Label by label: how many photos are found, how far the name can be trusted, and which are taken for which others."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from vitcam_training.data.dataset import photo_of
from vitcam_training.evaluation.answers import Answers
from vitcam_training.report.markup import Node, paragraph, table, tag
from vitcam_training.report.material import Material
from vitcam_training.report.pictures import inline, page_size

Counts = NDArray[np.int64]

PAIRS = 15
NUMBERED = 20  # labels up to which each cell says its number
SIDE_PX = 64


def confusion(material: Material) -> list[Element]:
    """Pairs by how often they happen, with a photo each; then the whole matrix."""
    matrix = count_pairs(material.answers)
    return [*_pairs(material, matrix), tag("h3", "The whole matrix"), *_matrix(material, matrix)]


def count_pairs(answers: Answers) -> Counts:
    """(C, C): photos that show a label (row) and were given one (column)."""
    count = answers.probabilities.shape[-1]
    matrix = np.zeros((count, count), np.int64)
    np.add.at(matrix, (answers.labels, answers.answered), 1)
    return matrix


def _pairs(material: Material, matrix: Counts) -> list[Element]:
    wrong = matrix - np.diag(matrix.diagonal())
    order = np.argsort(-wrong, axis=None, kind="stable")[:PAIRS]
    places = [divmod(int(i), len(matrix)) for i in order if wrong.flat[i]]
    if not places:
        return [paragraph("No label was confused with another.")]
    labels, shown_count = material.classifier.labels, matrix.sum(1)
    rows: list[list[Node]] = []
    for truth, guess in places:
        back = int(wrong[guess, truth])
        share = f"{wrong[truth, guess] / shown_count[truth]:.0%}"
        rows.append([
            tag("span", _photo(material, truth, guess), tag("b", labels[truth]), class_="with-photo"), labels[guess],
            f"{wrong[truth, guess]}", share, f"{back}" if back else "–",
        ])  # fmt: skip
    covered = sum(int(wrong[pair]) for pair in places)
    intro = (
        f"These {len(rows)} pairs are {covered} of all {int(wrong.sum())} wrong answers, with the surest photo of each."
    )
    head = ("it is", "taken for", "photos", "of its photos", "the other way round")
    return [paragraph(intro), table("Confusions worth looking at", head, rows, "figures words-2")]


def _photo(material: Material, truth: int, guess: int) -> Element:
    """The one that the model was surest of."""
    answers = material.answers
    places = np.flatnonzero((answers.labels == truth) & (answers.guesses == guess))
    surest = places[np.argmax(answers.probabilities[places, guess])]
    labels = material.classifier.labels
    alt = f"Photo of {labels[truth]}, taken for {labels[guess]}"
    return inline(page_size(photo_of(answers.samples[surest]), SIDE_PX), alt)


def _matrix(material: Material, matrix: Counts) -> list[Element]:
    present = np.flatnonzero(matrix.sum(0) + matrix.sum(1))
    matrix, names = matrix[np.ix_(present, present)], [material.classifier.labels[i] for i in present]
    intro = (
        "A row for each label that a photo shows, a column for each answer. The diagonal is right; the stronger the "
        "colour of another cell, the larger its share of the row. Each says its figures when pointed at."
    )
    if len(names) <= NUMBERED:
        return [paragraph(intro), _numbers(matrix, names)]
    return [paragraph(intro), tag("div", _heat_map(matrix, names), class_="wide", tabindex="0", role="region",
                                  aria_label="Confusion matrix")]  # fmt: skip


def _numbers(matrix: Counts, names: list[str]) -> Element:
    """A real table: few labels leave room for the numbers."""
    rows: list[list[Node]] = []
    for i, row in enumerate(matrix):
        total = max(1, int(row.sum()))
        cells = [
            tag("td", f"{n}" if n else "", class_="right" if i == j else "wrong" if n else None,
                style=f"--share:{n / total:.3f}", title=f"{names[i]}, answered {names[j]}: {n}")
            for j, n in enumerate(row)
        ]  # fmt: skip
        rows.append([names[i], *cells])
    return table("Photos by what they show (rows) and what was answered (columns)", ["", *names], rows, "matrix")


def _heat_map(matrix: Counts, names: list[str]) -> Element:
    cell, margin, count = 8, 118, len(names)
    side = margin + cell * count + 4
    drawn = tag(
        "svg", viewBox=f"0 0 {side} {side}", width=side, height=side, class_="heat-map", role="img",
        aria_label=f"Confusion matrix of {count} labels; the pairs that matter stand in the table above",
    )  # fmt: skip
    drawn.append(tag("rect", x=margin, y=margin, width=cell * count, height=cell * count, class_="room"))
    for i, name in enumerate(names):
        middle = margin + cell * i + cell / 2
        short = name if len(name) <= 22 else name[:21] + "…"
        drawn.append(tag("text", short, x=margin - 4, y=middle + 3, text_anchor="end"))
        turned = f"rotate(-90 {middle + 3:g} {margin - 4})"
        drawn.append(tag("text", short, x=middle + 3, y=margin - 4, transform=turned))
    for i, j in np.argwhere(matrix):
        n, total = int(matrix[i, j]), int(matrix[i].sum())
        says = f"{names[i]}, answered {names[j]}: {n} of {total}"
        drawn.append(
            tag("rect", tag("title", says), x=margin + cell * int(j), y=margin + cell * int(i), width=cell, height=cell,
                class_="right" if i == j else "wrong", fill_opacity=f"{0.25 + 0.75 * n / total:.2f}")
        )  # fmt: skip
    return drawn


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
