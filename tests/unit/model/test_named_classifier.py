"""A classifier that calls labels and groups by other names. The model's own answers stay as they are."""

from pathlib import Path

import numpy as np
import pytest

from tests.grouped import grouped_model, unsure_picture
from tests.shapes import draw
from tests.worded import worded_model
from vitcam.model.classifier import Classifier
from vitcam.model.text.live_labels import LiveLabels
from vitcam.model.text.relabel import read_open_vocabulary
from vitcam.names.active import ActiveNames
from vitcam.names.wanted import WantedNames, own_names


def called(classifier: Classifier, language: str = "", **own: str) -> ActiveNames:
    names = ActiveNames(WantedNames(language, own_names(own)))
    classifier.call_by(names)
    return names


@pytest.fixture
def digits(tmp_path: Path) -> Classifier:
    return Classifier(grouped_model(tmp_path), threads=1, top_k=10)


def test_guesses_and_groups_have_the_new_names_and_the_same_probabilities(digits: Classifier) -> None:
    before = digits.classify_image(unsure_picture())
    called(digits, **{"2": "two", "even digit": "even"})
    after = digits.classify_image(unsure_picture())

    assert [guess.p for guess in after.top] == [guess.p for guess in before.top]
    assert (before.top[0].label, after.top[0].label) == ("2", "two")
    assert after.shown.label == "even"
    assert (after.known, after.familiarity, after.certainty) == (before.known, before.familiarity, before.certainty)


def test_merged_labels_are_one_guess_that_may_be_displayed(digits: Classifier) -> None:
    before = {guess.label: guess.p for guess in digits.classify_image(unsure_picture()).top}
    called(digits, **{"2": "Mia", "8": "Mia", "0": "Mia"})
    after = digits.classify_image(unsure_picture())

    assert len(after.top) == 8
    assert after.top[0].label == "Mia"
    assert after.top[0].p == pytest.approx(before["2"] + before["8"] + before["0"], abs=1e-6)
    assert sum(guess.p for guess in after.top) == pytest.approx(1, abs=1e-5)


def test_a_hidden_label_is_never_displayed_and_nobody_gets_its_probability(digits: Classifier) -> None:
    before = digits.classify_image(unsure_picture())
    called(digits, **{"2": ""})
    after = digits.classify_image(unsure_picture())

    assert [guess for guess in before.top if guess.label != "2"] == list(after.top)
    assert before.shown.label == "even digit"
    assert after.shown.label == "digit"
    assert after.shown.p == pytest.approx(1 - before.top[0].p, abs=1e-5)
    assert after.unfamiliar is before.unfamiliar


def test_names_change_between_two_pictures_for_every_thread(digits: Classifier) -> None:
    names = called(digits)
    other = digits.clone(threads=1)
    before = [each.classify_image(unsure_picture()).top[0].label for each in (digits, other)]
    names.replace(WantedNames("", own_names({"2": "Mia"})))
    after = [each.classify_image(unsure_picture()).top[0].label for each in (digits, other)]

    assert (before, after) == (["2", "2"], ["Mia", "Mia"])
    assert digits.displayed_labels[2] == "Mia"


def test_golden_images_are_checked_by_the_models_own_names(digits: Classifier) -> None:
    called(digits, **{str(digit): "" for digit in range(1, 10)})

    assert all(result.ok for result in digits.verify())


def test_labels_of_a_file_can_be_renamed(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("\n".join(f"Ziffer {digit}" for digit in range(10)))
    classifier = Classifier(grouped_model(tmp_path), threads=1, labels=tmp_path / "labels.txt")
    called(classifier, **{"ziffer 2": "Mia"})

    assert classifier.classify_image(unsure_picture()).top[0].label == "Mia"
    assert all(result.ok for result in classifier.verify())


def test_words_that_change_meanwhile_are_renamed_too(tmp_path: Path) -> None:
    model = worded_model(tmp_path)
    classifier, words = Classifier(model, threads=1), LiveLabels(read_open_vocabulary(model), model)
    cross = draw("red", "cross", np.random.default_rng(1))
    called(classifier, **{"a red thing": "Mia", "a cross": "Luna"})
    before = classifier.classify_image(cross)
    words.replace(["a cross", "a circle"])
    words.give_to(classifier)
    after = classifier.classify_image(cross)

    assert (before.top[0].label, after.top[0].label) == ("Mia", "Luna")
    assert words.labels == ("a cross", "a circle")


def test_a_hidden_word_is_still_known(tmp_path: Path) -> None:
    classifier = Classifier(worded_model(tmp_path), threads=1)
    cross = draw("red", "cross", np.random.default_rng(1))
    before = classifier.classify_image(cross)
    called(classifier, **{"a red thing": ""})
    after = classifier.classify_image(cross)

    assert after.certainty == pytest.approx(before.certainty, abs=1e-6)
    assert after.unfamiliar is before.unfamiliar is False
