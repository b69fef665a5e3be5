"""What a package says of itself: `setup.py` makes it of README.md and of one address."""

import re
import runpy
import tomllib
from typing import Any

import pytest

from tests.unit.docs.pages import ROOT

SETUP: dict[str, Any] = runpy.run_path(str(ROOT / "setup.py"))
README = (ROOT / "README.md").read_text("utf-8")
HOME = "https://example.org/somebody/vitcam"
TARGET = re.compile(r"\]\(([^)\s]+)\)")


def test_every_link_of_a_published_package_leads_to_a_file_of_its_version() -> None:
    text = SETUP["description"](README, HOME, "v1.2.3")
    own = [target for target in TARGET.findall(text) if target.startswith(HOME)]

    assert len(own) > 10
    assert {target for target in TARGET.findall(text) if "://" not in target and not target.startswith("#")} == set()
    for target in own:
        kind, tag, path = target.removeprefix(f"{HOME}/").partition("#")[0].split("/", 2)
        assert (kind in ("blob", "raw"), tag) == (True, "v1.2.3")
        assert (ROOT / path).exists(), path


def test_links_are_left_out_as_long_as_nobody_knows_where_they_lead() -> None:
    text = SETUP["description"](README, "", "v1.2.3")

    assert [target for target in TARGET.findall(text) if "://" not in target and not target.startswith("#")] == []
    assert SETUP["urls"]("", "v1.2.3") == {}


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("see [the page](docs/a.md#b)", f"see [the page]({HOME}/blob/v1/docs/a.md#b)"),
        ("![a [small] one](docs/a.webp)", f"![a [small] one]({HOME}/raw/v1/docs/a.webp)"),
        ("[there](https://example.com/x) and [here](#below)", "[there](https://example.com/x) and [here](#below)"),
    ],
)
def test_a_link_keeps_its_words(text: str, published: str) -> None:
    assert SETUP["description"](text, HOME, "v1") == published


def test_the_addresses_of_a_project_come_from_the_same_setting() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

    assert SETUP["home"]() == project["tool"]["vitcam"]["home"]
    assert all(address.startswith(HOME) for address in SETUP["urls"](HOME, "v1").values())
