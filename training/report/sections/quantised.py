"""What int8 changed."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from vitcam.interval import wilson
from vitcam_training.evaluation.answers import Answers, Floats
from vitcam_training.report.charts import bars, linear_axis, log_axis, percent_axis, plot
from vitcam_training.report.markup import Node, missing, paragraph, table, tag
from vitcam_training.report.material import Material

BINS = 24


def quantised(material: Material) -> list[Element]:
    """Accuracy, agreement and attention of the model file beside those of the float network."""
    if material.floats is None:
        beside = material.classifier.path.with_suffix(".safetensors").name
        words = f"There is no {beside} beside the model, so there is nothing to compare with; give the float network: "
        return [missing(words, "--float CHECKPOINT")]
    words = f"The two give the same answer on {material.figures['agreement']:.2%} of the photos."
    parts = [paragraph(words), _table(material.answers, material.floats, material.raw)]
    shift = _shift(material.raw, material.floats.probabilities)
    if material.cosines is None:
        lacking = "The model file or the float network gives no attention, so they cannot be compared in it."
        return [*parts, missing(lacking), shift]
    charts = tag("div", _attention(material.cosines), shift, class_="charts")
    return [*parts, charts, _spread(material.cosines)]


def _table(int8: Answers, floats: Answers, raw: Floats) -> Element:
    pairs = ((int8, floats), (floats, int8))
    confidence = [each.max(-1).mean() for each in (raw, floats.probabilities)]
    rows: list[list[Node]] = [
        ["right answers", *(f"{one.right.mean():.2%}" for one, _ in pairs)],
        ["95 % interval", *(_interval(one.right) for one, _ in pairs)],
        ["right where the other is wrong", *(f"{int((one.right & ~other.right).sum())}" for one, other in pairs)],
        ["how sure of the best guess, at temperature 1", *(f"{each:.2%}" for each in confidence)],
    ]
    head = ("", "int8, as shipped", "float32")
    return table("The model file against its float network, on the same photos", head, rows, "figures")


def _attention(cosines: Floats) -> Element:
    low = min(0.95, float(np.floor(cosines.min() * 100) / 100))
    edges = np.linspace(low, 1.0, BINS + 1)
    words = f"mean {cosines.mean():.4f}, worst {cosines.min():.4f}"
    counts, _ = np.histogram(np.clip(cosines, low, 1.0), edges)
    pile = plot(
        "Attention of the last block: cosine, photo by photo", words,
        linear_axis("cosine; 1: at the same places", low, 1.0), log_axis("photos", 0.5, float(counts.max()) * 1.3),
        bars(_spans(edges, counts), "accent", _says(edges, counts)),
    )  # fmt: skip
    pile.append(paragraph(f"{words[0].upper()}{words[1:]}.", class_="note"))
    return pile


def _spread(cosines: Floats) -> Element:
    shares: list[list[Node]] = [
        [f"{share}% of the photos are below", f"{np.percentile(cosines, share):.4f}"] for share in (1, 5, 25, 50)
    ]
    rows: list[list[Node]] = [["mean", f"{cosines.mean():.4f}"], ["worst photo", f"{cosines.min():.4f}"], *shares]
    return table("Similarity of the attention in the last block", ("", "cosine"), rows, "figures")


def _shift(raw: Floats, floats: Floats) -> Element:
    moved = np.abs(raw.max(-1) - floats.max(-1))
    edges = np.geomspace(1e-5, 1.0, BINS + 1)
    counts, _ = np.histogram(np.clip(moved, edges[0], edges[-1]), edges)
    words = f"Half of them moved by less than {np.median(moved):.2g}, the furthest by {moved.max():.2g}."
    pile = plot(
        "How far the best probability moved, at temperature 1", words,
        log_axis("difference", 1e-5, 1.0, decades=True), percent_axis("photos", 0.0, float(counts.max() / len(moved))),
        bars(_spans(edges, counts / len(moved)), "plain", _says(edges, counts)),
    )  # fmt: skip
    pile.append(paragraph(words, class_="note"))
    return pile


def _spans(edges: NDArray[np.float64], heights: NDArray[np.generic]) -> list[tuple[float, float, float]]:
    return [(float(edges[i]), float(edges[i + 1]), float(height)) for i, height in enumerate(heights) if height]


def _says(edges: NDArray[np.float64], counts: NDArray[np.int64]) -> list[str]:
    return [f"{edges[i]:.3g} to {edges[i + 1]:.3g}: {count} photos" for i, count in enumerate(counts) if count]


def _interval(right: NDArray[np.bool_]) -> str:
    low, high = wilson(int(right.sum()), len(right))
    return f"{low:.2%} to {high:.2%}"
