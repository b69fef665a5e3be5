"""The card that is shown when there is no picture."""

import numpy as np
import pytest

from vitcam.web.stream.placeholder import draw_placeholder

LONG = "the camera gave no picture for 5 s; is its cable loose? vitcam tries again every 2 s " * 9


@pytest.mark.parametrize("width", [160, 320, 640, 960, 1280, 1920])
def test_a_card_has_the_width_asked_for_and_is_16_to_9(width: int) -> None:
    card = draw_placeholder("No picture", "the cable is loose", width)

    assert card.shape == (round(width * 9 / 16), width, 3)
    assert card.dtype == np.uint8


@pytest.mark.parametrize("width", [160, 960])
@pytest.mark.parametrize("reason", [LONG, "x" * 400, ""])
def test_no_reason_is_so_long_that_it_touches_the_border(width: int, reason: str) -> None:
    card = draw_placeholder("No picture", reason, width)
    border = max(2, width // 40)
    background = card[0, 0]

    for side in (card[:border], card[-border:], card[:, :border], card[:, -border:]):
        assert (side == background).all()


def test_two_reasons_make_two_different_cards() -> None:
    assert (draw_placeholder("No picture", "no cable", 640) != draw_placeholder("No picture", "no camera", 640)).any()


def test_text_is_bright_enough_to_be_read_on_its_ground() -> None:
    card = draw_placeholder("No picture", "the cable is loose", 960)

    assert int(card.max()) - int(card[0, 0].max()) > 150


def test_a_card_is_written_in_letters_that_know_more_than_ascii() -> None:
    plain = draw_placeholder("No picture", "the cafe of 3 x 4 m", 640)

    assert (draw_placeholder("No picture", "the café of 3 x 4 m", 640) != plain).any()
    assert (draw_placeholder("No picture", "the cafe of 3 × 4 m", 640) != plain).any()


def test_a_long_sentence_ends_with_an_ellipsis_and_a_short_one_is_whole() -> None:
    def inked_rows(reason: str) -> int:
        return int((draw_placeholder("No picture", reason, 960).max(axis=2) > 120).any(axis=1).sum())

    assert inked_rows("no cable") < inked_rows(LONG[:60]) < inked_rows(LONG)
    assert (
        draw_placeholder("No picture", LONG, 960) == draw_placeholder("No picture", LONG + "and more words", 960)
    ).all()
