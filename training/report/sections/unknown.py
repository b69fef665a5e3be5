"""Does it reject unknown things? Photos of its labels against photos of anything else."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from vitcam.interval import wilson
from vitcam_training.evaluation.intervals import Interval
from vitcam_training.evaluation.unknown import SEEDS, auroc
from vitcam_training.report.charts import bars, dots, legend, line, linear_axis, percent_axis, plot
from vitcam_training.report.markup import Node, missing, paragraph, table, tag
from vitcam_training.report.material import Material, OutOfDistribution
from vitcam_training.report.pictures import photo_card, photo_pair

Scores = NDArray[np.float64]

WORST = 6
BINS = 24


def unknown_photos(material: Material) -> list[Element]:
    """The trade-off between rejecting unknown and rejecting known photos, and the unknown ones that scored highest."""
    met, known, threshold = material.out_of_distribution, material.answers.certainty, material.classifier.threshold
    if met is None:
        words = (
            "No photos of unknown things were given, so it is not known how many of them the model refuses. Photos "
            "that show none of the labels make this section: "
        )
        return [missing(words, "--unknown DATA")]
    by = (
        "familiarity of the picture"
        if material.classifier.card.least_familiarity is not None
        else "probability of the best guess"
    )
    intro = (
        f"{len(met.samples):,} photos of {met.source} show none of the {len(material.classifier.labels)} labels, "
        f"{len(known):,} show one. A guess counts as known by the {by}, from {threshold:.4g} on. Of two photos, "
        f"one of each kind, the known one scores higher in {auroc(known, met.certainty):.1%} of all cases."
    )
    charts = tag(
        "div", _curve(known, met.certainty, threshold), _piles(known, met.certainty, threshold, by), class_="charts"
    )
    parts = [paragraph(intro), *_protocol(met), charts, _table(known, met.certainty, threshold)]
    return [*parts, *_most_familiar(material, met)]


def rejected_at(known: Scores, unknown: Scores, false_rejection: float) -> Interval:
    """Share of unknown photos below the score that rejects this share of known photos, with Wilson's interval.

    known, unknown  (n,) and (m,) scores
    """
    return below(unknown, float(np.quantile(known, false_rejection)))


def below(scores: Scores, threshold: float) -> Interval:
    """Share of the scores, (n,), below a threshold, with Wilson's interval."""
    count = int((scores < threshold).sum())
    return Interval(count / len(scores), *wilson(count, len(scores)))


def _protocol(met: OutOfDistribution) -> list[Element]:
    if met.protocol is None:
        return []
    found = met.protocol
    words = (
        f"With thresholds chosen for 5% false rejection on half of the labels, and measured with the other half, "
        f"{found['rejected']:.1%} ± {found['rejected_sd']:.1%} of the unknown photos are refused, and "
        f"{found['false_rejection']:.1%} ± {found['false_rejection_sd']:.1%} of the known ones with them "
        f"(mean and standard deviation of {SEEDS} draws)."
    )
    return [paragraph(tag("strong", words))]


def _curve(known: Scores, unknown: Scores, threshold: float) -> Element:
    levels = map(float, np.unique(np.quantile(known, np.linspace(0, 1, 201))))
    points = [(below(known, level).value, below(unknown, level).value) for level in levels]
    here = below(known, threshold).value, below(unknown, threshold).value
    says = f"threshold {threshold:.4g}: {here[0]:.1%} of known and {here[1]:.1%} of unknown photos refused"
    drawn = plot(
        "Refused: unknown against known", says,
        percent_axis("known photos refused by mistake"), percent_axis("unknown photos refused"),
        line([(0, 0), (1, 1)], "faint dashed"), line([(0, 0), *points, (1, 1)], "accent"),
        dots([here], "ink", [says], [5]),
    )  # fmt: skip
    drawn.append(legend(("accent", "by threshold"), ("faint dashed", "chance"), ("dot ink", "the model's threshold")))
    return drawn


def _piles(known: Scores, unknown: Scores, threshold: float, by: str) -> Element:
    both = np.concatenate([known, unknown])
    edges = np.linspace(float(both.min()), float(both.max()) + 1e-6, BINS + 1)
    piles = [np.histogram(scores, edges)[0] / len(scores) for scores in (known, unknown)]
    top = float(max(pile.max() for pile in piles))
    marks = [
        bars(
            [(float(edges[i]), float(edges[i + 1]), float(pile[i])) for i in range(BINS)],
            kind,
            [f"{edges[i]:.3g} to {edges[i + 1]:.3g}: {pile[i]:.1%} of {name} photos" for i in range(BINS)],
        )
        for pile, kind, name in zip(piles, ("plain", "accent see-through"), ("known", "unknown"), strict=True)
    ]
    across = linear_axis(by, float(edges[0]), float(edges[-1]))
    says = f"medians: known {np.median(known):.3g}, unknown {np.median(unknown):.3g}"
    limit = line([(threshold, 0), (threshold, top)], "ink dashed")
    drawn = plot("How both kinds score", says, across, percent_axis("photos", 0, top), *marks, limit)
    names = ("block plain", "known"), ("block accent see-through", "unknown"), ("ink dashed", "the model's threshold")
    drawn.append(legend(*names))
    return drawn


def _table(known: Scores, unknown: Scores, threshold: float) -> Element:
    own = f"{below(known, threshold).value:.1%}, as shipped"
    levels = [(f"{share:.0%}", float(np.quantile(known, share))) for share in (0.01, 0.02, 0.05, 0.1)]
    rows: list[list[Node]] = []
    for name, level in [*levels, (own, threshold)]:
        found = below(unknown, level)
        rows.append([name, f"{level:.4g}", f"{found.value:.1%}", f"{found.low:.1%} to {found.high:.1%}"])
    head = ("known photos refused", "threshold", "unknown refused", "95 % interval")
    return table("Unknown photos refused, by how many known ones are refused with them", head, rows, "figures")


def _most_familiar(material: Material, met: OutOfDistribution) -> list[Element]:
    cards = []
    for i in np.argsort(-met.certainty, kind="stable")[:WORST]:
        caption: list[Node] = [tag("b", met.guesses[i].label), f" {met.guesses[i].p:.1%}"]
        cards.append(photo_card(photo_pair(material.classifier, met.samples[i]), "something unknown", caption))
    return [tag("h3", "Unknown photos that looked most familiar"), tag("div", *cards, class_="photos")]
