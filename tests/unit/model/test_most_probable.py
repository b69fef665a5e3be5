"""Which labels are the most probable ones."""

import numpy as np
import pytest

from vitcam.model.labels import most_probable


@pytest.mark.parametrize("labels", [1, 2, 5, 6, 7, 1000])
def test_the_best_come_first_and_of_equals_the_first_label(labels: int) -> None:
    random = np.random.default_rng(labels)
    for levels in (2, 3, 10, 1 << 20):  # few levels: many labels share a place
        p = (random.integers(0, levels, labels) / levels).astype(np.float32)

        assert most_probable(p, 5) == sorted(range(labels), key=lambda each: (-p[each], each))[:5]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number_is_refused_wherever_it_stands(value: float) -> None:
    for place in range(0, 1000, 111):
        p = np.full(1000, 1e-3, np.float32)
        p[place] = value

        with pytest.raises(ValueError, match="not a number"):
            most_probable(p, 5)
