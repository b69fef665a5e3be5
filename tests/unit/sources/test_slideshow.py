"""A folder that somebody watches: each photo for its time, paused and stepped through by viewers."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest

from vitcam.frames import Frame, Unreadable
from vitcam.sources.demo import CLIP
from vitcam.sources.images import Images
from vitcam.sources.playback import Playback
from vitcam.sources.source import SourceOptions
from vitcam.sources.video import Video

SHORT_S = 0.03
LONG_S = 3600.0


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    for name, width in (("a", 20), ("b", 30), ("c", 40)):
        assert cv2.imwrite(str(tmp_path / f"{name}.png"), np.zeros((10, width, 3), np.uint8))
    return tmp_path


def slideshow(folder: Path, every_s: float, **options: object) -> Images:
    wish = SourceOptions(realtime=True, every_s=every_s, playback=Playback())
    return Images(str(folder), str(folder), replace(wish, **options))  # type: ignore[arg-type]


def names(frames: Iterator[Frame] | list[Frame]) -> list[str]:
    """The photos in the order in which they were shown, each once."""
    shown: list[str] = []
    for frame in frames:
        name = Path(frame.path or "").stem
        if not shown or shown[-1] != name:
            shown.append(name)
    return shown


def until(frames: Iterator[Frame], name: str) -> Frame:
    return next(frame for frame in frames if Path(frame.path or "").stem == name)


def test_photos_follow_each_other_and_the_end_is_that_of_a_film(photos: Path) -> None:
    with slideshow(photos, SHORT_S, loop=False) as once, slideshow(photos, SHORT_S, loop=True) as endless:
        assert names(list(once)) == ["a", "b", "c"]
        assert names(list(islice(endless, 9)))[:4] == ["a", "b", "c", "a"]


def test_without_a_word_about_the_end_the_last_photo_stays(photos: Path) -> None:
    with slideshow(photos, SHORT_S) as source:
        frames = iter(source)
        until(frames, "c")

        assert names(list(islice(frames, 3))) == ["c"]


def test_a_photo_that_stays_is_delivered_again_as_newly_captured_with_the_same_number(photos: Path) -> None:
    with slideshow(photos, LONG_S) as source:
        first, second = islice(source, 2)

    assert second.seq == first.seq
    assert second.preview is first.preview
    assert second.captured_ns > first.captured_ns


def test_a_viewer_pauses_steps_on_steps_back_and_goes_on(photos: Path) -> None:
    playback = Playback()
    with slideshow(photos, LONG_S, playback=playback) as source:
        frames = iter(source)
        next(frames)
        playback.step(1)
        second = next(frames)
        playback.step(-1)
        first = next(frames)
        playback.step(-1)
        last = next(frames)

    assert names([second, first, last]) == ["b", "a", "c"]
    assert playback.position is None, "withdrawn at the end"


def test_while_paused_the_photo_stays_however_short_its_time(photos: Path) -> None:
    playback = Playback()
    with slideshow(photos, SHORT_S, playback=playback) as source:
        frames = iter(source)
        next(frames)
        playback.pause(True)
        paused = names(list(islice(frames, 2)))
        playback.pause(False)

        assert paused == ["a"]
        assert names([until(frames, "b")]) == ["b"]


def test_viewers_are_told_which_photo_of_how_many_is_shown(photos: Path) -> None:
    playback = Playback()
    with slideshow(photos, LONG_S, playback=playback) as source:
        frames = iter(source)
        next(frames)
        playback.step(1)
        next(frames)
        position = playback.position

    assert position is not None
    assert (position.index, position.count, position.can_step_back) == (1, 3, True)
    assert position.path == str(photos / "b.png")


def test_a_broken_photo_is_stepped_over_both_ways_and_reported_once(photos: Path) -> None:
    (photos / "b.png").write_bytes(b"no picture")
    reported: list[Unreadable] = []
    playback = Playback()
    with slideshow(photos, LONG_S, playback=playback, on_unreadable=reported.append) as source:
        frames = iter(source)
        shown = [next(frames)]
        for step in (1, -1):
            playback.step(step)
            shown.append(next(frames))

    assert names(shown) == ["a", "c", "a"]
    assert [Path(bad.path).name for bad in reported] == ["b.png"]


def test_a_folder_without_a_single_picture_ends_instead_of_spinning(photos: Path) -> None:
    for photo in photos.iterdir():
        photo.write_bytes(b"no picture")
    with slideshow(photos, SHORT_S, loop=True, on_unreadable=lambda _: None) as source:
        assert list(source) == []


def test_a_film_that_is_paused_stays_on_its_frame_and_steps_one_frame_on() -> None:
    playback = Playback()
    with Video("demo", str(CLIP), SourceOptions(playback=playback)) as film:
        frames = iter(film)
        next(frames)
        playback.pause(True)
        held = list(islice(frames, 2))
        playback.step(1)
        stepped = next(frames)
        still = next(frames)

    assert held[0].seq == held[1].seq
    assert stepped.seq == held[0].seq + 1
    assert still.seq == stepped.seq


def test_a_film_does_not_step_back_and_one_played_unpaced_is_not_paused() -> None:
    playback = Playback()
    with Video("demo", str(CLIP), SourceOptions(playback=playback)):
        assert not playback.step(-1)
    with Video("demo", str(CLIP), SourceOptions(realtime=False, playback=playback)):
        assert not playback.pause(True)
