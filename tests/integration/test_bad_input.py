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


def test_an_unknown_source_is_refused_with_the_known_ones() -> None:
    assert_refused(vitcam(*RUN, "--source", "rtps://camera"), 2, "picamera", "v4l2:", "demo")


def test_a_missing_file_is_named() -> None:
    assert_refused(vitcam(*RUN, "--source", "no/such/clip.mp4"), 2, "no/such/clip.mp4")


def test_no_camera_at_all_leads_to_the_demo() -> None:
    if list(Path("/dev").glob("video*")):
        pytest.skip("this machine has a camera")

    assert_refused(vitcam(*RUN), 2, "no camera was found", "--source demo", "--wait")


def test_a_camera_that_is_not_there_may_be_waited_for() -> None:
    assert_refused(vitcam(*RUN, "--source", "/dev/video97"), 2, "/dev/video97", "--source demo", "--wait")


def test_a_camera_that_is_waited_for_is_not_advised_to_be() -> None:
    with daemon("--source", "/dev/video97", "--wait") as running:
        reason = running.wait_for("no_signal")["reason"]

    assert "/dev/video97" in reason
    assert "--wait" not in reason


def test_a_device_that_is_no_camera_is_refused() -> None:
    assert_refused(vitcam(*RUN, "--source", "v4l2:/dev/null"), 2, "/dev/null")


def test_a_camera_that_is_not_there_is_named() -> None:
    assert_refused(vitcam(*RUN, "--source", "/dev/video97"), 2, "/dev/video97")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    assert_refused(vitcam(*RUN, "--source", str(tmp_path)), 2, str(tmp_path))


def test_a_glob_that_matches_nothing_is_refused(tmp_path: Path) -> None:
    assert_refused(vitcam(*RUN, "--source", f"{tmp_path}/*.jpg"), 2, "*.jpg")


def test_a_video_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "clip.mp4").write_bytes(b"this is no film" * 100)

    assert_refused(vitcam(*RUN, "--source", str(tmp_path / "clip.mp4")), 2, "clip.mp4")


FOREIGN = {
    "photo.heic": (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(50), "a HEIC picture"),
    "photo.avif": (b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf" + bytes(50), "an AVIF picture"),
    "really_heic.jpg": (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic" + bytes(50), "a HEIC picture"),
    "scan.tiff": (b"II*\0\x08\0\0\0" + bytes(50), "a TIFF picture"),
    "raw.cr2": (b"II*\0\x10\0\0\0CR\2\0" + bytes(50), "a camera's raw file (CR2)"),
    "drawing": (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG drawing"),
    "page.png": (b"<!DOCTYPE html><html>not found</html>", "a web page"),
}


def test_pictures_of_other_kinds_are_named_one_by_one(tmp_path: Path) -> None:
    for name, (content, _) in FOREIGN.items():
        (tmp_path / name).write_bytes(content)
    photo(tmp_path / "photo.jpg")
    result = vitcam("classify", "--json", *(str(tmp_path / name) for name in (*FOREIGN, "photo.jpg")))
    errors = {Path(line["path"]).name: line["error"] for line in result.lines if line["type"] == "error"}

    assert result.code == 0, result.err
    assert errors.keys() == FOREIGN.keys()
    for name, (_, kind) in FOREIGN.items():
        assert kind in errors[name]
        assert "JPEG, PNG, WebP and BMP can be read" in errors[name]
    assert result.lines[-1]["frames"] == 1


def test_photos_of_other_kinds_in_a_folder_are_named_and_the_others_classified(tmp_path: Path) -> None:
    (tmp_path / "a.heic").write_bytes(FOREIGN["photo.heic"][0])
    (tmp_path / "b.TIF").write_bytes(FOREIGN["scan.tiff"][0])
    photo(tmp_path / "c.jpg")
    result = vitcam("classify", "--json", str(tmp_path))
    errors = {Path(line["path"]).name: line["error"] for line in result.lines if line["type"] == "error"}

    assert result.code == 0, result.err
    assert "a HEIC picture" in errors["a.heic"]
    assert "a TIFF picture" in errors["b.TIF"]
    assert (result.lines[-1]["frames"], result.lines[-1]["errors"]) == (1, 2)


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"%PDF-1.7" + bytes(50), "a PDF document"), (b"PK\3\4" + bytes(50), "a ZIP archive"), (b"hello\n", "a text")],
)
def test_a_file_that_is_neither_a_picture_nor_a_film_is_named(tmp_path: Path, content: bytes, kind: str) -> None:
    (tmp_path / "some.file").write_bytes(content)

    for command in (("classify",), (*RUN, "--source")):
        assert_refused(vitcam(*command, str(tmp_path / "some.file")), 2, f"is {kind}", "JPEG, PNG, WebP and BMP")
    out = str(tmp_path / "out.png")
    assert_refused(vitcam("explain", str(tmp_path / "some.file"), "-o", out), 2, kind, "JPEG, PNG, WebP and BMP")


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


