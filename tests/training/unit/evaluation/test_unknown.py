import numpy as np
import pytest

from vitcam_training.evaluation.answers import Answers
from vitcam_training.evaluation.unknown import apart, auroc, disjoint


def answers(labels: int, each: int, certainty: float, seed: int) -> Answers:
    """Photos of all labels, about as certain as told; those of label 0 much less so."""
    rng = np.random.default_rng(seed)
    shown = np.repeat(np.arange(labels), each)
    sure = certainty + rng.normal(size=len(shown)) - 100 * (shown == 0)
    none = np.zeros((len(shown), 0), np.float32)
    return Answers(shown, np.eye(labels, dtype=np.float32)[shown], none, certainty=sure)


def test_a_perfect_score_rejects_all_that_is_strange_and_one_known_photo_in_twenty() -> None:
    known = answers(21, 200, 50.0, 1)
    mixed = Answers(
        known.labels[200:], known.probabilities[200:], known.attention[200:], certainty=known.certainty[200:]
    )
    found = disjoint(mixed, mixed, np.random.default_rng(2).normal(size=500), range(3))

    assert found["rejected"] == 1.0
    assert found["false_rejection"] == pytest.approx(0.05, abs=0.02)


def test_the_threshold_comes_from_other_labels_than_it_is_measured_on() -> None:
    calibration, held_out = answers(2, 50, 0.0, 1), answers(2, 50, 0.0, 2)
    found = disjoint(calibration, held_out, np.full(10, -50.0), [0, 0])

    # one label lies 100 below the other: whichever chooses, the other is rejected whole, or not at all
    assert found["false_rejection"] in (0.0, 1.0)
    assert found["rejected"] == found["false_rejection"]


def test_what_tells_known_from_unknown_has_intervals_that_hold_it_and_narrow_with_more_photos() -> None:
    rng = np.random.default_rng(4)
    few, many = (apart(rng.normal(2, 1, n), rng.normal(0, 1, n)) for n in (60, 1000))

    assert many["auroc"] == pytest.approx(0.921, abs=0.02), "Φ(2 / √2)"
    assert many["rejected_at_5"] == pytest.approx(0.639, abs=0.07), "Φ(2 - 1.645)"
    for name in ("auroc", "rejected_at_5"):
        assert all(each[f"{name}_low"] < each[name] < each[f"{name}_high"] for each in (few, many))
        assert many[f"{name}_high"] - many[f"{name}_low"] < 0.5 * (few[f"{name}_high"] - few[f"{name}_low"])


def test_a_blank_picture_that_should_be_known_is_counted_as_rejected() -> None:
    known = np.concatenate([[-np.inf], np.linspace(1, 2, 19)])

    assert apart(known, np.array([0.0, 3.0]))["rejected_at_5"] == 0.5


def test_the_spread_is_that_of_the_seeds() -> None:
    calibration, held_out = answers(8, 50, 0.0, 1), answers(8, 50, 0.0, 2)
    unknown = np.random.default_rng(3).normal(-2, 1, 200)
    single = [disjoint(calibration, held_out, unknown, [seed, seed])["rejected"] for seed in range(3)]
    found = disjoint(calibration, held_out, unknown, range(3))

    assert found["rejected"] == pytest.approx(np.mean(single))
    assert found["rejected_sd"] == pytest.approx(np.std(single, ddof=1))


@pytest.mark.parametrize(
    ("known", "unknown", "expected"),
    [([2, 3], [0, 1], 1.0), ([0, 1], [2, 3], 0.0), ([1, 1], [1, 1], 0.5), ([1, 3], [2], 0.5)],
)
def test_the_area_is_the_chance_of_ranking_a_pair_rightly(
    known: list[float], unknown: list[float], expected: float
) -> None:
    assert auroc(np.array(known, float), np.array(unknown, float)) == expected
