import numpy as np
import pytest

from vitcam.interval import wilson
from vitcam_training.cli.tables import evaluation_table
from vitcam_training.evaluation.scores import by_label, in_detail

NAMES = ("cup", "pen", "pin", "pot")


@pytest.mark.parametrize(
    ("right", "n", "expected"),  # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I
    [(81, 263, (0.2553, 0.3662)), (15, 148, (0.0624, 0.1605)), (0, 20, (0.0, 0.1611)), (1, 29, (0.0061, 0.1718))],
)
def test_the_interval_of_a_share_is_the_one_of_the_textbook(right: int, n: int, expected: tuple[float, float]) -> None:
    assert wilson(right, n) == pytest.approx(expected, abs=5e-5)


def test_each_label_that_is_shown_gets_precision_recall_and_its_worst_confusion() -> None:
    shown = np.array([0, 0, 0, 0, 1, 1, 2])
    answered = np.array([0, 1, 1, 3, 1, 1, 0])
    cup, pen, pin = by_label(shown, answered, NAMES)

    assert (cup.label, cup.n, cup.precision, cup.recall) == ("cup", 4, 0.5, 0.25)
    assert (cup.confused_with, cup.confused) == ("pen", 2)
    assert (pen.precision, pen.recall, pen.confused_with, pen.confused) == (0.5, 1.0, None, 0)
    assert (pin.precision, pin.recall, pin.confused_with) == (None, 0.0, "cup")
    assert (pen.recall_low, pen.recall_high) == wilson(2, 2)


def test_the_mean_over_classes_counts_a_rare_label_as_much_as_a_common_one() -> None:
    shown, answered = np.array([0] * 9 + [1]), np.array([0] * 9 + [0])
    found = in_detail(shown, answered, np.array([True] * 8 + [False] * 2), NAMES)

    assert found["mean_over_classes"] == 0.5
    assert found["known"] == 0.8
    assert (found["top1_low"], found["top1_high"]) == wilson(9, 10)
    assert [each["label"] for each in found["classes"]] == ["cup", "pen"]


def test_the_table_says_what_was_measured_and_begins_with_the_worst_label() -> None:
    shown, answered = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    found = {
        "model": "things", "data": "kitchen", "split": "all", "n": 4, "top1": 0.75, "top5": 1.0, "ece": 0.1,
        "float_top1": None, "skipped": 2, **in_detail(shown, answered, np.ones(4, bool), NAMES),
    }  # fmt: skip
    lines = evaluation_table(found).splitlines()
    labels = [line.split()[0] for line in lines if line.strip().startswith(("cup", "pen"))]

    assert labels == ["pen", "cup"]
    assert any("4 of kitchen, part all, 2 more cannot be read" in line for line in lines)
    assert any("75.00%  (95 % interval 30.06% to 95.44%)" in line for line in lines)
    assert any("cup (1)" in line for line in lines)
    assert "float" not in "\n".join(lines)
