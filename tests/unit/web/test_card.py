"""The card that is shown when there is no picture."""

import cv2
import numpy as np
import pytest

from vitcam.web.card import ascii_only, draw_card, wrap

LONG = "the camera gave no picture for 5 s; is its cable loose? vitcam tries again every 2 s " * 9


@pytest.mark.parametrize("width", [160, 320, 640, 960, 1280, 1920])
def test_a_card_has_the_width_asked_for_and_is_16_to_9(width: int) -> None:
    card = draw_card("No picture", "the cable is loose", width)

    assert card.shape == (round(width * 9 / 16), width, 3)
    assert card.dtype == np.uint8


@pytest.mark.parametrize("width", [160, 960])
@pytest.mark.parametrize("reason", [LONG, "x" * 400, ""])
def test_no_reason_is_so_long_that_it_touches_the_border(width: int, reason: str) -> None:
    card = draw_card("No picture", reason, width)
    border = max(2, width // 40)
    background = card[0, 0]

    for side in (card[:border], card[-border:], card[:, :border], card[:, -border:]):
        assert (side == background).all()


def test_two_reasons_make_two_different_cards() -> None:
    assert (draw_card("No picture", "no cable", 640) != draw_card("No picture", "no camera", 640)).any()


def test_text_is_bright_enough_to_be_read_on_its_ground() -> None:
    card = draw_card("No picture", "the cable is loose", 960)

    assert int(card.max()) - int(card[0, 0].max()) > 150


def test_wrapping_keeps_every_word_and_no_line_is_too_wide() -> None:
    lines = wrap(LONG, 400, 0.9)

    assert " ".join(lines) == LONG.strip()
    assert all(cv2.getTextSize(line, cv2.FONT_HERSHEY_SIMPLEX, 0.9, 1)[0][0] <= 400 for line in lines)


def test_a_word_wider_than_the_card_is_broken_and_not_lost() -> None:
    lines = wrap("see /" + "very/" * 30 + "deep now", 300, 0.9)

    assert "".join(lines).replace(" ", "") == "see/" + "very/" * 30 + "deepnow"
    assert all(cv2.getTextSize(line, cv2.FONT_HERSHEY_SIMPLEX, 0.9, 1)[0][0] <= 300 for line in lines)


@pytest.mark.parametrize(
    ("text", "plain"),
    [("224×224 px – café", "224x224 px - cafe"), ("“cup” …", '"cup" ...'), ("猫", "?"), ("a\n\tb", "a b")],
)
def test_signs_that_opencv_cannot_write_become_their_nearest(text: str, plain: str) -> None:
    assert ascii_only(text) == plain
