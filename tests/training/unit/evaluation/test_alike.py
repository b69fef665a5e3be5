import numpy as np
import pytest

from vitcam.model.groups import Groups
from vitcam_training.evaluation.alike import alike, best_alike, probability
from vitcam_training.evaluation.answers import Answers, calibration, displayed
from vitcam_training.evaluation.calibration import fit_temperature
from vitcam_training.evaluation.displayed import names

PUG, BEAGLE, CUP = range(3)
DOGS = frozenset({PUG, BEAGLE})


def dogs_and_cups(n: int = 1000) -> Answers:
    """A model that is right about dogs and cups as often as it says. It cannot tell breeds, and no photo names one."""
    rng = np.random.default_rng(0)
    shown = rng.choice([BEAGLE, CUP], n)
    p = rng.uniform(0.55, 0.95, n)  # of what it names
    right = rng.random(n) < p
    dog = (shown == BEAGLE) == right
    pug = rng.uniform(0.1, 0.9, n)  # of a dog's probability
    of_dog = np.where(dog, p, 1 - p)
    probabilities = np.stack([of_dog * pug, of_dog * (1 - pug), 1 - of_dog], axis=1).astype(np.float32)
    accepted = tuple(frozenset({PUG}) if label == BEAGLE else frozenset() for label in shown)
    groups = Groups({"dog": (PUG, BEAGLE)}, 3)
    return Answers(
        shown, probabilities, np.zeros((n, 0), np.float32), accepted=accepted, names=names(probabilities, groups)
    )


def test_labels_that_are_right_for_the_same_photos_are_alike_and_the_smallest_set_counts() -> None:
    same = alike([BEAGLE, CUP, PUG], (frozenset({PUG}), frozenset(), frozenset({BEAGLE, CUP})))

    assert same == {PUG: DOGS, BEAGLE: DOGS, CUP: frozenset({CUP})}


def test_the_probability_of_a_breed_is_that_of_all_breeds_where_photos_tell_no_breed() -> None:
    same = {PUG: DOGS, BEAGLE: DOGS}
    found = probability(np.array([[0.3, 0.5, 0.2]] * 3), [frozenset({BEAGLE}), DOGS, frozenset({BEAGLE, CUP})], same)

    assert found == pytest.approx([0.8, 0.8, 0.7])


def test_a_model_whose_words_are_as_likely_as_it_says_has_no_calibration_error_though_no_photo_tells_its_breeds() -> (
    None
):
    answers = dogs_and_cups()

    assert calibration(answers)["ece_debiased"] < 0.04
    assert displayed(answers)["displayed_ece"] < 0.04
    assert answers.right.mean() - answers.probabilities.max(-1).mean() > 0.1, "one breed's own would look too unsure"


def test_the_temperature_is_fitted_to_what_photos_tell() -> None:
    answers = dogs_and_cups(6000)

    assert fit_temperature(
        answers.probabilities, answers.right, best_alike(answers.probabilities, answers.same)
    ) == pytest.approx(1, abs=0.1)
    assert fit_temperature(answers.probabilities, answers.right) < 0.9
