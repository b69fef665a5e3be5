"""What the code lists in a table, the page for its readers lists, too."""

import re

import pytest

from tests.unit.docs.pages import ROOT
from vitcam.config.settings import sections
from vitcam.pictures.overlay_kinds import OVERLAYS
from vitcam.sources import OPENERS
from vitcam_training.data.catalogue import DATASETS

ONLY_BEFORE_A_PATH = {"video", "images"}
"""Schemes that a page need not show: the file says what it is."""


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


@pytest.mark.parametrize("scheme", sorted(set(OPENERS) - ONLY_BEFORE_A_PATH))
def test_the_page_of_sources_has_a_row_for_every_source(scheme: str) -> None:
    assert re.search(rf"^\|.*`{re.escape(scheme)}(`|:)", page("use/sources.md"), re.MULTILINE)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_page_of_the_interface_names_every_overlay(overlay: str) -> None:
    assert f"`{overlay}`" in page("program/http.md")


@pytest.mark.parametrize("dataset", DATASETS)
def test_the_page_of_training_has_a_row_for_every_data_set(dataset: str) -> None:
    assert f"| `{dataset}` |" in page("train/training.md")


@pytest.mark.parametrize("model", sorted(path.stem for path in (ROOT / "models").glob("*.tflite")))
def test_the_page_of_models_links_to_the_card_of_every_shipped_model(model: str) -> None:
    assert f"[{model}](../../models/{model}.md)" in page("use/models.md")


@pytest.mark.parametrize("section", sections())
def test_the_page_of_the_configuration_has_every_section(section: str) -> None:
    assert f"| `{section}." in page("use/configuration.md")
