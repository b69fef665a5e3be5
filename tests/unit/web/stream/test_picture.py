"""The HTTP headers of a picture, and the placeholder that viewers see when there is none."""

from dataclasses import replace
from urllib.parse import unquote

import numpy as np
import pytest

from tests import frames
from vitcam.frames import Group, Image, Shown
from vitcam.web.stream.picture import Picture, Placeholder, draw_placeholder, header_text

LONG = "the camera gave no picture for 5 s; is its cable loose? vitcam tries again every 2 s " * 9


@pytest.mark.parametrize(
    "label", ["cup\r\nSet-Cookie: a=b", "tasse à café", "猫", "50 % off", "a\0b", "coffee mug, red"]
)
def test_no_label_can_break_out_of_its_header(label: str) -> None:
    text = header_text(label)

    assert text.isascii()
    assert text.isprintable()
    assert unquote(text) == label


def test_headers_name_what_the_look_itself_shows_whatever_lasts_beside_it() -> None:
    unsure = frames.prediction("tabby", 0.4)
    cat = replace(unsure, groups=(Group("cat", 0.9),), everyday={"cat": "Katze"})
    headline = Shown("pet", 0.97, "group")
    found = [Picture(b"", 1, replace(each, headline=headline)).headers() for each in (cat, unsure)]

    assert [each.get("X-Vitcam-Label") for each in found] == ["cat", None]
    assert [each.get("X-Vitcam-Kind") for each in found] == ["Katze", None]
    assert [each["X-Vitcam-P"] for each in found] == ["0.900000", "0.400000"]
    assert [each["X-Vitcam-Level"] for each in found] == ["group", "none"]


def test_a_placeholder_has_a_time_and_no_headers_of_a_frame() -> None:
    assert set(Picture(b"").headers()) == {"X-Timestamp"}


def drawn(reason: str, width: int) -> Image:
    return draw_placeholder(Placeholder("No picture", reason), width)


@pytest.mark.parametrize("width", [160, 320, 640, 960, 1280, 1920])
def test_a_placeholder_has_the_width_asked_for_and_is_16_to_9(width: int) -> None:
    image = drawn("the cable is loose", width)

    assert image.shape == (round(width * 9 / 16), width, 3)
    assert image.dtype == np.uint8


@pytest.mark.parametrize("width", [160, 960])
@pytest.mark.parametrize("reason", [LONG, "x" * 400, ""])
def test_no_reason_is_so_long_that_it_touches_the_border(width: int, reason: str) -> None:
    image = drawn(reason, width)
    border = max(2, width // 40)
    background = image[0, 0]

    for side in (image[:border], image[-border:], image[:, :border], image[:, -border:]):
        assert (side == background).all()


def test_a_long_sentence_ends_with_an_ellipsis_and_a_short_one_is_whole() -> None:
    def inked_rows(reason: str) -> int:
        return int((drawn(reason, 960).max(axis=2) > 120).any(axis=1).sum())

    assert inked_rows("no cable") < inked_rows(LONG[:60]) < inked_rows(LONG)
    assert (drawn(LONG, 960) == drawn(LONG + "and more words", 960)).all()
