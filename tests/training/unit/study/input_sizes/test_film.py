"""What is displayed of a film, where some frames get the full look only."""

from dataclasses import replace

import numpy as np

from tests.frames import SECOND, prediction
from vitcam.frames import Prediction
from vitcam_training.study.input_sizes.film import compared, fit_still, headlines, kept, shown_of, still


def run(label: str, p: float, first: int, count: int) -> list[Prediction]:
    return [
        replace(prediction(label, p), path=None, captured_ns=round((first + i) * SECOND / 10)) for i in range(count)
    ]


def test_the_full_look_is_kept_until_the_quick_one_moves() -> None:
    rows = np.array([[0.9, 0.1], [0.85, 0.15], [0.8, 0.2], [0.2, 0.8], [0.25, 0.75]])

    assert still(rows, 0.07).tolist() == [True, False, True, True, False]
    assert still(rows, 0.5).tolist() == [True, False, False, True, False]
    assert still(rows, 0.0).tolist() == [True] * 5


def test_a_frame_without_a_full_look_counts_as_what_the_last_one_said() -> None:
    film = [*run("cup", 0.9, 0, 30), *run("pagoda", 0.9, 30, 30)]
    first_of_each = np.array([i in (0, 30) for i in range(60)])

    assert kept(film, first_of_each) == headlines(film)
    assert "pagoda" in headlines(film)
    assert set(kept(film, np.array([i == 0 for i in range(60)]))) == {"cup"}


def test_smoothing_hides_a_quick_look_that_is_wrong_for_a_frame() -> None:
    film = run("cup", 0.9, 0, 40)
    quick = [*film[:20], *run("pagoda", 0.9, 20, 1), *film[21:]]
    none = np.zeros(40, bool)

    shown = shown_of(quick, film, none)
    told = compared(shown, headlines(film), none)

    assert (told.n, told.looked_full, told.displayed, told.same) == (40, 0, 40, 40)
    assert set(shown) == {"cup"}


def test_the_shift_that_is_fitted_keeps_the_headlines() -> None:
    film = [*run("cup", 0.9, 0, 30), *run("pagoda", 0.9, 30, 30)]
    rows = np.array([[0.9, 0.1]] * 30 + [[0.59, 0.41]] * 30)

    assert fit_still(rows, film) == 0.3
