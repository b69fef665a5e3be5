from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.needs import need_model
from vitcam.interval import wilson
from vitcam.model.classifier import Classifier
from vitcam_training.cli.tables import evaluation_table
from vitcam_training.data.dataset import NOTHING, Sample
from vitcam_training.data.published.mnist import LABELS
from vitcam_training.evaluation.evaluate import called_known

STROKE = np.zeros((28, 28, 3), np.uint8)
STROKE[4:24, 13:16] = 255


def sample(name: str, pixels: np.ndarray | None) -> Sample:
    return Sample(Path(name), -1, pixels)


@pytest.fixture
def digits() -> Classifier:
    return Classifier(need_model("mnist"))


def test_photos_that_are_called_known_are_counted_and_named(digits: Classifier) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (28, 28, 3), np.uint8)
    found = called_known(digits, (sample("one.png", STROKE), sample("noise.png", noise)))

    assert (found["n"], found["known"], found["skipped"]) == (2, 0.5, 0)
    assert (found["known_low"], found["known_high"]) == wilson(1, 2)
    assert [(each["path"], each["label"]) for each in found["mistakes"]] == [("one.png", "1")]


def test_a_label_that_a_picture_accepts_is_no_mistake(digits: Classifier) -> None:
    stroke = Sample(Path("strokes", "one.png"), NOTHING, STROKE)
    found = called_known(
        digits, (stroke, replace(stroke, accepted=frozenset({1})), replace(stroke, accepted=frozenset({7}))), LABELS
    )

    assert (found["known"], found["displayed_wrong"]) == (2 / 3, 2 / 3)
    assert found["kinds"] == {"strokes": {"n": 3, "label": 2, "group": 0}}


def test_the_table_says_how_many_were_called_known_and_which(digits: Classifier, tmp_path: Path) -> None:
    found = called_known(digits, (sample("one.png", STROKE), sample(str(tmp_path / "absent.png"), None)))
    said = evaluation_table({"model": "mnist", "data": "blank", "split": "choose", **found})

    assert "1 of blank, part choose, 1 more cannot be read" in said
    assert "1, 100.00%  (95 % interval 20.65% to 100.00%; none should be)" in said
    assert "one.png" in said
