"""Every way to quantise, side by side, from a checkpoint and a folder of pictures."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.training.integration.command import call
from tests.training.unit.nets import SMALL, small_about, small_vit
from tests.training.unit.pictures import COLOURS, write_pictures
from vitcam_training.study.quantisation.__main__ import app
from vitcam_training.weights.checkpoints import save_weights, to_timm

pytestmark = pytest.mark.slow("training/study/quantisation", "training/export")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pictures and a network that has never seen one."""
    root = tmp_path_factory.mktemp("workshop")
    write_pictures(root / "photos", each=12, side=32)
    about = replace(small_about(), labels=tuple(sorted(COLOURS)))
    save_weights(root / "net.safetensors", to_timm(small_vit(replace(SMALL, classes=3))), about, "float32")
    return root


def test_compare_measures_every_way_and_writes_one_page(workshop: Path) -> None:
    page = workshop / "int8.md"
    common = (workshop / "net.safetensors", "--data", workshop / "photos")
    lines = call(*common, "--keep", "*/up", "--page", page, "--json", program=app).splitlines()
    rows = {row["quantise"]: row for row in map(json.loads, lines)}

    assert list(rows) == ["dynamic", "static", "int4", "float16", "float", "converter", "mixed"]
    assert rows["float"]["agreement"] == 1
    assert rows["mixed"]["keep"] == ["block00/up", "block01/up", "block02/up"]
    assert rows["dynamic"]["ratio"] == 1
    assert rows["int4"]["size_mb"] < rows["dynamic"]["size_mb"] < rows["mixed"]["size_mb"] < rows["float"]["size_mb"]
    whole = {name for name, row in rows.items() if (row["partitions"], row["outside"]) == (1, 0)}
    assert whole - {"int4"} == {"dynamic", "float16", "float", "converter", "mixed"}, (
        "three labels are odd, which 4 bits do not bear"
    )
    text = page.read_text(encoding="utf-8")
    assert text.count("\n| int8") == 4
