"""Words that change while a model runs."""

from pathlib import Path

import numpy as np
import pytest

from tests.shapes import draw
from tests.worded import worded_model
from vitcam.daemon.classifiers import PhotoClassifier
from vitcam.model.classifier import Classifier
from vitcam.model.text.live_labels import LiveLabels
from vitcam.model.text.relabel import read_open_vocabulary
from vitcam.run_model import RunModel
from vitcam.slot import Current

CROSS = draw("red", "cross", np.random.default_rng(1))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return worded_model(tmp_path)


@pytest.fixture
def words(model: Path) -> LiveLabels:
    return LiveLabels(read_open_vocabulary(model), model)


def test_the_next_picture_is_compared_with_the_new_words(model: Path, words: LiveLabels) -> None:
    classifier = Classifier(model, threads=1)
    words.give_to(classifier)
    before = classifier.classify_image(CROSS)
    words.replace(["a cross", "a circle"])
    between = classifier.classify_image(CROSS)
    words.give_to(classifier)
    after = classifier.classify_image(CROSS)

    assert [each.top[0].label for each in (before, between, after)] == ["a red thing", "a red thing", "a cross"]
    assert len(after.top) == 2


def test_a_change_gives_the_answers_of_the_file_that_it_wrote(model: Path, words: LiveLabels) -> None:
    classifier = Classifier(model, threads=1)
    words.replace(["a cross", "a circle", "a red ring"])
    words.give_to(classifier)
    assert words.save() == ""

    assert classifier.classify_image(CROSS).top == Classifier(model, threads=1).classify_image(CROSS).top
    assert classifier.labels == words.labels == ("a cross", "a circle", "a red ring")


def test_photos_that_are_sent_are_compared_with_the_new_words_too(model: Path, words: LiveLabels) -> None:
    photos = PhotoClassifier(Current(RunModel.of(Classifier(model, threads=1), words=words)))
    before = photos.classify(CROSS)
    words.replace(["a cross", "a circle"])

    assert before.top[0].label == "a red thing"
    assert photos.classify(CROSS).top[0].label == "a cross"
