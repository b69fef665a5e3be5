"""`vitcam explain` with a model that TensorFlow's own converter made."""

from pathlib import Path

import cv2
import pytest

from tests.integration.cli.test_explain import COFFEE, explain
from tests.needs import need_model
from tests.training.unit.weights.test_foreign import brightness, convert

pytestmark = pytest.mark.slow("vitcam/explain", "vitcam/model")


def test_a_model_without_description_is_explained_as_far_as_it_goes(tmp_path: Path) -> None:
    need_model("everyday")
    model = convert(tmp_path / "plain.tflite", brightness)
    (tmp_path / "labels.txt").write_text("dark\nbright\n")
    plain, whole = tmp_path / "plain.png", tmp_path / "whole.png"
    results = [
        explain(COFFEE, "-o", plain, "-m", model, "--labels", tmp_path / "labels.txt"),
        explain(COFFEE, "-o", whole),
    ]

    assert [result.code for result in results] == [0, 0], results[0].err
    assert "dark, " in results[0].out
    assert cv2.imread(str(plain)).shape[0] < cv2.imread(str(whole)).shape[0]
