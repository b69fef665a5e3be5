import numpy as np
import pytest

from vitcam_training.evaluation.answers import Answers, comparison, figures


def answers(probabilities: list[list[float]], labels: list[int], attention: list[list[float]] | None = None) -> Answers:
    looked = np.ones((len(labels), 4)) if attention is None else np.array(attention)
    return Answers(np.array(labels), np.array(probabilities, np.float32), looked.astype(np.float32))


def test_top1_and_top5_count_what_their_names_say() -> None:
    ranked = [0.3, 0.2, 0.15, 0.12, 0.1, 0.08, 0.05]
    found = figures(answers([ranked] * 4, [0, 0, 4, 5]))

    assert (found["n"], found["top1"], found["top5"]) == (4, 0.5, 0.75)


def test_agreement_and_cosine_compare_photo_by_photo() -> None:
    first = answers([[0.9, 0.1], [0.2, 0.8]], [0, 0], [[1, 0, 0, 0], [1, 1, 0, 0]])
    second = answers([[0.6, 0.4], [0.7, 0.3]], [0, 0], [[2, 0, 0, 0], [1, 0, 0, 0]])
    found = comparison(first, second)

    assert found["agreement"] == 0.5
    assert found["float_top1"] == 1.0
    assert found["attention_cosine_mean"] == pytest.approx((1 + np.sqrt(0.5)) / 2)
    assert found["attention_cosine_min"] == pytest.approx(np.sqrt(0.5))
