"""Pictures from real files."""

import os
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from vitcam.errors import SourceError
from vitcam.frames import Frame, Unreadable
from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect
from vitcam.sources import SourceOptions, open_source

RED = (200, 10, 10)


def save(path: Path, height: int = 30, width: int = 40) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    assert cv2.imwrite(str(path), np.full((height, width, 3), RED[::-1], np.uint8))
    return path


class Reader:
    """Reads everything a URI gives, and remembers what was reported."""

    def __init__(self, **options: object) -> None:
        self.reported: list[Unreadable] = []
        self.options = replace(SourceOptions(on_unreadable=self.reported.append), **options)  # type: ignore[arg-type]

    def read(self, uri: str) -> list[Frame]:
        with open_source(uri, self.options) as source:
            return list(source)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """b/2.png, b/10.jpg, a.jpg and things that are no pictures; the current folder is above it."""
    monkeypatch.chdir(tmp_path)
    photos = tmp_path / "photos"
    for name in ("b/2.png", "b/10.jpg", "a.jpg", "c.WEBP"):
        save(photos / name)
    (photos / "notes.txt").write_text("no picture")
    save(photos / ".hidden.jpg")
    save(photos / ".thumbnails/x.jpg")
    return photos


def test_a_folder_gives_its_pictures_sorted_with_their_names_as_given(folder: Path) -> None:
    frames = Reader().read("photos/")

    assert [frame.path for frame in frames] == ["photos/a.jpg", "photos/b/10.jpg", "photos/b/2.png", "photos/c.WEBP"]
    assert [frame.seq for frame in frames] == [0, 1, 2, 3]
    assert all(frame.source == "photos/" and frame.preview.shape == (30, 40, 3) for frame in frames)
    assert np.abs(frames[0].preview[15, 20].astype(int) - RED).max() < 5


def test_a_glob_gives_what_it_matches_and_nothing_else(folder: Path) -> None:
    deep = [frame.path for frame in Reader().read("photos/**/*.??g")]

    assert [frame.path for frame in Reader().read("photos/*.jpg")] == ["photos/a.jpg"]
    assert deep == ["photos/a.jpg", "photos/b/10.jpg", "photos/b/2.png"]


def test_one_picture_is_one_frame_that_shows_what_the_model_sees(folder: Path) -> None:
    reader = Reader(input=InputSpec(224, 224))
    frames = reader.read("./photos/a.jpg")

    assert [frame.path for frame in frames] == ["./photos/a.jpg"]
    assert frames[0].crop == Rect(5, 0, 30, 30)
    assert frames[0].model_input is None
    assert frames[0].capture_ms > 0


@pytest.mark.fault(
    "a photo of a folder is damaged",
    injected="files cut short, empty, of garbage",
    observed="it is reported by its name; the others are classified",
)
def test_a_broken_file_is_reported_by_name_and_the_rest_goes_on(folder: Path) -> None:
    cut = (folder / "a.jpg").read_bytes()[:200]
    (folder / "b" / "broken.jpg").write_bytes(cut)
    (folder / "b" / "empty.png").touch()
    (folder / "b" / "text.jpg").write_text("I am a text")
    (folder / "b" / "dangling.jpg").symlink_to("nowhere")
    os.mkfifo(folder / "b" / "pipe.jpg")
    reader = Reader()
    frames = reader.read("photos")

    assert len(frames) == 4
    assert [frame.seq for frame in frames] == [0, 1, 2, 3]  # a gap would mean a lost frame
    assert {bad.path: bad.error for bad in reader.reported} == {
        "photos/b/broken.jpg": "not an image: truncated after 200 bytes",
        "photos/b/dangling.jpg": "cannot be read: No such file or directory",
        "photos/b/empty.png": "not an image: the file is empty",
        "photos/b/pipe.jpg": "not a file",
        "photos/b/text.jpg": "not an image: a text; JPEG, PNG, WebP and BMP can be read",
    }


def test_a_loop_over_broken_files_ends_and_logs_them_when_nobody_asked_to_hear_of_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "x.jpg").write_text("no")
    with open_source(str(tmp_path), SourceOptions(loop=True)) as source:
        assert list(source) == []

    assert caplog.text.count("x.jpg: not an image") == 1


@pytest.mark.parametrize("uri", ["photos/none*.jpg", "photos/empty", "photos/*.txt"])
def test_a_place_without_pictures_is_refused(folder: Path, uri: str) -> None:
    (folder / "empty").mkdir()

    with pytest.raises(SourceError, match=r"holds no image|no image matches") as refused:
        Reader().read(uri)
    assert refused.value.exit_code == 2


def test_links_are_followed_but_never_in_circles(folder: Path, tmp_path: Path) -> None:
    elsewhere = save(tmp_path / "elsewhere" / "z.jpg").parent
    (folder / "linked").symlink_to(elsewhere)
    (folder / "b" / "up").symlink_to(folder)
    (folder / "photo.jpg").symlink_to(folder / "a.jpg")
    paths = [frame.path for frame in Reader().read("photos")]

    assert "photos/linked/z.jpg" in paths
    assert "photos/photo.jpg" in paths
    assert len(paths) == 6


def test_a_loop_begins_again_and_goes_on_counting(folder: Path) -> None:
    seen = []
    with open_source("photos/b", SourceOptions(loop=True)) as source:
        for frame in source:
            seen.append((frame.path, frame.seq))
            if len(seen) == 5:
                source.stop()

    assert [seq for _, seq in seen] == [0, 1, 2, 3, 4]
    assert seen[0][0] == seen[2][0] == seen[4][0]


def test_a_folder_can_be_entered_again(folder: Path) -> None:
    source = open_source("photos")
    with source:
        first = len(list(source))
    save(folder / "new.jpg")
    with source:
        second = len(list(source))

    assert (first, second) == (4, 5)


def test_reading_broken_pictures_prints_nothing(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    png = bytearray((folder / "b" / "2.png").read_bytes())
    png[45] ^= 0xFF
    (folder / "b" / "bad.png").write_bytes(png)
    (folder / "b" / "bad.bmp").write_bytes(
        b"BM" + b"\x40\0\0\0" + bytes(8) + b"\x28" + bytes(3) + b"\x20\0\0\0" * 2 + bytes(60)
    )
    reader = Reader()
    reader.read("photos")

    assert len(reader.reported) == 2
    assert capfd.readouterr().err == ""
