"""Every choice of ViTConfig as an ONNX file, in ONNX Runtime, held against the NumPy reference."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from tests.training.unit.export.test_exported_choices import ONE_AT_A_TIME, PLAIN, TOGETHER
from tests.training.unit.exported import expected_outputs
from tests.training.unit.nets import photos, small_about, small_vit
from vitcam_training.export.onnx_file import NORMS_STAY, to_onnx, write_onnx
from vitcam_training.export.rewrites import fold
from vitcam_training.weights.checkpoints import save_weights, to_timm

pytestmark = pytest.mark.slow("training/export", "training/vit.py")


def answers(model: bytes | str, images: NDArray[np.uint8]) -> dict[str, NDArray[np.float32]]:
    """What the file says of several pictures at once."""
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, {"image": images}), strict=True))


@pytest.mark.parametrize("choice", [{}, *ONE_AT_A_TIME, *TOGETHER], ids=str)
def test_every_choice_answers_as_the_reference_does(choice: dict[str, Any]) -> None:
    config = replace(PLAIN, **choice)
    weights = to_timm(small_vit(config))
    images = photos(3, config)

    found = answers(to_onnx(fold(config, weights, rewrites=NORMS_STAY)), images)

    for i, image in enumerate(images):
        expected = expected_outputs(config, weights, image)
        for name in ("probabilities", "embedding"):
            assert np.abs(found[name][i] - expected[name]).max() < 1e-4, name


@pytest.mark.parametrize("rows", [[0, 1, 2, 1, 0, 2, 2], [2, 1, 0]])
def test_labels_of_several_rows_get_their_sum(rows: list[int]) -> None:
    config = replace(PLAIN, classes=len(rows))
    weights = to_timm(small_vit(config))
    (image,) = photos(1, config)
    folded = fold(config, weights, rewrites=NORMS_STAY, rows=rows)

    found = answers(to_onnx(folded), image[None])["probabilities"][0]

    of_rows = expected_outputs(config, weights, image)["probabilities"]
    assert np.allclose(found, np.bincount(rows, of_rows), atol=1e-5)


def test_the_file_says_what_its_labels_are_and_takes_another_size(tmp_path: Path) -> None:
    config = replace(PLAIN, image_size=(32, 32))
    vit, about = small_vit(config), replace(small_about(), network=asdict(config), licence="CC0")
    save_weights(tmp_path / "small.safetensors", to_timm(vit), about)

    made = write_onnx(tmp_path / "small.safetensors", tmp_path / "small.onnx", side_px=48)

    session = onnxruntime.InferenceSession(made, providers=["CPUExecutionProvider"])
    facts = session.get_modelmeta().custom_metadata_map
    assert session.get_inputs()[0].shape == ["batch", 48, 48, 3]
    assert json.loads(facts["labels"]) == list(about.labels)
    assert facts["licence"] == "CC0"
