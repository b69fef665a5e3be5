"""Which camera is taken when nobody named one, and what is said of a libcamera that misbehaves."""

import importlib.util
import logging
import sys
from collections.abc import Callable

import pytest

from vitcam.errors import SourceError
from vitcam.sources import default_uri, discovery
from vitcam.sources.discovery import LibcameraList, list_libcamera
from vitcam.sources.v4l2_devices import Device

WEBCAM = Device("/dev/video2", "webcam", permitted=True)
LOCKED = Device("/dev/video0", "secret", permitted=False)
CRASH = "import os; os.abort()"
Devices = Callable[..., None]


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> Devices:
    """Sets what the kernel lists."""

    def devices(*found: Device) -> None:
        monkeypatch.setattr(discovery, "capture_devices", lambda: list(found))

    return devices


def libcamera_runs(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let a Python program stand for the one that asks libcamera."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(discovery, "LIST_COMMAND", (sys.executable, "-c", code))


def test_without_any_camera_the_sentence_says_so(devices: Devices) -> None:
    devices()

    with pytest.raises(SourceError, match=r"^no camera was found; connect one$") as refused:
        default_uri()
    assert refused.value.exit_code == 2


def test_the_first_camera_that_may_be_opened_is_taken(devices: Devices) -> None:
    devices(LOCKED, WEBCAM)
    both = default_uri()
    devices(LOCKED)

    assert both == "v4l2:/dev/video2"
    assert default_uri() == "v4l2:/dev/video0"  # opening it says what to do


def test_a_machine_without_picamera2_takes_v4l2_and_says_nothing(
    devices: Devices, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    devices(WEBCAM)

    assert default_uri() == "v4l2:/dev/video2"
    assert caplog.records == []


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        (CRASH, "libcamera crashed (signal 6)"),
        ("import signal; signal.pause()", "libcamera did not answer within 0.3 s"),
        ("print('garbage')", "picamera2 gives no list of cameras: 'garbage\\n'"),
        ("raise OSError('no memory')", "libcamera cannot list its cameras: OSError: no memory"),
        ("import sys; sys.exit('picamera2 is broken')", "libcamera cannot list its cameras: picamera2 is broken"),
    ],
)
def test_a_libcamera_that_misbehaves_is_said_with_the_camera_taken_instead(
    devices: Devices, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: str, trouble: str
) -> None:
    monkeypatch.setattr(discovery, "LIST_WITHIN_S", 0.3 if "pause" in code else 30)
    libcamera_runs(monkeypatch, code)
    devices(WEBCAM)

    assert default_uri() == "v4l2:/dev/video2"
    assert caplog.record_tuples == [
        (
            "vitcam.sources.discovery",
            logging.WARNING,
            f"{trouble}; /dev/video2 (webcam) is used instead; `vitcam doctor` says what to do",
        )
    ]


def test_the_same_trouble_is_said_to_whoever_asks_to_hear_it(
    devices: Devices, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    libcamera_runs(monkeypatch, CRASH)
    devices(WEBCAM)
    said: list[str] = []
    default_uri(said.append)

    assert len(said) == 1
    assert caplog.records == []


def test_a_libcamera_that_crashes_where_there_is_no_other_camera_is_the_reason(
    devices: Devices, monkeypatch: pytest.MonkeyPatch
) -> None:
    libcamera_runs(monkeypatch, CRASH)
    devices()

    with pytest.raises(SourceError, match=r"^libcamera crashed \(signal 6\), and no other camera was found; "):
        default_uri()


def test_the_list_names_the_cameras_at_the_pis_own_connectors_only(monkeypatch: pytest.MonkeyPatch) -> None:
    libcamera_runs(monkeypatch, """print('["/base/i2c/imx708@1a", "/base/usb@300000-2:1.0"]')""")

    assert list_libcamera() == LibcameraList(names=("/base/i2c/imx708@1a",))
    assert default_uri() == "picamera"


def test_a_picamera2_that_cannot_be_imported_is_told_from_a_libcamera_that_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    libcamera_runs(monkeypatch, f"import sys; print('no libcamera', file=sys.stderr); sys.exit({discovery.NO_IMPORT})")

    found = list_libcamera()

    assert not found.imports
    assert found.trouble == "libcamera cannot list its cameras: no libcamera"
