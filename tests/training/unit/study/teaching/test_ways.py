"""The ways to learn that the study compares, on numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vitcam.model.bank import Bank
from vitcam_training.study.teaching.photos import Photos, drawn
from vitcam_training.study.teaching.ways import Base, by_scikit_learn, nearest_mean, nearest_photos, taught_alone

Way = Callable[..., NDArray[np.intp]]
EMBEDDING, WIDTH = 8, 24
MIDDLES = np.random.default_rng(7).normal(size=(3, WIDTH)) * 2


def clouds(photos: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    of = np.repeat(np.arange(3), photos)
    return MIDDLES[of] + 0.5 * np.random.default_rng(seed).normal(size=(len(of), WIDTH)), of


@pytest.mark.parametrize("way", [nearest_mean, nearest_photos, by_scikit_learn])
def test_each_way_tells_labels_apart(way: Way) -> None:
    (x, of), (asked, right) = clouds(10, 0), clouds(20, 1)

    assert (way(x, of, asked) == right).mean() > 0.95


def test_what_is_taught_in_the_study_is_what_vitcam_teaches() -> None:
    (read, of), (asked, right) = clouds(10, 0), clouds(20, 1)
    rng = np.random.default_rng(2)
    bank = Bank(
        rng.normal(size=(40, WIDTH)).astype(np.float16), np.zeros(40, np.int16), np.ones(40, np.float16),
        np.ones(40, np.float16),
    )  # fmt: skip
    names = np.array(["a", "b", "c"])[of]
    probabilities: NDArray[Any] = np.full((30, 2), 0.5, np.float32)
    photos = Photos(names, np.arange(30).astype(str), read.astype(np.float32), probabilities, np.zeros(30))
    taught = taught_alone(Base(("other",), bank, EMBEDDING), photos, ("a", "b", "c"))

    assert taught.head.taught.has_none
    assert (taught.logits(asked.astype(np.float32))[:, :-1].argmax(1) == right).mean() > 0.95


def test_a_draw_has_so_many_photos_of_each_label_and_asks_about_all_others() -> None:
    names = np.array(["a"] * 5 + ["b"] * 4 + ["c"] * 3)
    taught, asked = drawn(names, 2, ("a", "c"), seed=0)

    assert sorted(names[taught].tolist()) == ["a", "a", "c", "c"]
    assert sorted([*taught.tolist(), *asked.tolist()]) == [0, 1, 2, 3, 4, 9, 10, 11]
    np.testing.assert_array_equal(taught, drawn(names, 2, ("a", "c"), seed=0)[0])
