"""The page: its sections in order, its style sheet, and the file that it becomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from xml.etree.ElementTree import Element

from vitcam.errors import UsageError
from vitcam_training.model_card.page import card_warnings
from vitcam_training.report.markup import embedded_json, paragraph, tag, written
from vitcam_training.report.material import Material
from vitcam_training.report.sections.headline import headline
from vitcam_training.report.sections.labels import classes, confusion
from vitcam_training.report.sections.learning import learning
from vitcam_training.report.sections.mistakes import examples, mistakes
from vitcam_training.report.sections.overlay import overlay_faithfulness
from vitcam_training.report.sections.provenance import provenance
from vitcam_training.report.sections.quantised import quantised
from vitcam_training.report.sections.reliability import reliability
from vitcam_training.report.sections.speed import speed
from vitcam_training.report.sections.unknown import unknown_photos


@dataclass(frozen=True)
class Section:
    """A part of the page; its body says in one sentence what is missing where it cannot be made."""

    name: str
    title: str
    body: Callable[[Material], list[Element]]


SECTIONS = (
    Section("headline", "The figures", headline),
    Section("mistakes", "The worst mistakes", mistakes),
    Section("examples", "Predicted and actual", examples),
    Section("confusion", "Which labels are confused", confusion),
    Section("classes", "Label by label", classes),
    Section("reliability", "Is its confidence calibrated?", reliability),
    Section("unknown", "Does it reject unknown things?", unknown_photos),
    Section("quantised", "int8 against float", quantised),
    Section("overlay", "Does the overlay show what mattered?", overlay_faithfulness),
    Section("learning", "Loss and accuracy by epoch", learning),
    Section("speed", "Speed and size", speed),
    Section("provenance", "Where it comes from", provenance),
)


def write_report(material: Material, out: Path) -> int:
    """Write the page; returns its size in bytes.

    raises  UsageError if `out` cannot be written
    """
    text = written(document(material)).encode()
    try:
        out.write_bytes(text)
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}; name another file with -o") from error
    return len(text)


def document(material: Material) -> Element:
    """The whole page as a tree."""
    card = material.classifier.card
    title = f"{card.name}: report"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("title", title),
        tag("style", _beside("page.css")),
    )
    contents = tag("ol", *(tag("li", tag("a", s.title, href=f"#{s.name}")) for s in SECTIONS[1:]))
    top = tag(
        "header", tag("p", "vitcam · report of a model", class_="kind"), tag("h1", card.name),
        paragraph(card.description or "no description", class_="lead"), paragraph(_dated(material), class_="note"),
        *(paragraph(each, class_="warning") for each in card_warnings(card)),
    )  # fmt: skip
    main = tag("main", *(_section(material, section) for section in SECTIONS))
    nav = tag("nav", tag("h2", "On this page"), contents, aria_label="Sections")
    body = tag("body", top, nav, main, embedded_json("figures", material.figures), tag("script", _beside("page.js")))
    return tag("html", head, body, lang="en")


POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""With it, the browser lets the page load nothing."""


def _dated(material: Material) -> str:
    photos = f"{len(material.answers.labels):,} photos"
    return f"Made on {material.date} from {photos}: data {material.dataset.name}, part {material.part}."


def _section(material: Material, section: Section) -> Element:
    heading = tag("h2", section.title, id=f"{section.name}-title")
    return tag("section", heading, *section.body(material), id=section.name, aria_labelledby=f"{section.name}-title")


def _beside(name: str) -> str:
    return files(__package__ or "").joinpath(name).read_text(encoding="utf-8")
