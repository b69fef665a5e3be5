"""Is its confidence calibrated? Before the temperature and after."""

from __future__ import annotations

from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

import numpy as np

from vitcam_training.evaluation.answers import Answers
from vitcam_training.evaluation.calibration_error import calibration_error
from vitcam_training.report.charts import dots, legend, line, percent_axis, plot
from vitcam_training.report.markup import paragraph, table, tag
from vitcam_training.report.material import Material

BINS = 15


@dataclass(frozen=True)
class Bin:
    """Answers of about the same confidence."""

    low: float
    high: float
    n: int
    confidence: float
    """Mean probability of the best guess."""
    accuracy: float


def reliability(material: Material) -> list[Element]:
    """Two diagrams, the second with the model's temperature."""
    temperature, after = material.classifier.card.temperature, material.answers
    before = replace(after, probabilities=material.raw)
    errors = [calibration_error(each.confidence, each.right) for each in (before, after)]
    losses = [_log_loss(each) for each in (before, after)]
    fitted = "" if temperature != 1 else " It is 1: none was fitted, or none was needed."
    intro = (
        f"Where the model says 80%, 80 of 100 answers should be right. A temperature of {temperature:g}, which is part "
        f"of the model file, divides the logits; it changes no answer, only its confidence.{fitted}"
    )
    names = ("before: temperature 1", f"as shipped: temperature {temperature:g}")
    charts = tag("div", *(_diagram(*pair) for pair in zip(names, (before, after), strict=True)), class_="charts")
    rows = [[name, f"{e:.2%}", f"{loss:.4f}"] for name, e, loss in zip(names, errors, losses, strict=True)]
    head = ("", "calibration error (ECE)", "log loss")
    return [paragraph(intro), charts, table("Calibration before and after", head, rows, "figures")]


def bins(answers: Answers, count: int = BINS) -> list[Bin]:
    """Those of `count` equal steps of confidence that hold an answer."""
    confidence = answers.probabilities.max(-1)
    bin_of = np.minimum((confidence * count).astype(int), count - 1)
    return [
        Bin(b / count, (b + 1) / count, int((bin_of == b).sum()), float(confidence[bin_of == b].mean()),
            float(answers.right[bin_of == b].mean()))
        for b in np.unique(bin_of)
    ]  # fmt: skip


def _diagram(name: str, answers: Answers) -> Element:
    found = bins(answers)
    says = [
        f"{b.n:,} answers from {b.low:.0%} to {b.high:.0%}: {b.confidence:.1%} sure on average, {b.accuracy:.1%} right"
        for b in found
    ]
    largest = max(b.n for b in found)
    sizes = [2 + 7 * (b.n / largest) ** 0.5 for b in found]
    drawn = plot(
        f"{name[0].upper()}{name[1:]}", f"ECE {calibration_error(answers.confidence, answers.right):.2%}",
        percent_axis("confidence"), percent_axis("right answers"),
        line([(0, 0), (1, 1)], "faint dashed"),
        line([(b.confidence, b.accuracy) for b in found], "accent thin"),
        dots([(b.confidence, b.accuracy) for b in found], "accent", says, sizes),
    )  # fmt: skip
    drawn.append(
        legend(
            ("accent", "right answers"),
            ("faint dashed", "perfect"),
            ("dot accent", "the larger, the more answers"),
        )
    )
    return drawn


def _log_loss(answers: Answers) -> float:
    chosen = answers.probabilities[np.arange(len(answers.labels)), answers.labels]
    return float(-np.log(np.maximum(chosen, 1e-12)).mean())
