"""The HTTP headers of a picture."""

import time
from urllib.parse import unquote

import pytest

from tests import frames
from vitcam.web.stream.picture import Picture, header_text


@pytest.mark.parametrize(
    "label", ["cup\r\nSet-Cookie: a=b", "tasse à café", "猫", "50 % off", "a\0b", "coffee mug, red"]
)
def test_no_label_can_break_out_of_its_header(label: str) -> None:
    text = header_text(label)

    assert text.isascii()
    assert text.isprintable()
    assert unquote(text) == label


def test_plain_labels_stay_readable_in_their_header() -> None:
    assert header_text("coffee mug (red), large") == "coffee mug (red), large"


def test_headers_say_when_the_frame_was_captured_and_what_is_on_it() -> None:
    now_ns = time.monotonic_ns()
    headers = Picture(b"", now_ns, frames.prediction("cat", at_ns=now_ns, seq=7)).headers()

    assert float(headers["X-Timestamp"]) == pytest.approx(time.time(), abs=1)
    assert headers["X-Vitcam-Seq"] == "7"
    assert headers["X-Vitcam-Label"] == "cat"
    assert headers["X-Vitcam-P"] == "0.900000"
    assert headers["X-Vitcam-Infer-Ms"] == "5.000"


def test_a_placeholder_has_a_time_and_no_headers_of_a_frame() -> None:
    assert set(Picture(b"").headers()) == {"X-Timestamp"}
