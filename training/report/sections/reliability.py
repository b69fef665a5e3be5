"""Is its confidence calibrated? Before the temperature and after."""

from __future__ import annotations

from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from vitcam_training.evaluation.answers import Answers
from vitcam_training.evaluation.calibration_error import BINS, binned, calibration_error, same_width
from vitcam_training.report.charts import dots, legend, line, percent_axis, plot
from vitcam_training.report.markup import paragraph, table, tag
from vitcam_training.report.material import Material


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


def _diagram(name: str, answers: Answers) -> Element:
    bin_of = same_width(answers.confidence)
    found = binned(bin_of, answers.confidence, answers.right)
    points = list(zip(found.confidence.tolist(), found.accuracy.tolist(), strict=True))
    says = [
        f"{n:,} answers from {b / BINS:.0%} to {(b + 1) / BINS:.0%}: {sure:.1%} sure on average, {right:.1%} right"
        for b, n, (sure, right) in zip(np.unique(bin_of), found.n, points, strict=True)
    ]
    sizes = [2 + 7 * share**0.5 for share in (found.n / found.n.max()).tolist()]
    drawn = plot(
        f"{name[0].upper()}{name[1:]}", f"ECE {calibration_error(answers.confidence, answers.right):.2%}",
        percent_axis("confidence"), percent_axis("right answers"),
        line([(0, 0), (1, 1)], "faint dashed"),
        line(points, "accent thin"),
        dots(points, "accent", says, sizes),
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
