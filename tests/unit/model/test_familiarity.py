import json
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.unit.model.test_bundle import CARD, FLATBUFFER
from vitcam.errors import ModelError
from vitcam.frames import Guess, Rect
from vitcam.model import bundle
from vitcam.model.classifier import Classifier, frame_of
from vitcam.model.familiarity import Familiarity, logistic


def familiar(width: int = 8, labels: int = 3, axes: int = 2, threshold: float = 0.0) -> Familiarity:
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(width, labels + axes)).astype(np.float16).astype(np.float32)
    return Familiarity(matrix, rng.normal(size=labels + axes).astype(np.float32), labels, 0.5, threshold)


def test_the_score_is_that_of_the_paper_written_out() -> None:
    found = familiar()
    x = np.random.default_rng(1).normal(size=8).astype(np.float32)
    head, axes = np.split(found.matrix.astype(np.float64), [3], axis=1)
    logits = x @ head + found.offset[:3]
    residual = np.linalg.norm(x @ axes + found.offset[3:])

    assert found.score(x) == pytest.approx(np.log(np.exp(logits).sum()) - 0.5 * residual, abs=1e-4)


def test_very_large_logits_overflow_nothing() -> None:
    assert np.isfinite(familiar().score(np.full(8, 1e4, np.float32)))


def test_what_a_file_carries_of_familiarity_is_read_back_exactly(tmp_path: Path) -> None:
    given = familiar(threshold=1.25)
    bundle.write(tmp_path / "a.tflite", FLATBUFFER, CARD, ["a", "b", "c"], [], given)
    bundle.write(tmp_path / "b.tflite", FLATBUFFER, CARD, ["a", "b", "c"], [], given)
    found = bundle.read(tmp_path / "a.tflite")

    assert found is not None
    assert found.familiarity is not None
    assert found.card.familiarity == given.numbers() == found.familiarity.numbers()
    np.testing.assert_array_equal(found.familiarity.matrix, given.matrix)
    np.testing.assert_array_equal(found.familiarity.offset, given.offset)
    assert (tmp_path / "a.tflite").read_bytes() == (tmp_path / "b.tflite").read_bytes()


def test_a_file_from_before_there_was_familiarity_is_read_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "old.tflite"
    bundle.write(path, FLATBUFFER, CARD, ["a"], [])
    raw = json.loads(zipfile.ZipFile(path).read("vitcam.json"))
    del raw["familiarity"]
    path.write_bytes(FLATBUFFER)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("vitcam.json", json.dumps(raw))
        archive.writestr("labels.txt", "a\n")
        archive.writestr("golden.json", "[]")
    found = bundle.read(path)

    assert found is not None
    assert found.familiarity is None


def test_familiarity_of_another_shape_is_refused(tmp_path: Path) -> None:
    given = familiar()
    broken = Familiarity(given.matrix, given.offset[:-1], 3, 0.5, 0.0)
    bundle.write(tmp_path / "a.tflite", FLATBUFFER, CARD, ["a"], [], broken)

    with pytest.raises(ModelError, match=r"familiarity of shapes \(8, 5\) and \(4,\)"):
        bundle.read(tmp_path / "a.tflite")


def test_a_sure_guess_is_known_though_the_picture_is_strange() -> None:
    classifier = Classifier("everyday")
    assert classifier.familiarity is not None
    strange = np.zeros(192, np.float32)
    low, high = (classifier.certainty(Guess("cup", p), strange) for p in (0.84, 0.86))

    assert low == pytest.approx(classifier.familiarity.score(strange))
    assert high == pytest.approx(low + 10)


def test_asking_for_familiarity_costs_a_fraction_of_a_millisecond() -> None:
    found = familiar(width=192, labels=1000, axes=96)
    x = np.ones(192, np.float32)
    times = []
    for _ in range(30):
        started = time.perf_counter()
        found.score(x)
        times.append(time.perf_counter() - started)

    assert min(times) < 1e-3


def test_familiarity_is_a_share_and_a_half_is_the_threshold() -> None:
    assert logistic(0.0) == 0.5
    assert [round(logistic(nats), 4) for nats in (-2.0, 2.0)] == [0.1192, 0.8808]
    assert (logistic(-1e6), logistic(1e6)) == (0.0, 1.0)


def test_a_prediction_says_how_familiar_and_which_part_of_which_picture_it_is_about() -> None:
    classifier = Classifier("everyday", threads=1)
    photo = np.random.default_rng(0).integers(0, 256, (90, 160, 3), np.uint8)
    whole = classifier.classify_image(photo)
    chosen = classifier(replace(frame_of(photo, classifier.input, "test"), crop=Rect(5, 6, 40, 40)))

    assert whole.familiarity is not None
    assert whole.known == (whole.familiarity >= 0.5)
    assert (whole.size, whole.crop) == ((160, 90), Rect(39, 4, 81, 81))
    assert (chosen.size, chosen.crop) == ((160, 90), Rect(5, 6, 40, 40))


def test_a_file_without_familiarity_knows_by_probability_alone() -> None:
    classifier = Classifier("mnist", threads=1)
    classifier.familiarity = None

    assert classifier.classify_image(np.zeros((28, 28, 3), np.uint8)).familiarity is None
