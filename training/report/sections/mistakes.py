"""The wrong answers with the highest confidence, and a few random photos."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np

from vitcam_training.data.dataset import photo_of
from vitcam_training.report.markup import Node, paragraph, tag
from vitcam_training.report.material import Material
from vitcam_training.report.pictures import inline, page_size, photo_card, photo_pair

WORST, EXAMPLES = 16, 24
SMALL_PX = 150
SEED = 0


def mistakes(material: Material) -> list[Element]:
    """The most confident wrong answers, worst first, with the overlay."""
    answers, labels = material.answers, material.classifier.labels
    wrong = np.flatnonzero(~answers.right)
    if not len(wrong):
        return [paragraph(f"None: all {len(answers.labels):,} answers are right.")]
    confidence = answers.probabilities.max(-1)
    order = wrong[np.argsort(-confidence[wrong], kind="stable")][:WORST]
    cards = [_mistake(material, int(i), labels) for i in order]
    known = int(answers.known[wrong].sum())
    intro = (
        f"{len(wrong):,} of {len(answers.labels):,} answers are wrong; {known:,} of those count as known nevertheless. "
        f"Here are the {len(order)} that it was surest of: the photo, and beside it the overlay that vitcam draws. "
        "Some of them may be mistakes of the labels."
    )
    return [paragraph(intro), tag("div", *cards, class_="photos")]


def _mistake(material: Material, i: int, labels: tuple[str, ...]) -> Element:
    answers = material.answers
    truth, guess = int(answers.labels[i]), int(answers.guesses[i])
    caption: list[Node] = [
        tag("b", labels[guess], class_="wrong"), f" {answers.probabilities[i, guess]:.1%}", tag("br"),
        "it is ", tag("b", labels[truth]), f" ({answers.probabilities[i, truth]:.1%})", tag("br"),
        tag("small", answers.samples[i].path.name),
    ]  # fmt: skip
    return photo_card(photo_pair(material.classifier, answers.samples[i]), labels[truth], caption)


def examples(material: Material) -> list[Element]:
    """Photos drawn at random, so that they are right as often as the model is."""
    answers, labels = material.answers, material.classifier.labels
    count = min(EXAMPLES, len(answers.labels))
    chosen = np.random.default_rng(SEED).permutation(len(answers.labels))[:count]
    cards = []
    for i in chosen:
        truth, guess = labels[answers.labels[i]], labels[answers.guesses[i]]
        right = bool(answers.right[i])
        said: list[Node] = [
            tag("b", guess, class_="right" if right else "wrong"),
            f" {answers.probabilities[i].max():.1%}",
        ]
        said += [] if right else [tag("br"), "it is ", tag("b", truth)]
        image = inline(page_size(photo_of(answers.samples[i]), SMALL_PX), f"Photo of {truth}")
        cards.append(tag("figure", image, tag("figcaption", "✓ " if right else "✗ ", *said), class_="photo"))
    rights = int(answers.right[chosen].sum())
    intro = f"{count} photos drawn at random (seed {SEED}), not chosen: {rights} are answered rightly."
    return [paragraph(intro), tag("div", *cards, class_="photos small-photos")]
