"""Where it comes from: data, licence, recipe, seed, versions, machine, hours, attempts."""

from __future__ import annotations

import hashlib
import platform
import shlex
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from xml.etree.ElementTree import Element

from .markup import Node, missing, table, tag
from .material import Material

PACKAGES = ("vitcam", "numpy", "opencv-python-headless", "keras", "jax", "ai-edge-litert", "ai-edge-quantizer")


def provenance(of: Material) -> list[Element]:
    """The model's own record, then that of this report."""
    card = of.classifier.card
    facts = dict(card.provenance)
    attempts, versions = facts.pop("attempts", None), facts.pop("versions", {})
    rows: list[list[Node]] = [
        [name.replace("_", " "), _words(value)] for name, value in facts.items() if value not in ("", None)
    ]
    rows += [["versions", _words(versions)]] if versions else []
    rows += [["licence", card.licence or "not stated"]]
    parts = [table("How the model was made", (), rows)]
    if not card.provenance:
        parts = [missing("The model file does not say how it was made; files of vitcam-train export do.")]
    parts += _photos(card.trained_on)
    parts += _attempts(attempts)
    return [*parts, _this_report(of)]


def _photos(trained_on: Sequence[dict[str, str]]) -> list[Element]:
    if not trained_on:
        return [
            missing(
                "The model file does not say which photos it was trained on; the recipe's [[about.trained_on]] does."
            )
        ]
    rows: list[list[Node]] = [[d.get("data", ""), d.get("licence", ""), _link(d.get("source", ""))] for d in trained_on]
    return [table("Trained on", ("photos", "licence", "source"), rows)]


def _link(source: str) -> Node:
    return tag("a", source, href=source, rel="noreferrer") if source.startswith(("https://", "http://")) else source


def _attempts(attempts: Any) -> list[Element]:
    """Every attempt that the model's card keeps, the weaker ones too."""
    if not isinstance(attempts, list | tuple) or not all(isinstance(each, dict) for each in attempts) or not attempts:
        return [missing("No other attempt is on record with this model.")]
    names = list(dict.fromkeys(name for each in attempts for name in each))
    rows: list[list[Node]] = [[_words(each.get(name, "")) for name in names] for each in attempts]
    return [table("Every attempt", [name.replace("_", " ") for name in names], rows)]


def _this_report(of: Material) -> Element:
    path = of.classifier.path
    command = ["vitcam-train", "evaluate", path.stem, "--data", of.dataset.name, "--split", of.part, "--json"]
    rows: list[list[Node]] = [
        ["date", of.date],
        ["machine", of.machine],
        ["system", f"Python {platform.python_version()}, {platform.system()} {platform.release()}"],
        ["versions", ", ".join(f"{name} {number}" for name in PACKAGES if (number := _version(name)))],
        ["model file", f"{path.name}, SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}…"],
        ["the same figures by", tag("code", shlex.join(command))],
    ]
    return table("How this report was made", (), rows)


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
