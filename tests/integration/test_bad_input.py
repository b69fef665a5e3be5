"""Whatever a user gets wrong: one sentence, the right exit code, never a traceback."""

import socket
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.command import Result, vitcam
from tests.daemon import daemon
from tests.hostile import animated_png, progressive_cmyk_jpeg
from tests.needs import need_program
from vitcam.model.files import find_model

RUN = ("run", "--no-web", "--log", "json", "--once", "--no-realtime")


def photo(path: Path) -> Path:
    """A real JPEG."""
    noise = np.random.default_rng(0).integers(0, 256, (96, 128, 3), np.uint8)
    cv2.imwrite(str(path), noise)
    return path


def assert_refused(result: Result, code: int, *words: str) -> None:
    """One sentence with these words, and no traceback."""
    assert "Traceback" not in result.err
    assert result.code == code, result.err
    assert result.sentence.startswith("vitcam: ")
    for word in words:
        assert word in result.sentence


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of what nobody should give to vitcam."""
    folder = tmp_path_factory.mktemp("odd")
    (folder / "empty").mkdir()
    (folder / "broken").mkdir()
    (folder / "broken" / "a.jpg").write_bytes(b"\xff\xd8\xff\xe0 no more")
    (folder / "clip.mp4").write_bytes(b"this is no film" * 100)
    for name, (content, _) in DOCUMENTS.items():
        (folder / name).write_bytes(content)
    (folder / "fake.tflite").write_bytes(b"certainly not a flatbuffer")
    (folder / "cut.tflite").write_bytes(find_model("everyday").read_bytes()[:300_000])
    (folder / "labels.txt").write_text("cup\npagoda\n")
    (folder / "vitcam.toml").write_text("[web]\nprot = 9000\n")
    photo(folder / "photo.jpg")
    return folder


DOCUMENTS = {
    "paper": (b"%PDF-1.7" + bytes(50), "a PDF document"),
    "archive": (b"PK\3\4" + bytes(50), "a ZIP archive"),
    "letter": (b"hello\n", "a text"),
}
READABLE = "JPEG, PNG, WebP and BMP"
SOURCE, MODEL = (*RUN, "--source"), ("classify", "x.jpg", "--model")
REFUSED: list[tuple[tuple[str, ...], int, tuple[str, ...]]] = [
    ((*SOURCE, "rtps://camera"), 2, ("picamera", "v4l2:", "demo")),
    ((*SOURCE, "no/such/clip.mp4"), 2, ("no/such/clip.mp4",)),
    ((*SOURCE, "/dev/video97"), 2, ("/dev/video97", "--source demo", "--wait")),
    ((*SOURCE, "v4l2:/dev/null"), 2, ("/dev/null",)),
    ((*SOURCE, "@/empty"), 2, ("@/empty",)),
    ((*SOURCE, "@/empty/*.jpg"), 2, ("*.jpg",)),
    ((*SOURCE, "@/clip.mp4"), 2, ("clip.mp4",)),
    ((*SOURCE, "@/broken"), 1, ("not one of 1",)),
    *(((*SOURCE, f"@/{name}"), 2, (f"is {kind}", READABLE)) for name, (_, kind) in DOCUMENTS.items()),
    *((("classify", f"@/{name}"), 2, (f"is {kind}", READABLE)) for name, (_, kind) in DOCUMENTS.items()),
    *((("explain", f"@/{name}", "-o", "@/out.png"), 2, (kind, READABLE)) for name, (_, kind) in DOCUMENTS.items()),
    ((*MODEL, "@/fake.tflite"), 2, ("fake.tflite", "not a TFLite model")),
    ((*MODEL, "@/cut.tflite"), 2, ("cut.tflite",)),
    ((*MODEL, "evryday"), 2, ("evryday", "everyday")),
    (("classify", "x.jpg", "--labels", "@/labels.txt"), 2, ("2 labels",)),
    *(
        ((*SOURCE, "demo", *option), 2, ("allowed",))
        for option in (("--port", "99999"), ("--threads", "-1"), ("--fps", "-3"), ("--top-k", "0"), ("--host", ""))
    ),
    ((*RUN, "--config", "@/vitcam.toml"), 78, ("prot", "port")),
    (
        ("run", "--source", "@/photo.jpg", "--host", "203.0.113.7", "--no-password", "--log", "json"),
        1,
        ("203.0.113.7",),
    ),
]


def test_what_cannot_be_done_is_refused_in_one_sentence(odd: Path) -> None:
    for arguments, code, words in REFUSED:
        result = vitcam(*(word.replace("@", str(odd)) for word in arguments))
        assert_refused(result, code, *(word.replace("@", str(odd)) for word in words))


def test_a_camera_that_is_waited_for_is_not_advised_to_be() -> None:
    with daemon("--source", "/dev/video97", "--wait") as running:
        reason = running.wait_for("no_signal")["reason"]

    assert "/dev/video97" in reason
    assert "--wait" not in reason


FOREIGN = {
    "photo.heic": (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(50), "a HEIC picture"),
    "photo.avif": (b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf" + bytes(50), "an AVIF picture"),
    "really_heic.jpg": (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic" + bytes(50), "a HEIC picture"),
    "scan.tiff": (b"II*\0\x08\0\0\0" + bytes(50), "a TIFF picture"),
    "raw.cr2": (b"II*\0\x10\0\0\0CR\2\0" + bytes(50), "a camera's raw file (CR2)"),
    "drawing.jpeg": (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG drawing"),
    "page.png": (b"<!DOCTYPE html><html>not found</html>", "a web page"),
}


@pytest.mark.parametrize("as_folder", [False, True])
def test_pictures_of_other_kinds_are_named_one_by_one(as_folder: bool, tmp_path: Path) -> None:
    for name, (content, _) in FOREIGN.items():
        (tmp_path / name).write_bytes(content)
    photo(tmp_path / "photo.jpg")
    named = [str(tmp_path)] if as_folder else [str(tmp_path / name) for name in (*FOREIGN, "photo.jpg")]
    result = vitcam("classify", "--json", *named)
    errors = {Path(line["path"]).name: line["error"] for line in result.lines if line["type"] == "error"}

    assert result.code == 0, result.err
    assert errors.keys() == FOREIGN.keys()
    for name, (_, kind) in FOREIGN.items():
        assert kind in errors[name]
        assert "JPEG, PNG, WebP and BMP can be read" in errors[name]
    assert result.lines[-1]["frames"] == 1


def test_a_truncated_video_gives_what_is_readable_and_says_so(tmp_path: Path) -> None:
    whole = tmp_path / "whole.mkv"
    make = [need_program("ffmpeg"), "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=10:duration=6"]
    subprocess.run([*make, "-c:v", "mjpeg", str(whole)], check=True, timeout=60)
    half = tmp_path / "half.mkv"
    half.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    result = vitcam(*RUN, "--source", str(half))
    kinds = [line["type"] for line in result.lines]

    assert result.code == 0, result.err
    assert 10 < kinds.count("prediction") < 60
    assert kinds.count("error") == 1
    assert kinds[-1] == "summary"
    assert "Traceback" not in result.err


def test_a_corrupt_photo_in_a_folder_is_named_and_skipped(tmp_path: Path) -> None:
    whole = photo(tmp_path / "a.jpg").read_bytes()
    (tmp_path / "b.jpg").write_bytes(whole[:1024])
    photo(tmp_path / "c.jpg")
    result = vitcam(*RUN, "--source", str(tmp_path))
    by_kind = {kind: [line for line in result.lines if line["type"] == kind] for kind in ("prediction", "error")}

    assert result.code == 0, result.err
    assert [Path(line["path"]).name for line in by_kind["prediction"]] == ["a.jpg", "c.jpg"]
    assert [line["error"] for line in by_kind["error"]] == ["not an image: truncated after 1,024 bytes"]
    assert result.lines[-1] | {"seconds": 0} == {
        "type": "summary",
        "frames": 2,
        "errors": 1,
        "dropped": 0,
        "seconds": 0,
    }


@pytest.mark.fault("the port is in use", injected="a second listener", observed="one sentence that says what to do")
def test_a_port_in_use_is_said_with_a_remedy(tmp_path: Path) -> None:
    photo(tmp_path / "a.jpg")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = vitcam("run", "--source", str(tmp_path), "--port", str(port), "--log", "json")

    assert_refused(result, 1, f"port {port} is in use", "--port")
    assert "model" not in result.err, "it is the first thing that is said"


@pytest.mark.parametrize("option", [("--overlay", "x-ray"), ("--log", "xml"), ("--emit", "some"), ("--thread", "1")])
def test_an_unknown_option_or_choice_is_refused(option: tuple[str, str]) -> None:
    result = vitcam(*RUN, "--source", "demo", *option)

    assert result.code == 2
    assert option[1] in result.err or option[0] in result.err
    assert "Traceback" not in result.err


@pytest.mark.fault(
    "the disk is full and standard output goes there",
    injected="`/dev/full`",
    observed="the run ends with one sentence and exit code 1",
)
def test_a_full_disk_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    photo(tmp_path / "a.jpg")
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "vitcam", "run", "--no-web", "--log", "json", "--source", str(tmp_path)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)

    assert_refused(Result(done.returncode, "", done.stderr), 1, "No space left")


def test_pictures_at_addresses_are_decoded_apart_and_within_the_memory(tmp_path: Path) -> None:
    photo(tmp_path / "a.jpg")
    (tmp_path / "b.png").write_bytes(animated_png())
    (tmp_path / "c.jpg").write_bytes(progressive_cmyk_jpeg(12_500, 8_000))
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        urls = [f"http://127.0.0.1:{server.server_port}/{name}" for name in ("a.jpg", "b.png", "c.jpg", "a.jpg")]
        result = vitcam("classify", "--json", *urls)
        server.shutdown()
    kinds = [line["type"] for line in result.lines]
    errors = [line["error"] for line in result.lines if line["type"] == "error"]

    assert result.code == 0, result.err
    assert kinds == ["prediction", "error", "error", "prediction", "summary"]
    assert errors[0] == "not an image: the data are damaged"
    assert "100 megapixels, and decoding it takes" in errors[1]
