"""The page of another mean and deviation says what was found, and what was lost."""

from vitcam_training.study.mistakes.pixels import PixelsResult, pixels_page, table

RIGHT = PixelsResult("right", 500, 0.82, (0.784, 0.851), 0.776, 1.0)
WRONG = PixelsResult("wrong", 500, 0.512, (0.468, 0.556), 0.564, 0.55)


def test_a_line_has_the_share_that_is_right_its_interval_and_how_many_labels_are_others() -> None:
    lines = table([RIGHT, WRONG]).splitlines()

    assert lines[2] == "| right | 82.0% (78.4% to 85.1%) of 500 | 0.776 | 100.0% |"
    assert lines[3] == "| wrong | 51.2% (46.8% to 55.6%) of 500 | 0.564 | 55.0% |"


def test_the_text_says_how_many_points_are_lost_by_the_figures() -> None:
    text = "\n".join(pixels_page("command", "conditions", "photos", [RIGHT, WRONG]))

    assert "30.8 points fewer" in text
    assert "45 % of them" in text
