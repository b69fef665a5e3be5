"""Letters in pictures: every sign somehow, nothing outside, nothing wider than it says."""

import numpy as np
import pytest

from vitcam.frames import Image
from vitcam.pictures import font

BLACK = (0, 0, 0)


def paper() -> Image:
    return np.full((60, 400, 3), 255, np.uint8)


def inked(image: Image) -> tuple[int, int]:
    """The first and the last column that is not white."""
    columns = np.flatnonzero((image < 250).any(axis=(0, 2)))
    return int(columns[0]), int(columns[-1])


@pytest.mark.parametrize("weight", ["regular", "bold"])
def test_a_text_is_as_wide_as_it_was_said_to_be(weight: font.Weight) -> None:
    image = paper()
    font.draw_text(image, "HIH", (20, 40), 32, BLACK, weight)
    left, right = inked(image)

    assert 20 <= left <= 24
    assert right - 20 == pytest.approx(font.text_width("HIH", 32, weight), abs=4)


def test_signs_beyond_ascii_have_outlines_of_their_own() -> None:
    drawn = []
    for sign in "×·√²é–…жΩ?":
        image = paper()
        font.draw_text(image, sign, (20, 40), 32, BLACK)
        drawn.append(image.tobytes())

    assert len(set(drawn)) == len(drawn)


def test_a_sign_that_the_font_lacks_becomes_its_plain_form_or_a_question_mark() -> None:
    assert font.text_width("ﬁ猫", 10) == font.text_width("fi?", 10)
    assert font.text_width("e\u0301", 10) == font.text_width("é", 10), "composed before it is looked up"


@pytest.mark.parametrize("at", [(-500, 20), (-30, 5), (390, 70), (900, 20), (10, -50), (10, 900)])
def test_what_lies_outside_of_the_picture_is_cut_off(at: tuple[float, float]) -> None:
    image = paper()
    font.draw_text(image, "over the edge", at, 32, BLACK)

    assert image.shape == (60, 400, 3)


def test_a_text_too_long_is_cut_with_an_ellipsis_within_the_room() -> None:
    cut = font.shorten("a label that nobody would write", 120, 20)

    assert cut.endswith("…")
    assert font.text_width(cut, 20) <= 120
    assert font.shorten("short", 120, 20) == "short"


def test_lines_are_broken_between_words_and_hold_all_of_them() -> None:
    words = "the model sees what is in the frame and nothing else"
    lines = font.wrap(words, 150, 20)

    assert " ".join(lines) == words
    assert len(lines) > 2
    assert all(font.text_width(line, 20) <= 150 for line in lines)


def test_a_word_longer_than_a_line_is_broken_and_nothing_of_it_is_lost() -> None:
    path = "/" + "very/" * 30 + "deep"
    lines = font.wrap(f"see {path} now", 150, 20)

    assert "".join(lines).replace(" ", "") == f"see{path}now"
    assert all(font.text_width(line, 20) <= 150 for line in lines)
