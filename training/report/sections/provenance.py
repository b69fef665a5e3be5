"""Where it comes from: data, licence, recipe, seed, versions, machine, hours, attempts."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from xml.etree.ElementTree import Element

from vitcam.model.card import ModelCard
from vitcam_training.model_card.attempts import HEAD, KEY, attempt_rows, listed
from vitcam_training.model_card.commands import KEYS, evaluating, made_by
from vitcam_training.model_card.page import epochs_in_words
from vitcam_training.report.markup import Node, missing, table, tag
from vitcam_training.report.material import Material

PACKAGES = ("vitcam", "numpy", "opencv-python-headless", "keras", "jax", "ai-edge-litert", "ai-edge-quantizer")


def provenance(material: Material) -> list[Element]:
    """The model's own record, then that of this report."""
    card = material.classifier.card
    facts = epochs_in_words(card.provenance)
    facts.pop(KEY, None)
    versions = facts.pop("versions", {})
    for key in KEYS:
        facts.pop(key, None)
    lines: list[list[Node]] = [
        [name.replace("_", " "), _words(value)] for name, value in facts.items() if value not in ("", None)
    ]
    lines += [["versions", _words(versions)]] if versions else []
    lines += [["licence", card.licence or "not stated"]]
    lines += [["made by", tag("code", command)] for command in made_by(material.classifier.path, card)]
    parts = [table("How the model was made", (), lines)]
    if not card.provenance:
        parts = [missing("The model file does not say how it was made; files that `vitcam-train export` writes do.")]
    parts += _photos(card.trained_on)
    return [*parts, _attempts(card), _this_report(material)]


def _photos(trained_on: Sequence[dict[str, str]]) -> list[Element]:
    if not trained_on:
        return [
            missing(
                "The model file does not say which photos it was trained on; the recipe's [[about.trained_on]] does."
            )
        ]
    lines: list[list[Node]] = [
        [d.get("data", ""), d.get("licence", ""), _link(d.get("source", ""))] for d in trained_on
    ]
    return [table("Trained on", ("photos", "licence", "source"), lines)]


def _link(source: str) -> Node:
    return tag("a", source, href=source, rel="noreferrer") if source.startswith(("https://", "http://")) else source


def _attempts(card: ModelCard) -> Element:
    """Every attempt that the model's card keeps, the weaker ones too."""
    kept = listed(card)
    if not kept:
        return missing("The model file keeps no list of attempts; the next vitcam-train export under its name does.")
    return table("Every attempt", HEAD, attempt_rows(kept))


def _this_report(material: Material) -> Element:
    path = material.classifier.path
    command = evaluating(path, material.data, material.part)
    lines: list[list[Node]] = [
        ["date", material.date],
        ["machine", material.machine],
        ["system", f"Python {platform.python_version()}, {platform.system()} {platform.release()}"],
        ["versions", ", ".join(f"{name} {number}" for name in PACKAGES if (number := _version(name)))],
        ["model file", f"{path.name}, SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}…"],
        ["the same figures by", tag("code", command)],
    ]
    return table("How this report was made", (), lines)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
