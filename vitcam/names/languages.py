"""Names in other languages: one file for each, `de.csv` and so on, with the model's own name and its translation.

They hold every group of the shipped model and the labels that people meet most. The translations are vitcam's own.
"""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

ORIGINAL = "en"
"""No translation: labels and groups are called as the model says."""
LANGUAGES = {ORIGINAL: "English", "de": "Deutsch", "es": "Español", "fr": "Français", "pt": "Português"}
"""Code of ISO 639 -> the language's own name."""


@cache
def translations(language: str) -> Mapping[str, str]:
    """The model's own name -> its translation; empty for `ORIGINAL`."""
    if language == ORIGINAL:
        return MappingProxyType({})
    with Path(__file__).with_name(f"{language}.csv").open(encoding="utf-8", newline="") as file:
        return MappingProxyType({row["name"]: row["translation"] for row in csv.DictReader(file)})
