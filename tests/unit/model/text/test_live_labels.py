"""Words that change while a model runs."""

from pathlib import Path

import numpy as np
import pytest

from tests.shapes import draw
from tests.worded import worded_model
from vitcam.model.classifier import Classifier
from vitcam.model.text.live_labels import LiveLabels
from vitcam.model.text.relabel import read_open_vocabulary

CROSS = draw("red", "cross", np.random.default_rng(1))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return worded_model(tmp_path)


@pytest.fixture
def words(model: Path) -> LiveLabels:
    return LiveLabels(read_open_vocabulary(model), model)


def test_a_change_gives_the_answers_of_the_file_that_it_wrote(model: Path, words: LiveLabels) -> None:
    classifier = Classifier(model, threads=1)
    words.replace(["a cross", "a circle", "a red ring"])
    words.give_to(classifier)
    assert words.save() == ""

    assert classifier.classify_image(CROSS).top == Classifier(model, threads=1).classify_image(CROSS).top
    assert classifier.labels == words.labels == ("a cross", "a circle", "a red ring")
