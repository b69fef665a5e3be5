"""Which of the kernel's video nodes are cameras, and who has one open.

About twenty of the nodes of a Pi are codecs and parts of its ISP.
"""

import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_VIDIOC_QUERYCAP = 0x80685600
_CAPABILITY = struct.Struct(
    "=16s32s32s6I"
)  # struct v4l2_capability: driver, card, bus_info, version, caps, device_caps
_VIDEO_CAPTURE = 0x0000_0001
_STREAMING = 0x0400_0000
_IO_MC = 0x2000_0000  # part of a pipeline that another program has to set up, as libcamera does
_DEVICE_CAPS = 0x8000_0000

# Nodes of a Pi's ISP and CSI receiver that report capturing: they give raw data or statistics, and are picamera2's
_PARTS_OF_A_PI = frozenset({"pispbe", "rp1-cfe", "unicam", "bm2835 mmal", "bcm2835-isp", "bcm2835-codec"})


@dataclass(frozen=True, slots=True)
class Device:
    """A video node."""

    path: str
    card: str
    """The name its driver gives it."""
    permitted: bool
    """False: it may not be opened, so it is unknown whether it is a camera."""


def capture_devices(root: Path = Path("/dev")) -> list[Device]:
    """The nodes that deliver pictures, and those that may not be opened; by number."""
    nodes = sorted(root.glob("video[0-9]*"), key=lambda node: (len(node.name), node.name))
    return [device for node in nodes for device in _inspect(node)]


def stable_name(path: str, root: Path = Path("/dev/v4l/by-path")) -> str | None:
    """The name by which udev finds the same socket again, whatever number the device gets next time."""
    if not root.is_dir():
        return None
    wanted = Path(path).resolve()
    return next((str(link) for link in sorted(root.iterdir()) if link.resolve() == wanted), None)


def other_users(path: str, proc: Path = Path("/proc")) -> list[str]:
    """As `process 812 (motion)`. Processes of other users are seen by root only, and none in a sandbox that hides them.

    source  proc(5): /proc/PID/fd
    """
    wanted = os.path.realpath(path)
    return sorted(
        f"process {process.name} ({_name_of(process)})"
        for process in proc.glob("[0-9]*")
        if process.name != str(os.getpid()) and wanted in _open_files(process)
    )


def _inspect(node: Path) -> Iterator[Device]:
    try:
        fd = os.open(node, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except PermissionError:
        yield Device(str(node), _card_in_sysfs(node), permitted=False)
        return
    except OSError:
        return
    try:
        answer = fcntl.ioctl(fd, _VIDIOC_QUERYCAP, bytes(_CAPABILITY.size))
    except OSError:  # not a V4L2 device
        return
    finally:
        os.close(fd)
    driver, card = (field.split(b"\0")[0].decode(errors="replace") for field in _CAPABILITY.unpack(answer)[:2])
    if driver not in _PARTS_OF_A_PI and _captures(answer):
        yield Device(str(node), card, permitted=True)


def _captures(answer: bytes) -> bool:
    """Whether VIDIOC_QUERYCAP's answer is that of a camera that any program can read."""
    whole, of_this_node = _CAPABILITY.unpack(answer)[4:6]
    caps = of_this_node if whole & _DEVICE_CAPS else whole
    return bool(caps & _VIDEO_CAPTURE and caps & _STREAMING and not caps & _IO_MC)


def _card_in_sysfs(node: Path) -> str:
    try:
        return Path("/sys/class/video4linux", node.name, "name").read_text().strip()
    except OSError:
        return "unknown"


def _open_files(process: Path) -> Iterator[str]:
    with suppress(OSError):  # it is another user's, or has ended
        for link in (process / "fd").iterdir():
            with suppress(OSError):
                yield os.readlink(link)  # noqa: PTH115 - it need not be a path: "socket:[1]"


def _name_of(process: Path) -> str:
    try:
        name = (process / "comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "unknown"
    return "".join(character for character in name if character.isprintable())
