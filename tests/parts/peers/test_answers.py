"""What another camera says is read with distrust."""

import struct
from typing import Any

import cv2
import numpy as np
import pytest

from vitcam.parts.peers.answers import (
    Caption,
    LastEvent,
    caption_of,
    check_still,
    last_event_of,
    read_object,
    sentence_of,
    status_of,
)
from vitcam.sentence import Sentence


def jpeg(height: int, width: int) -> bytes:
    return bytes(cv2.imencode(".jpg", np.zeros((height, width, 3), np.uint8))[1].tobytes())


def test_what_a_vitcam_says_is_taken_as_it_is() -> None:
    shown = {"label": "Katze", "p": 0.9, "level": "label"}
    event = {"kind": "seen", "label": "tabby", "shown": shown, "start": "2026-01-02T04:04:05.678+01:00", "end": None}

    assert status_of({"status": "no_signal", "reason": "the cable is loose"}) == ("no_signal", "the cable is loose")
    assert status_of({"status": "ok", "reason": "", "problem": "the camera was moved"}) == (
        "ok",
        "the camera was moved",
    )
    assert caption_of({"X-Vitcam-P": "0.930000", "X-Vitcam-Label": "caf%C3%A9"}) == Caption("café", 0.93)
    assert caption_of({"X-Vitcam-P": "0.9", "X-Vitcam-Label": "tabby", "X-Vitcam-Kind": "cat"}) == Caption("cat", 0.9)
    assert caption_of({"X-Vitcam-P": "0.2", "X-Vitcam-Zone": "door"}) == Caption(None, 0.2, "door")
    assert last_event_of({"events": [event]}) == LastEvent("Katze", "2026-01-02T03:04:05+00:00", None)
    assert last_event_of({"events": [event | {"corrected": "Mia"}]}) == LastEvent(
        "Mia", "2026-01-02T03:04:05+00:00", None
    )
    assert last_event_of({"events": []}) is None
    assert sentence_of(b'{"error": "it is busy"}') == "it is busy"
    check_still(jpeg(360, 640))


@pytest.mark.parametrize("status", [None, 5, "away", "fine", ["ok"], {}])
def test_a_status_that_no_vitcam_has_is_none(status: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        status_of({"status": status})


@pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 100_000, b"[1]", b"1" * 5000, b"\xff\xfe", b'{"a": '])
def test_what_is_no_object_is_refused_as_such(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_object(body)
    assert sentence_of(body) == ""


@pytest.mark.parametrize("p", [None, "", "nan", "inf", "-1", "2", "x", "1e999"])
def test_a_probability_that_cannot_be_one_is_no_caption(p: str | None) -> None:
    assert caption_of({} if p is None else {"X-Vitcam-P": p}) is None


@pytest.mark.parametrize(
    "event",
    [
        None, 5, [], {}, {"start": 5}, {"start": "today"}, {"start": "2026-01-02T04:04:05"}, {"start": "9" * 100},
        {"start": "0001-01-01T00:00:00+23:00"},
    ],
)  # fmt: skip
def test_an_event_without_a_time_is_none(event: Any) -> None:
    assert last_event_of({"events": [event]}) is None
    assert last_event_of({"events": event}) is None


def test_texts_are_cut_and_cannot_change_the_direction_of_writing() -> None:
    caption = caption_of({"X-Vitcam-P": "1", "X-Vitcam-Label": "%E2%80%AE<b>x</b>" + "y" * 500})

    assert caption is not None
    assert caption.label is not None
    assert caption.label.startswith("\\u202e<b>x</b>")
    assert len(caption.label) == 100
    assert len(status_of({"status": "ok", "reason": "y " * 500})[1]) == 300


def test_a_reason_keeps_its_key_where_the_camera_gives_one_that_can_be_read() -> None:
    said = {
        "text": "the disk is full",
        "key": "disk.full",
        "values": {"kb": 12, "name": "a" * 900, "key": "k", "text": "t"},
    }
    state = {"status": "degraded", "reason": "the disk is full"}
    status, reason = status_of({**state, "said": [{}, 3, said]})

    assert isinstance(reason, Sentence)
    assert (status, reason, reason.key, reason.values["kb"]) == ("degraded", "the disk is full", "disk.full", 12)
    assert len(str(reason.values["name"])) == 100
    bad_ones: tuple[Any, ...] = (
        None,
        {},
        [said | {"text": "another"}],
        [said | {"key": 3}],
        [said | {"values": {"kb": [1]}}],
    )
    for bad in bad_ones:
        assert not isinstance(status_of({**state, "said": bad})[1], Sentence)


def test_only_a_small_complete_jpeg_is_a_still() -> None:
    whole = jpeg(64, 64)
    at = whole.index(b"\xff\xc0")
    huge = whole[: at + 5] + struct.pack(">HH", 65_500, 65_500) + whole[at + 9 :]
    png = cv2.imencode(".png", np.zeros((8, 8, 3), np.uint8))[1].tobytes()
    for data in (b"", b"<html><script>", png, whole[:-40], huge, b"\xff\xd8\xff\xd9", b"\xff\xd8\xff" + b"\xff" * 5000):
        with pytest.raises(ValueError, match=r"."):
            check_still(data)
