"""What the parts of a run need of the settings."""

import logging
from pathlib import Path

import pytest

from vitcam.config.load import merge_layers
from vitcam.config.settings import Settings
from vitcam.daemon.part_options import follow_of, follower_of, gate_of
from vitcam.look.areas import NO_AREAS
from vitcam.sources.active_crop import ActiveCrop


@pytest.mark.parametrize(
    ("source", "rests", "rests_if_told"),
    [
        ("", True, True),
        ("picamera", True, True),
        ("/dev/video0", True, True),
        ("http://camera/stream", True, True),
        ("rtsps://camera/1", True, True),
        ("-", False, True),
        ("demo", False, False),
        ("film.mp4", False, False),
        ("images:photos", False, False),
    ],
)
def test_cameras_rest_pipes_where_they_are_told_to_and_films_never(
    source: str, rests: bool, rests_if_told: bool
) -> None:
    found = [read(f"camera.source={source}", *told) for told in ((), ("look.rest=2",), ("look.rest=0",))]

    assert [gate_of(settings) is not None for settings in found] == [rests, rests_if_told, False]


@pytest.mark.parametrize(
    ("source", "follow"),
    [("", "motion"), ("rtsp://camera/1", "motion"), ("-", "off"), ("demo", "off"), ("a.mp4", "off")],
)
def test_what_moves_before_cameras_is_followed_and_elsewhere_where_that_is_set(source: str, follow: str) -> None:
    found = [read(f"camera.source={source}", *told) for told in ((), ("look.follow=motion",), ("look.follow=off",))]

    assert [follow_of(settings) for settings in found] == [follow, "motion", "off"]


def test_a_start_says_that_what_moves_is_followed_and_how_it_is_not(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    for told in ((), ("look.follow=off",)):
        follower_of(read("camera.source=picamera", *told), None, ActiveCrop(), NO_AREAS)

    assert [each.message for each in caplog.records if 'look.follow = "off"' in each.message] == caplog.messages
    assert len(caplog.messages) == 1


def read(*sets: str) -> Settings:
    return merge_layers(None, sets, {}, {}, Path("/nonexistent")).settings
