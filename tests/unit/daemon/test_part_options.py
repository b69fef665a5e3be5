"""What the parts of a run need of the settings."""

from pathlib import Path

import pytest

from vitcam.config.load import merge_layers
from vitcam.config.settings import Settings
from vitcam.daemon.part_options import gate_of


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


def read(*sets: str) -> Settings:
    return merge_layers(None, sets, {}, {}, Path("/nonexistent")).settings
