"""Which video nodes are cameras."""

import struct
from pathlib import Path

import pytest

from vitcam.errors import SourceError
from vitcam.sources import open_source
from vitcam.sources.v4l2_devices import Device, capture_devices, stable_name

CAPTURE, STREAMING, META, M2M, IO_MC, DEVICE_CAPS = 0x1, 0x0400_0000, 0x0080_0000, 0x8000, 0x2000_0000, 0x8000_0000


def answer(driver: str, card: str, device_caps: int) -> bytes:
    """A struct v4l2_capability, as the kernel fills it for VIDIOC_QUERYCAP."""
    whole = device_caps | CAPTURE | META | DEVICE_CAPS  # of all nodes of the device together
    return struct.pack("=16s32s32s6I", driver.encode(), card.encode(), b"usb-1", 0x060C00, whole, device_caps, 0, 0, 0)


def nodes(monkeypatch: pytest.MonkeyPatch, root: Path, answers: dict[str, bytes]) -> list[Device]:
    """What is found in a /dev whose nodes answer so."""
    order = sorted(answers, key=lambda name: int(name.removeprefix("video")))
    for name in answers:
        (root / name).touch()
    replies = iter([answers[name] for name in order])
    monkeypatch.setattr("vitcam.sources.v4l2_devices.fcntl.ioctl", lambda *_: next(replies))
    return capture_devices(root)


def test_only_nodes_that_capture_pictures_are_cameras(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = nodes(
        monkeypatch,
        tmp_path,
        {
            "video0": answer("uvcvideo", "HD Webcam", CAPTURE | STREAMING),
            "video1": answer("uvcvideo", "HD Webcam", META | STREAMING),
            "video10": answer("uvcvideo", "Second", CAPTURE | STREAMING),
            "video4": answer("rp1-cfe", "rp1-cfe", CAPTURE | STREAMING | IO_MC),
            "video19": answer("rpi-hevc-dec", "rpi-hevc-dec", M2M | STREAMING),
            "video20": answer("pispbe", "pispbe", CAPTURE | STREAMING),
            "video3": answer("other-isp", "raw", CAPTURE | STREAMING | IO_MC),
        },
    )

    assert [(Path(device.path).name, device.card) for device in found] == [
        ("video0", "HD Webcam"),
        ("video10", "Second"),
    ]


def test_what_is_no_v4l2_device_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "video0").touch()
    (tmp_path / "video1").symlink_to(tmp_path / "gone")

    assert capture_devices(tmp_path) == []
    assert capture_devices(tmp_path / "nothing") == []


def test_a_node_that_may_not_be_opened_is_named_all_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError

    (tmp_path / "video0").touch()
    monkeypatch.setattr("vitcam.sources.v4l2_devices.os.open", refuse)

    assert capture_devices(tmp_path) == [Device(str(tmp_path / "video0"), "unknown", permitted=False)]


def test_a_device_has_a_name_that_stays_if_udev_gives_one(tmp_path: Path) -> None:
    links = tmp_path / "by-path"
    links.mkdir()
    (tmp_path / "video3").touch()
    (links / "platform-usb-0:1-video-index0").symlink_to(tmp_path / "video3")

    assert stable_name(str(tmp_path / "video3"), links) == str(links / "platform-usb-0:1-video-index0")
    assert stable_name(str(tmp_path / "video4"), links) is None
    assert stable_name("/dev/video0", tmp_path / "missing") is None


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero"])
def test_a_device_that_is_no_camera_is_refused_in_one_sentence(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SourceError, match=f"{path} is in use, or is not a camera"), open_source(path):
        pass

    assert capfd.readouterr().err == ""


def test_a_device_that_may_not_be_opened_names_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vitcam.sources.v4l2.os.access", lambda *_: False)  # tests may run as root, who may do anything
    with pytest.raises(SourceError, match="join the group `video` "), open_source("/dev/null"):
        pass


def test_a_device_that_is_not_there_says_what_is() -> None:
    with pytest.raises(SourceError, match=r"there is no device /dev/video99; (cameras here|no camera was found)"):
        open_source("/dev/video99").__enter__()