def test_an_animated_png_with_a_wrong_byte_ends_no_folder(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(animated_png())
    photo(tmp_path / "b.jpg")
    result = vitcam(*RUN, "--source", str(tmp_path))

    assert result.code == 0, result.err
    assert [line["error"] for line in result.lines if line["type"] == "error"] == ["not an image: the data are damaged"]


def test_a_run_in_which_nothing_could_be_read_fails(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"\xff\xd8\xff\xe0 no more")

    assert_refused(vitcam(*RUN, "--source", str(tmp_path)), 1, "not one of 1")


def test_a_model_that_is_no_model_is_refused(tmp_path: Path) -> None:
    fake = tmp_path / "fake.tflite"
    fake.write_bytes(b"certainly not a flatbuffer")

    assert_refused(vitcam("classify", "x.jpg", "--model", str(fake)), 2, "fake.tflite", "not a TFLite model")


def test_a_model_cut_short_is_refused(tmp_path: Path) -> None:
    from vitcam.model.files import find_model

    cut = tmp_path / "cut.tflite"
    cut.write_bytes(find_model("everyday").read_bytes()[:300_000])

    assert_refused(vitcam("classify", "x.jpg", "--model", str(cut)), 2, "cut.tflite")


def test_an_unknown_model_is_refused_with_the_known_ones() -> None:
    assert_refused(vitcam("classify", "x.jpg", "--model", "evryday"), 2, "evryday", "everyday")


def test_labels_that_do_not_fit_the_model_are_refused(tmp_path: Path) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_text("cup\npagoda\n")

    assert_refused(vitcam("classify", "x.jpg", "--labels", str(labels)), 2, "2 labels")


@pytest.mark.fault("the port is in use", injected="a second listener", observed="one sentence that says what to do")
def test_a_port_in_use_is_said_with_a_remedy(tmp_path: Path) -> None:
    photo(tmp_path / "a.jpg")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = vitcam("run", "--source", str(tmp_path), "--port", str(port), "--log", "json")

    assert_refused(result, 1, f"port {port} is in use", "--port")


@pytest.mark.parametrize(
    "option",
    [
        ("--port", "99999"),
        ("--threads", "-1"),
        ("--fps", "-3"),
        ("--top-k", "0"),
        ("--host", ""),
    ],
)
def test_an_option_out_of_range_says_what_is_allowed(option: tuple[str, str]) -> None:
    assert_refused(vitcam(*RUN, "--source", "demo", *option), 2, "allowed")


@pytest.mark.parametrize("option", [("--overlay", "x-ray"), ("--log", "xml"), ("--emit", "some"), ("--thread", "1")])
def test_an_unknown_option_or_choice_is_refused(option: tuple[str, str]) -> None:
    result = vitcam(*RUN, "--source", "demo", *option)

    assert result.code == 2
    assert option[1] in result.err or option[0] in result.err
    assert "Traceback" not in result.err


def test_a_bad_configuration_ends_with_78(tmp_path: Path) -> None:
    (tmp_path / "vitcam.toml").write_text("[web]\nprot = 9000\n")

    assert_refused(vitcam(*RUN, "--config", str(tmp_path / "vitcam.toml")), 78, "prot", "port")


def test_an_address_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    photo(tmp_path / "a.jpg")
    result = vitcam("run", "--source", str(tmp_path), "--host", "203.0.113.7", "--no-password", "--log", "json")

    assert_refused(result, 1, "203.0.113.7")


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
