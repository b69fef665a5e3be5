"""Rows that are fitted: at the one minimum of the loss, the same each time."""

from __future__ import annotations

import numpy as np
import pytest

from vitcam.parts.teach.logistic import Floats, Lesson, Rows, fit_rows, minimum


def lesson_of(count: int = 3, photos: int = 60, base: bool = False, seed: int = 0) -> Lesson:
    rng = np.random.default_rng(seed)
    right = np.arange(photos) % (count + base) - base
    middles = rng.normal(size=(count + 1, 8))
    x = middles[right] + rng.normal(size=(photos, 8)) * np.linspace(0.5, 20, 8)
    return Lesson(x, right, rng.uniform(0.5, 2, photos), rng.normal(3, 1, photos) if base else None)


def loss_at(lesson: Lesson, rows: Rows, strength: float) -> float:
    """Written down once more, as slowly as it is defined."""
    deviation = np.sqrt(np.average((lesson.x - np.average(lesson.x, 0, lesson.weights)) ** 2, 0, lesson.weights))
    total = 0.5 * strength * float(((rows.weight * deviation) ** 2).sum())
    for i, logits in enumerate(rows.logits(lesson.x)):
        every = logits if lesson.base is None else np.append(logits, lesson.base[i])
        wanted = every[lesson.right[i]]  # -1: the last one, that of the base
        total += lesson.weights[i] * (np.log(np.exp(every).sum()) - wanted)
    return total


@pytest.mark.parametrize("base", [False, True])
@pytest.mark.parametrize("strength", [10.0, 1.0])
def test_no_rows_near_the_fitted_ones_are_better(base: bool, strength: float) -> None:
    lesson = lesson_of(base=base)
    (rows,) = fit_rows(lesson, 3, (strength,))
    least = loss_at(lesson, rows, strength)
    rng = np.random.default_rng(1)

    for _ in range(50):
        other = Rows(
            rows.weight + rng.normal(0, 0.02, rows.weight.shape), rows.bias + rng.normal(0, 0.02, rows.bias.shape)
        )
        assert loss_at(lesson, other, strength) > least * (1 - 1e-4)


def test_a_strength_that_follows_another_gives_the_rows_that_it_gives_alone() -> None:
    lesson = lesson_of()
    _, after = fit_rows(lesson, 3, (100.0, 1.0))
    (alone,) = fit_rows(lesson, 3, (1.0,))

    assert loss_at(lesson, after, 1.0) == pytest.approx(loss_at(lesson, alone, 1.0), rel=1e-3)


def test_features_on_other_scales_give_the_same_answers() -> None:
    lesson, scale = lesson_of(), np.geomspace(1e-3, 1e3, 8)
    (rows,) = fit_rows(lesson, 3, (3.0,))
    (scaled,) = fit_rows(Lesson(lesson.x * scale + 5, lesson.right, lesson.weights), 3, (3.0,))

    np.testing.assert_allclose(scaled.logits(lesson.x * scale + 5), rows.logits(lesson.x), atol=0.05)


def test_the_same_photos_give_the_same_rows() -> None:
    one, other = (fit_rows(lesson_of(), 3, (3.0,))[0] for _ in range(2))

    np.testing.assert_array_equal(one.weight, other.weight)


def test_fewer_photos_than_features_and_a_feature_that_never_changes_are_learned_from() -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=(6, 40)), np.ones((6, 1))], axis=1)
    right = np.arange(6) % 2
    (rows,) = fit_rows(Lesson(x, right, np.ones(6)), 2, (1.0,))

    assert (rows.logits(x).argmax(1) == right).all()
    assert np.isfinite(rows.weight).all()


def test_the_search_finds_the_bottom_of_a_long_valley() -> None:
    curve = np.geomspace(1, 300, 12)

    def valley(at: Floats) -> tuple[float, Floats]:
        return 1 + float(curve @ (at - 3) ** 2), 2 * curve * (at - 3)

    found = minimum(valley, np.zeros(12), np.full(12, 1e-3))

    assert valley(found)[0] == pytest.approx(1, abs=0.05)
