"""The main figures, each with its 95 % interval."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from vitcam_training.evaluation.answers import top5_tells
from vitcam_training.evaluation.intervals import Interval, bootstrap_means
from vitcam_training.report.markup import paragraph, tag
from vitcam_training.report.material import Material
from vitcam_training.report.sections.unknown import rejected_at


def headline(material: Material) -> list[Element]:
    """A card for each figure; those whose ingredients are missing are left out here and explained further down."""
    found = material.figures
    top1 = Interval(found["top1"], found["top1_low"], found["top1_high"])
    error = Interval(found["ece_debiased"], found["ece_low"], found["ece_high"])
    cards = [
        _share("right answers", top1, "top-1, int8"),
        *([_card("among the first five", f"{found['top5']:.2%}", "", "top-5")] if top5_tells(found) else []),
        _share("calibration error", error, "ECE, debiased; 0 is perfect"),
        *_against_float(material),
        *_unknown(material),
        *_speed(material),
        _card(
            "file",
            f"{material.classifier.path.stat().st_size / 1e6:.2f} MB",
            "",
            f"{material.classifier.card.parameters:,} weights",
        ),
    ]
    note = (
        "Ranges hold the true figure in 95 of 100 cases where photos are drawn like these: Wilson's for shares, the "
        "bootstrap for the others; ± is a standard deviation."
    )
    skipped = f" {found['skipped']:,} more cannot be read." if found["skipped"] else ""
    return [tag("div", *cards, class_="cards"), paragraph(note + skipped, class_="note")]


def _against_float(material: Material) -> list[Element]:
    if material.floats is None:
        return []
    gained = 100.0 * (material.answers.right.astype(float) - material.floats.right.astype(float))
    points = _mean(gained)
    ends = f"{points.low:+.2f} to {points.high:+.2f}"
    cards = [_card("int8 less float", f"{points.value:+.2f} points", ends, "of right answers, same photos")]
    if material.cosines is not None:
        cosine = _mean(material.cosines)
        ends = f"{cosine.low:.4f} to {cosine.high:.4f}"
        cards.append(_card("attention, int8 with float", f"{cosine.value:.4f}", ends, "mean cosine; 1 is the same"))
    return cards


def _mean(values: NDArray[np.floating[Any]]) -> Interval:
    return bootstrap_means(values[:, None].astype(np.float64), seed=0, draws=1000)[0]


def _unknown(material: Material) -> list[Element]:
    if material.out_of_distribution is None:
        return []
    found = material.out_of_distribution.protocol
    if found is None:
        share = rejected_at(material.answers.certainty, material.out_of_distribution.certainty, 0.05)
        return [_share("unknown things refused", share, "at 5% false rejection, on these photos")]
    what = f"at {found['false_rejection']:.1%} false rejection, by thresholds from other labels"
    return [_card("unknown things refused", f"{found['rejected']:.2%}", f"± {found['rejected_sd']:.2%}", what)]


def _speed(material: Material) -> list[Element]:
    if not material.speed:
        return []
    row = material.speed[-1]
    threads = f"{row.threads} thread{'s' * (row.threads > 1)}"
    where = "this machine" if material.machine_load.at_rest else "this machine, which was busy"
    return [_card("one inference", f"{row.p50_ms:.3g} ms", f"p99 {row.p99_ms:.3g} ms", f"median, {threads}, {where}")]


def _share(name: str, interval: Interval, what: str) -> Element:
    return _card(name, f"{interval.value:.2%}", f"{interval.low:.2%} to {interval.high:.2%}", what)


def _card(name: str, value: str, between: str, what: str) -> Element:
    lines = [tag("span", name, class_="what"), tag("strong", value)]
    lines += [tag("span", between, class_="between")] if between else []
    return tag("div", *lines, tag("span", what, class_="small"), class_="card")
