import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.grouped import grouped_model, unsure_picture
from tests.unit.model.test_bundle import CARD, FLATBUFFER
from vitcam.config.settings import ModelSettings
from vitcam.errors import ModelError
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.out_of_distribution import familiarity, logistic
from vitcam.open_model import open_classifier
from vitcam.pictures.resize import frame_of_picture
from vitcam.rects import Rect


def softmax(logits: np.ndarray) -> np.ndarray:
    raised = np.exp(logits - logits.max())
    return np.asarray(raised / raised.sum())


def test_it_is_the_divergence_from_the_uniform_distribution_written_out() -> None:
    p = softmax(np.random.default_rng(1).normal(size=7))
    uniform = np.full(7, 1 / 7)

    assert familiarity(p) == pytest.approx((uniform * np.log(uniform / p)).sum())


def test_it_is_the_log_sum_exp_of_the_logits_less_their_mean() -> None:
    logits = 4 * np.random.default_rng(2).normal(size=50)
    lifted = [float(np.log(np.exp(each).sum()) - each.mean() - np.log(50)) for each in (logits, logits + 9)]

    assert [familiarity(softmax(logits))] * 2 == pytest.approx(lifted)


def test_a_temperature_is_taken_back_from_the_logits() -> None:
    logits = 4 * np.random.default_rng(4).normal(size=50)

    for temperature in (0.6, 1.0, 1.7):
        assert familiarity(softmax(logits / temperature), temperature) == pytest.approx(familiarity(softmax(logits)))


def test_equal_probabilities_are_the_least_familiar_and_sharper_ones_more() -> None:
    logits = np.random.default_rng(3).normal(size=20)
    found = [familiarity(softmax(scale * logits)) for scale in (0.0, 0.5, 1.0, 5.0)]

    assert found[0] == pytest.approx(0, abs=1e-12)
    assert found == sorted(found)


def test_in_files_of_score_1_the_threshold_alone_decides_what_is_known(tmp_path: Path) -> None:
    classifier = Classifier(grouped_model(tmp_path), threads=1)
    classifier.groups = None
    unsure = classifier.classify_image(unsure_picture())
    classifier.card = replace(classifier.card, threshold=1.0)
    strange = classifier.classify_image(unsure_picture())

    assert (unsure.known, unsure.unfamiliar, unsure.shown.level) == (True, False, "none")
    assert (strange.known, strange.unfamiliar, strange.shown.level) == (False, True, "none")


def test_in_files_of_score_2_what_is_displayed_is_known(tmp_path: Path) -> None:
    classifier = Classifier(grouped_model(tmp_path), threads=1)
    classifier.card = replace(classifier.card, score=2)
    grouped = classifier.classify_image(unsure_picture())
    blank = classifier.classify_image(np.zeros((28, 28, 3), np.uint8))
    classifier.groups = None
    unsure = classifier.classify_image(unsure_picture())
    classifier.card = replace(classifier.card, least_familiarity=99.0)
    strange = classifier.classify_image(unsure_picture())

    assert (grouped.known, grouped.shown.level, grouped.shown.label) == (True, "group", "even digit")
    assert (unsure.known, unsure.unfamiliar, unsure.shown.level) == (False, False, "none")
    assert (strange.known, strange.unfamiliar, strange.shown.level) == (False, True, "none")
    assert (blank.known, blank.unfamiliar, blank.shown.level) == (False, False, "none")


def test_the_setting_says_from_which_probability_on_a_name_is_displayed(tmp_path: Path) -> None:
    path = str(grouped_model(tmp_path))
    usual, strict = (open_classifier(ModelSettings(name=path, threads=1, likely=likely)) for likely in (0.5, 0.75))
    pictures = np.random.default_rng(0).integers(0, 256, (200, 28, 28, 3)).astype(np.uint8)
    answers = [(usual.classify_image(each), strict.classify_image(each)) for each in pictures]
    between = [(loose, sure) for loose, sure in answers if loose.shown.level == "label" and loose.shown.p < 0.75]

    assert between, "some of so many are unsure"
    assert all(sure.shown.level in ("group", "none") for _, sure in between)
    assert all(sure.shown.p >= 0.75 for _, sure in answers if sure.shown.level != "none")
    assert strict.clone(1).classify_image(pictures[0]).model.likely == 0.75


def test_a_file_of_a_later_score_is_refused(tmp_path: Path) -> None:
    bundle.write(tmp_path / "a.tflite", FLATBUFFER, replace(CARD, score=3), ["a"], [])

    with pytest.raises(ModelError, match="score 3"):
        bundle.read(tmp_path / "a.tflite")


def test_a_probability_of_zero_gives_a_number() -> None:
    assert np.isfinite(familiarity(np.array([1, 0, 0], np.float32)))


def test_what_a_file_says_of_the_threshold_is_read_back(tmp_path: Path) -> None:
    bundle.write(
        tmp_path / "a.tflite", FLATBUFFER, replace(CARD, least_familiarity=1.25, familiarity_temperature=0.6), ["a"], []
    )
    found = bundle.read(tmp_path / "a.tflite")

    assert found is not None
    assert (found.card.least_familiarity, found.card.familiarity_temperature) == (1.25, 0.6)


@pytest.mark.parametrize("value", ["much", [1], True, float("nan")])
def test_a_threshold_that_is_no_number_is_refused(tmp_path: Path, value: object) -> None:
    path = tmp_path / "a.tflite"
    bundle.write(path, FLATBUFFER, CARD, ["a"], [])
    raw = json.loads(zipfile.ZipFile(path).read("vitcam.json")) | {"least_familiarity": value}
    path.write_bytes(FLATBUFFER)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("vitcam.json", json.dumps(raw))

    with pytest.raises(ModelError, match="'least_familiarity'"):
        bundle.read(path)


def test_familiarity_is_a_share_and_a_half_is_the_threshold() -> None:
    assert logistic(0.0) == 0.5
    assert [round(logistic(nats), 4) for nats in (-2.0, 2.0)] == [0.1192, 0.8808]
    assert (logistic(-1e6), logistic(1e6)) == (0.0, 1.0)


def test_a_prediction_says_how_familiar_and_which_part_of_which_picture_it_is_about() -> None:
    classifier = Classifier("everyday", threads=1)
    photo = np.random.default_rng(0).integers(0, 256, (90, 160, 3), np.uint8)
    whole = classifier.classify_image(photo)
    chosen = classifier(replace(frame_of_picture(photo, classifier.input, "test"), crop=Rect(5, 6, 40, 40)))

    assert whole.familiarity is not None
    assert whole.known == (whole.familiarity >= 0.5)
    assert (whole.size, whole.crop) == ((160, 90), Rect(35, 0, 90, 90))
    assert (chosen.size, chosen.crop) == ((160, 90), Rect(5, 6, 40, 40))


def test_a_file_without_a_threshold_of_familiarity_knows_by_probability_alone() -> None:
    classifier = Classifier("mnist", threads=1)
    classifier.card = replace(classifier.card, least_familiarity=None, threshold=1.0)
    found = classifier.classify_image(np.random.default_rng(0).integers(0, 256, (28, 28, 3), np.uint8))

    assert (found.familiarity, found.known) == (None, False)
    assert found.certainty == found.top[0].p
