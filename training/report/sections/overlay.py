"""Does the overlay show what mattered? What insertion and deletion curves found, where they were measured."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from vitcam_training.evaluation.intervals import Interval
from vitcam_training.model_card.commands import judging
from vitcam_training.report.charts import legend, line, percent_axis, plot
from vitcam_training.report.faithfulness import (
    BASELINES,
    CURVES,
    FaithfulnessFinding,
    FaithfulnessResult,
    digest,
    path_of,
)
from vitcam_training.report.markup import Node, missing, paragraph, table, tag
from vitcam_training.report.material import Material

KINDS = ("accent", "plain", "faint", "ink dashed")


def overlay_faithfulness(material: Material) -> list[Element]:
    """Whether the answer depends on the marked places: the overlay against chance and against the middle."""
    verdict = material.faithfulness
    if verdict is None:
        beside = path_of(material.classifier.path).name
        words = (
            f"It was not measured whether the answer depends on the marked places: there is no {beside}. In a checkout "
            "of vitcam, make it with "
        )
        return [missing(words, judging(material.classifier.path, material.data, material.part))]
    intro = (
        f"Patches of {verdict.photos:,} photos were removed in the order of a map, the highest first, and put back "
        "in the same order. If the answer depends on what the map marks, its probability falls early and rises early."
    )
    charts = tag("div", *(_curves(verdict, curve) for curve in CURVES), class_="charts")
    return [
        paragraph(intro),
        paragraph(tag("strong", _judged(verdict))),
        *_outdated(material, verdict),
        charts,
        _table(verdict),
    ]


def _judged(verdict: FaithfulnessResult) -> str:
    won = [curve for curve, beats in verdict.beats_baselines().items() if beats]
    if not won:
        return (
            f"The overlay that vitcam draws, {verdict.shown}, does not beat both a random order and the middle of the "
            "picture, with a confidence of 95%, on either curve."
        )
    return (
        f"The overlay that vitcam draws, {verdict.shown}, beats both a random order and the middle of the picture on "
        f"{' and '.join(won)}, with a confidence of 95%."
    )


def _outdated(material: Material, verdict: FaithfulnessResult) -> list[Element]:
    if verdict.digest == digest(material.classifier.path):
        return []
    words = (
        f"These figures are of another export of {verdict.model}, measured on {verdict.date}; in a checkout of vitcam, "
        "measure again with "
    )
    return [missing(words, judging(material.classifier.path, material.data, material.part))]


def _curves(verdict: FaithfulnessResult, curve: str) -> Element:
    shares = [step / verdict.steps[-1] for step in verdict.steps]
    names = list(dict.fromkeys((verdict.shown, *BASELINES)))
    found = [verdict.finding(name) for name in names]
    drawn = plot(
        f"{curve.capitalize()}: {'lower' if curve == 'deletion' else 'higher'} is better",
        "; ".join(f"{each.name} {each.areas[curve].value:.3f}" for each in found),
        percent_axis("patches removed" if curve == "deletion" else "patches put back"),
        percent_axis("probability of the first guess"),
        *(line(list(zip(shares, f.curves[curve], strict=True)), kind) for f, kind in zip(found, KINDS, strict=False)),
    )
    drawn.append(legend(*zip(KINDS, names, strict=False)))
    return drawn


def _table(verdict: FaithfulnessResult) -> Element:
    head = ("", "deletion", "95 % interval", "insertion", "95 % interval", "beats random on", "beats the middle on")
    rows = [_row(finding, finding.name == verdict.shown) for finding in verdict.findings[verdict.neutral]]
    caption = f"Areas under the curves, patches replaced by {verdict.neutral}; best first; in bold what vitcam draws"
    return table(caption, head, rows, "figures")


def _row(finding: FaithfulnessFinding, shown: bool) -> list[Node]:
    beaten = [
        " and ".join(curve for curve in CURVES if finding.beats(baseline, curve)) or "neither"
        if finding.name != baseline
        else "–"
        for baseline in ("random", "centre")
    ]
    areas = [text for curve in CURVES for text in _words(finding.areas[curve])]
    return [tag("b", finding.name, title=finding.about) if shown else finding.name, *areas, *beaten]


def _words(area: Interval) -> tuple[str, str]:
    return f"{area.value:.3f}", f"{area.low:.3f} to {area.high:.3f}"
