"""Pictures on their way out when masks are drawn: they are waited for, and what has them is told."""

import threading

import pytest

from tests.eventually import eventually
from vitcam.errors import VitcamError
from vitcam.run.underway import Underway


def test_masks_wait_for_what_is_underway_and_for_nothing_that_began_after_them() -> None:
    underway = Underway("a picture is still being sent")
    before = underway.begin()
    drawn = threading.Thread(target=underway.drop_pixels)
    drawn.start()
    assert eventually(lambda: before.expired)
    after = underway.begin()
    waited = drawn.is_alive()
    before.end()
    drawn.join(10)

    assert waited
    assert not drawn.is_alive()
    assert not after.expired


def test_what_does_not_end_is_said_in_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vitcam.run.underway._ENDS_S", 0.05)
    underway = Underway("a picture is still being sent")
    with underway.begin() as way, pytest.raises(VitcamError, match="a picture is still being sent"):
        underway.drop_pixels()

    underway.drop_pixels()
    assert way.expired
