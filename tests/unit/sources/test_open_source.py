"""From a URI to a source."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.videos import encode_film
from vitcam.errors import SourceError, UsageError
from vitcam.pictures.encode import encode_jpeg
from vitcam.sources import OPENERS, SourceOptions, is_camera, open_source
from vitcam.sources.demo import DemoInRam
from vitcam.sources.images import Images
from vitcam.sources.network.camera import HttpCamera
from vitcam.sources.picamera.source import PiCamera
from vitcam.sources.rtsp.source import RtspCamera
from vitcam.sources.stdin import StandardInput
from vitcam.sources.v4l2 import V4l2Camera
from vitcam.sources.video import Video


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "photo.JPG").write_bytes(b"no matter what")
    (tmp_path / "no_suffix").write_bytes(b"\xff\xd8\xff\xe0 a photo")
    (tmp_path / "film").write_bytes(b"\0\0\0\x20ftypisom")
    return tmp_path


@pytest.mark.parametrize(
    ("uri", "kind", "live"),
    [
        ("picamera", PiCamera, True),
        ("picamera:1", PiCamera, True),
        ("v4l2:/dev/video7", V4l2Camera, True),
        ("/dev/video7", V4l2Camera, True),
        ("/dev/v4l/by-path/usb-1", V4l2Camera, True),
        ("/dev/null", V4l2Camera, True),
        ("rtsp://admin:secret@camera.local/1", RtspCamera, True),
        ("http://camera.local:8080/?action=stream", HttpCamera, True),
        ("https://camera.local/stream", HttpCamera, True),
        ("rtsps://camera.local/1", RtspCamera, True),
        ("RTSP://admin:secret@camera.local/1", RtspCamera, True),
        ("Https://camera.local/stream", HttpCamera, True),
        ("-", StandardInput, False),
        ("-:yuv420:1280x720", StandardInput, False),
        ("demo", Video, True),
        ("demo:ram", DemoInRam, True),
        ("film", Video, True),
        ("video:no_suffix", Video, True),
        ("photo.JPG", Images, False),
        ("no_suffix", Images, False),
        ("images:film", Images, False),
        ("folder", Images, False),
        ("folder/", Images, False),
        ("./folder/*.jpg", Images, False),
        ("**/photo[12].png", Images, False),
    ],
)
def test_every_uri_of_the_manual_finds_its_source(here: Path, uri: str, kind: type, live: bool) -> None:
    source = open_source(uri)

    assert isinstance(source, kind)
    assert source.live is live


@pytest.mark.parametrize("uri", ["rtps://camera/1", "ftp://x/y.mjpg", "--", "", "webcam", "gone.jpg", "a" * 5000, "\0"])
def test_an_unknown_source_is_refused_with_all_that_are_known(here: Path, uri: str) -> None:
    with pytest.raises(UsageError) as refused:
        open_source(uri)

    said = str(refused.value)
    assert "\n" not in said
    assert "File name too long" in said or all(
        name in said for name in ("picamera", "v4l2:", "rtsp", "http", "stdin", "demo", "folder", "glob")
    )


def test_a_file_named_like_a_camera_is_found_by_its_path(here: Path) -> None:
    (here / "demo").write_bytes(b"\xff\xd8\xff\xe0")

    assert isinstance(open_source("demo"), Video)
    assert isinstance(open_source("./demo"), Images)


@pytest.mark.parametrize(
    "name",
    [
        "2026-05-05T12:30:05.mp4",
        "demo:x.mp4",
        "rtsp:weird.mp4",
        "http:film.mkv",
        "v4l2:clip.mp4",
        "video:clip.mp4",
        "images:clip.mp4",
        "picamera:front.mp4",
        "-clip.mp4",
        "-:clip.mp4",
        "--no-web.mp4",
        "file:clip.mp4",
        "concat:a.mp4|b.mp4",
        "clip%03d.mp4",
        "a#b?c.mp4",
        "two words [1].mp4",
        "B\udcfccher.mp4",
    ],
)
def test_a_file_that_is_there_is_a_file_whatever_its_name(here: Path, name: str) -> None:
    film = encode_film(here / "made.mkv", [np.zeros((32, 32, 3), np.uint8)] * 2)
    film.rename(here / name)

    assert not is_camera(name)
    with open_source(name, SourceOptions(realtime=False)) as source:
        assert isinstance(source, Video)
        assert len(list(source)) == 2


@pytest.mark.parametrize("name", ["demo:x.mp4", "rtsp:weird.mp4", "picamera:front.mp4", "-:clip.mp4", "http:a.mkv"])
def test_what_looks_like_a_path_and_is_not_there_is_missed_as_a_file(here: Path, name: str) -> None:
    assert not is_camera(name)
    with pytest.raises(UsageError, match=f"there is no file, folder or camera '{name}'"):
        open_source(name)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("photo.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", Images),
        ("really_a_film.jpg", b"\0\0\0\x20ftypisom", Video),
        ("really_a_photo.mp4", b"\xff\xd8\xff\xe0 a photo", Images),
        ("drawing.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", Images),
        ("moving.gif", b"GIF89a", Video),
        ("notes.txt", b"hello", Video),
    ],
)
def test_content_says_what_a_file_is_and_not_its_name(here: Path, name: str, content: bytes, kind: type) -> None:
    (here / name).write_bytes(content)

    assert isinstance(open_source(name), kind)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("notes.txt", b"hello, I am a text", "a text"),
        ("clip.mp4", b"<!doctype html><html>404</html>", "a web page"),
        ("paper", b"%PDF-1.7\n", "a PDF document"),
        ("photos.zip", b"PK\x03\x04" + bytes(40), "a ZIP archive"),
        ("clip.mkv", b"", "an empty file"),
    ],
)
def test_what_is_neither_picture_nor_film_is_named_when_it_is_opened(
    here: Path, name: str, content: bytes, said: str
) -> None:
    (here / name).write_bytes(content)

    with pytest.raises(SourceError, match=f"{name} is {said}.*videos, and JPEG, PNG"), open_source(name):
        pass


def jpeg(height: int, width: int, *segments: bytes) -> bytes:
    """A JPEG, with APP2 segments of that content behind its SOI."""
    data = encode_jpeg(np.full((height, width, 3), 99, np.uint8), 90)
    extra = b"".join(b"\xff\xe2" + (2 + len(each)).to_bytes(2, "big") + each for each in segments)
    return data[:2] + extra + data[2:]


@pytest.mark.parametrize(
    ("name", "content", "frames"),
    [
        ("film.mjpeg", jpeg(48, 64) * 5, 5),
        ("film.mjpg", jpeg(48, 64) + jpeg(64, 48), 2),
        ("film.jpg", jpeg(48, 64) * 3, 3),
        ("one.mjpeg", jpeg(48, 64), 1),
        ("photo_with_preview.jpg", jpeg(96, 128) + jpeg(48, 64), 1),
        ("both_eyes.mpo", jpeg(48, 64, b"MPF\0 both eyes") + jpeg(48, 64), 1),
        ("hdr.jpg", jpeg(48, 64, b"MPF\0 gain map") + jpeg(48, 64), 1),
    ],
)
def test_several_pictures_in_one_jpeg_file_are_a_film_and_a_photo_that_carries_others_is_one(
    here: Path, name: str, content: bytes, frames: int
) -> None:
    (here / name).write_bytes(content)

    with open_source(name, SourceOptions(realtime=False)) as source:
        assert len(list(source)) == frames


@pytest.mark.parametrize("scheme", OPENERS)
def test_no_opener_opens_anything_before_it_is_entered(here: Path, scheme: str) -> None:
    places = {"v4l2": "/dev/video7", "picamera": "7", "demo": "", "-": ""}
    place = "//192.0.2.1/stream" if scheme in ("rtsp", "rtsps", "http", "https") else places.get(scheme, "gone")

    assert open_source(f"{scheme}:{place}").live in (True, False)


@pytest.mark.parametrize("scheme", ["v4l2", "video", "images"])
def test_what_is_not_there_is_refused_on_entering(here: Path, scheme: str) -> None:
    with pytest.raises(SourceError, match="gone"), open_source(f"{scheme}:gone"):
        pass


@pytest.mark.parametrize(
    "uri",
    [
        "rtsp:", "rtsp://", "http://:80/x", "http://a b/", "http://u:hunter2@host:port/",
        "rtsp://u:hunter@2#3@host/", "HTTP://u:hunter2#@host/", "rtsps://u:hunter2#/x@host",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_its_password(uri: str) -> None:
    with pytest.raises(UsageError, match="is not a valid address") as refused:
        open_source(uri)

    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    "place", ["yuv420", "yuv420:640", "h264:640x480", "rgb24:8x8", "rgb24:99999x720", "yuv420:641x480"]
)
def test_raw_pictures_that_cannot_be_are_refused(place: str) -> None:
    with pytest.raises(UsageError, match=f"-:{place}"):
        open_source(f"-:{place}")


def test_films_played_in_real_time_are_live_and_a_slideshow_waits_for_its_answers(here: Path) -> None:
    assert not open_source("folder", SourceOptions(realtime=True)).live
    assert open_source("film", SourceOptions(realtime=True)).live
    assert open_source("-", SourceOptions(realtime=True)).live
    assert not open_source("film", SourceOptions(realtime=False)).live
    assert not open_source("demo:ram", SourceOptions(realtime=False)).live


def test_naming_a_source_imports_no_camera_library() -> None:
    code = (
        "import sys\n"
        "from vitcam.sources import open_source\n"
        "open_source('picamera'), open_source('v4l2:/dev/video0'), open_source('demo')\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('picamera2', 'libcamera', 'vitcam_training')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("uri", "may_appear"), [("picmera", False), ("rtps://camera", False), ("/media/stick/a.mp4", True)]
)
def test_a_path_may_appear_later_and_a_mistyped_name_never(uri: str, may_appear: bool) -> None:
    with pytest.raises(UsageError) as refused:
        open_source(uri)

    assert isinstance(refused.value, SourceError) is may_appear


@pytest.mark.parametrize(
    ("uri", "camera"),
    [
        ("", True),
        ("picamera:1", True),
        ("v4l2:/dev/video0", True),
        ("/dev/video97", True),
        ("rtsp://camera/stream", True),
        ("https://camera/stream", True),
        ("RTSPS://camera/stream", True),
        ("demo", False),
        ("demo:ram", False),
        ("-", False),
        ("clip.mp4", False),
        ("images:photos", False),
        ("/no/such/folder", False),
        ("x" * 5000, False),
    ],
)
def test_cameras_are_told_from_files_pipes_and_the_demo(uri: str, camera: bool) -> None:
    assert is_camera(uri) == camera
