"""`vitcam doctor` on cameras: what it says of each kind, and of none."""

import importlib.util
import sys
from collections.abc import Callable

import pytest

from tests.unit.doctor.places import watching
from vitcam.doctor import camera
from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.sources import discovery, v4l2_devices
from vitcam.sources.v4l2_devices import Device


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """What the kernel lists: real devices need a real kernel, and are tried in the emulated machine."""

    def seen(*devices: Device) -> None:
        monkeypatch.setattr(v4l2_devices, "capture_devices", lambda root: list(devices))

    return seen


def libcamera_says(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(discovery, "LIST_COMMAND", (sys.executable, "-c", code))


WEBCAM = Device("/dev/video0", "Webcam", permitted=True)
LOCKED = Device("/dev/video2", "Webcam", permitted=False)


def test_no_camera_at_all_is_a_failure_that_names_the_demo(context: CheckContext, seen: Callable[..., None]) -> None:
    seen()

    finding = camera.camera(context)

    assert (finding.status, finding.found) == ("fail", "no camera was found")
    assert "vitcam run --source demo" in finding.fix


def test_a_device_that_may_not_be_opened_needs_the_group_video(
    context: CheckContext, seen: Callable[..., None]
) -> None:
    seen(LOCKED)

    finding = camera.camera(context)

    assert finding.found == "/dev/video2: Webcam (may not be opened)"
    assert finding.fix == "sudo usermod -aG video $USER, then log in again"


def test_every_camera_is_listed_with_the_name_that_opens_it(
    context: CheckContext, seen: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen(WEBCAM)
    libcamera_says(monkeypatch, "print('[\"imx708\"]')")

    assert camera.camera(context) == CheckResult("ok", "picamera: imx708; /dev/video0: Webcam")


@pytest.mark.parametrize(
    ("source", "status", "found"),
    [
        ("/dev/video0", "ok", "/dev/video0: Webcam"),
        ("v4l2:/dev/video2", "fail", "(may not be opened)"),
        ("v4l2:/dev/video7", "fail", "/dev/video7 is not a camera; /dev/video0: Webcam"),
        ("picamera", "fail", "picamera2 finds no camera; /dev/video0: Webcam"),
        ("demo", "ok", "the source is demo: no camera is needed"),
        ("nonsense", "fail", "there is no file, folder or camera 'nonsense'"),
    ],
)
def test_the_source_that_is_set_decides_what_is_missing(
    context: CheckContext, seen: Callable[..., None], source: str, status: str, found: str
) -> None:
    seen(WEBCAM, LOCKED)

    finding = camera.camera(watching(context, source))

    assert finding.status == status
    assert found in finding.found
    assert bool(finding.fix) == (status == "fail")


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import signal; signal.pause()", "libcamera did not answer within 0.3 s"),
        ("import os; os.abort()", "libcamera crashed (signal 6)"),
        ("print('garbage')", "picamera2 gives no list of cameras: 'garbage\\n'"),
        ("raise OSError('no memory')", "libcamera cannot list its cameras: OSError: no memory"),
    ],
)
def test_a_libcamera_that_hangs_or_crashes_is_a_failure_of_its_own(
    context: CheckContext, seen: Callable[..., None], monkeypatch: pytest.MonkeyPatch, code: str, found: str
) -> None:
    seen(WEBCAM)
    monkeypatch.setattr(discovery, "LIST_WITHIN_S", 0.3 if "pause" in code else 30)
    libcamera_says(monkeypatch, code)

    finding = camera.camera(context)

    assert finding == CheckResult("fail", f"{found}; vitcam run uses /dev/video0 instead", finding.fix)
    assert camera.camera(watching(context, "picamera")) == CheckResult("fail", found, finding.fix)
    assert "ribbon cable" in finding.fix
    assert camera.camera(watching(context, "/dev/video0")).status == "ok"


def test_a_picamera2_that_does_not_import_is_left_to_its_own_check(
    context: CheckContext, seen: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen(WEBCAM)
    libcamera_says(monkeypatch, f"import sys; sys.exit({discovery.NO_IMPORT})")

    assert camera.camera(context) == CheckResult("ok", "/dev/video0: Webcam")
