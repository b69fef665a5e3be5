"""`export --quantise`: files in other numbers, from a checkpoint and a folder of pictures."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.training.integration.command import call
from tests.training.unit.nets import SMALL, small_about, small_vit
from tests.training.unit.pictures import COLOURS, write_pictures
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam_training.cli import main
from vitcam_training.weights.checkpoints import save_weights, to_timm

SLOW = pytest.mark.slow("training/export")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pictures and a network that has never seen one."""
    root = tmp_path_factory.mktemp("workshop")
    write_pictures(root / "photos", each=12, side=32)
    about = replace(small_about(), labels=tuple(sorted(COLOURS)))
    save_weights(root / "net.safetensors", to_timm(small_vit(replace(SMALL, classes=3))), about, "float32")
    return root


@SLOW
def test_a_file_in_other_numbers_says_so_on_its_card_and_how_to_make_it_again(workshop: Path) -> None:
    out = workshop / "static.tflite"
    call("export", workshop / "net.safetensors", "-o", out, "--data", workshop / "photos", "--quantise", "static")
    carried = bundle.read(out)
    card = out.with_suffix(".md").read_text(encoding="utf-8")

    assert carried is not None
    assert carried.card.provenance["export_options"] == "--quantise static"
    assert "activations int8, too; XNNPACK runs it in " in card
    assert len(Classifier(out).classify_image(np.full((32, 32, 3), (210, 50, 40), np.uint8)).top) == len(COLOURS)


@SLOW
def test_what_ships_says_nothing_special_and_keeps_its_bytes(workshop: Path) -> None:
    plain, named = workshop / "plain.tflite", workshop / "named.tflite"
    call("export", workshop / "net.safetensors", "-o", plain)
    call("export", workshop / "net.safetensors", "-o", named, "--quantise", "dynamic")

    assert bundle.flatbuffer(plain) == bundle.flatbuffer(named)
    assert "| weights | int8, a scale for each output channel; `plain.safetensors`" in plain.with_suffix(
        ".md"
    ).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--quantise", "int3"], "no quantisation scheme is called 'int3'"),
        (["--quantise", "static"], "give --data or --representative"),
        (["--keep", "block7/up"], "no layer is called 'block7/up'"),
    ],
)
def test_what_cannot_be_quantised_ends_in_one_sentence(
    options: list[str],
    message: str,
    workshop: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checkpoint = str(workshop / "net.safetensors")
    monkeypatch.setattr(sys, "argv", ["vitcam-train", "export", checkpoint, "-o", str(workshop / "x.tflite"), *options])
    with pytest.raises(SystemExit) as end:
        main()

    assert end.value.code == 2
    assert message in capsys.readouterr().err
    assert not (workshop / "x.tflite").exists()
