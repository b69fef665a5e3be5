"""What a phone needs to put the page on its home screen."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.icons import FILES, FOLDER, ICONS, PAGE, drawn


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_an_icon_is_drawn_from_the_one_of_the_page(path: Path) -> None:
    kept = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    difference = np.abs(kept.astype(int) - drawn(*FILES[path]))

    assert kept.shape == (FILES[path][0], FILES[path][0], 4)
    assert difference[kept[..., 3] > 0].max() <= 2


def test_the_manifest_names_icons_of_their_sizes_and_the_page_itself() -> None:
    manifest = json.loads((FOLDER / "manifest.webmanifest").read_text("utf-8"))
    files = {icon["src"]: icon for icon in manifest["icons"]}

    assert {src.removeprefix("../") for src in files} == {"icon.svg", *ICONS}
    assert {files[name]["sizes"] for name in ICONS} == {f"{side}x{side}" for side, _ in ICONS.values()}
    assert [name for name in ICONS if files[name].get("purpose") == "maskable"] == ["icon-maskable-512.png"]
    assert (FOLDER / manifest["start_url"]).resolve() == PAGE.parent
    assert 'href="page/home_screen/manifest.webmanifest"' in (PAGE / "index.html").read_text("utf-8")
