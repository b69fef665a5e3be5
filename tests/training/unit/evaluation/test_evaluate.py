from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vitcam.errors import UsageError
from vitcam.model.files import find_model
from vitcam_training.data.dataset import NOTHING, Dataset, Sample
from vitcam_training.evaluation.answers import Answers, comparison, figures
from vitcam_training.evaluation.evaluate import measure_headline
from vitcam_training.evaluation.model_file import right_in, unknown_labels


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


def test_a_label_that_the_model_lacks_is_refused_only_where_nothing_else_is_right_for_a_photo() -> None:
    labels = ("dog", "pug", "garlic")
    pug = Sample(Path("a.jpg"), 0, accepted=frozenset({1}))
    fits = Dataset("photos", labels, {"heldout": (pug,), "blank": (Sample(Path("b.jpg"), NOTHING),)})
    more = replace(fits, parts={"heldout": (pug, Sample(Path("c.jpg"), 2))})

    assert unknown_labels(fits, ["cat", "pug"]) == []
    assert unknown_labels(more, ["cat", "pug"]) == ["garlic"]


def test_right_labels_are_placed_as_the_model_counts_them() -> None:
    samples = Sample(Path("a.jpg"), 0, accepted=frozenset({1})), Sample(Path("b.jpg"), 1, also=frozenset({2}))
    dataset = Dataset("photos", ("dog", "pug", "person"), {"heldout": samples})
    found, accepted, also = right_in(samples, dataset, {"person": 0, "cat": 1, "pug": 2})

    assert found.tolist() == [2, 2]
    assert accepted == (frozenset({2}), frozenset())
    assert also == (frozenset(), frozenset({0}))


def test_photos_that_show_none_of_the_labels_give_no_figure_that_stands_for_a_model() -> None:
    with pytest.raises(UsageError, match="blank shows none of the labels, so nothing there can be right"):
        measure_headline(find_model("mnist"), "blank")
