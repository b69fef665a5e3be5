"""From words to frames, with a network that has learned: a small CLIP, trained here on coloured shapes."""

from pathlib import Path

import numpy as np
import pytest

from tests.shapes import PAIRS, SEEN, UNSEEN, draw
from tests.training.integration.words.learned import export, trained_checkpoint
from vitcam.model.classifier import Classifier

PHOTOS_EACH = 10

pytestmark = [
    pytest.mark.slow(
        "tests/training/integration/words/learned.py",
        "training/export",
        "training/weights",
        "vitcam/model/text",
        "vitcam/model",
    ),
    pytest.mark.timeout(1500),
]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained_checkpoint(tmp_path_factory.mktemp("learned"))


def right(model: Path, pairs: tuple[tuple[str, str], ...], seed: int) -> float:
    """On which share of new pictures of these the first guess is the one description that fits."""
    classifier, rng = Classifier(model, threads=1), np.random.default_rng(seed)
    hits = [
        classifier.classify_image(draw(colour, shape, rng)).top[0].label == f"a {colour} {shape}"
        for colour, shape in pairs
        for _ in range(PHOTOS_EACH)
    ]
    return float(np.mean(hits))


def test_combinations_that_no_training_has_seen_are_named_among_all_combinations(
    checkpoint: Path, tmp_path: Path
) -> None:
    export(checkpoint, [f"a {colour} {shape}" for colour, shape in PAIRS], tmp_path / "all.tflite")
    unseen, seen = right(tmp_path / "all.tflite", UNSEEN, 1), right(tmp_path / "all.tflite", SEEN, 2)
    print(f"first guess among {len(PAIRS)} combinations: unseen {unseen:.1%}, seen {seen:.1%}")

    assert unseen >= 0.9
    assert seen >= 0.9


def test_pictures_of_none_of_the_words_are_unknown(checkpoint: Path, tmp_path: Path) -> None:
    words = [f"a red {shape}" for shape in ("cross", "ring", "circle")]
    export(checkpoint, words, tmp_path / "red.tflite")
    classifier, rng = Classifier(tmp_path / "red.tflite", threads=1), np.random.default_rng(3)
    red = [classifier.classify_image(draw("red", "cross", rng)).known for _ in range(50)]
    blue = [classifier.classify_image(draw("blue", "pole", rng)).known for _ in range(50)]
    print(f"known: {np.mean(red):.1%} of red crosses, {np.mean(blue):.1%} of blue poles")

    assert np.mean(red) >= 0.8
    assert np.mean(blue) <= 0.1
