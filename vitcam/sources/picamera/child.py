"""The process that holds the Pi's camera: picamera2 can hang, and a process can be killed.

`python -m vitcam.sources.picamera.child SOCKET MEMORY CONFIG` exchanges the messages of `messages.py` over the two
inherited file descriptors. `--list` prints the ids of the cameras as JSON. picamera2 is imported only here.
"""

import json
import math
import mmap
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from vitcam.pictures.resize import InputSpec
from vitcam.processes.child import MAX_MESSAGE, pack, unpack
from vitcam.processes.shared_memory import POOL_SIZE
from vitcam.rects import Rect
from vitcam.sources.discovery import NO_IMPORT
from vitcam.sources.picamera.copying import Copying
from vitcam.sources.picamera.larger import configure_for_boxes, configure_without, shows_the_view
from vitcam.sources.picamera.messages import (
    FROM_DAEMON,
    MOST_DETAILS,
    CameraConfig,
    CameraFailed,
    Captured,
    FromDaemon,
    Ready,
    Still,
)
from vitcam.sources.picamera.streams import GrantedStream, Streams, buffers_size, left_to_flip

_OPEN_S = 30
_COPY_S = 3  # takes some ms
_GOODBYE_S = 2
_FRAMES_TO_SETTLE = 10
_STILL_NS = 95_000_000  # ten small pictures a second: rather early than a frame late
_DETAIL = 2


class PiCameraError(Exception):
    """One sentence for the daemon."""


def main(arguments: list[str]) -> int:
    """Serve frames until the daemon closes the link. SIGTERM ends it at once, and the kernel releases the camera."""
    if arguments == ["--list"]:
        return list_cameras()
    link = socket.socket(fileno=int(arguments[0]))
    signal.alarm(_OPEN_S)  # not handled, so that it ends whatever hangs, also after the daemon has died
    camera = None
    try:
        config = CameraConfig.from_json(arguments[2])
        camera = open_camera(_picamera2(), config.camera)
        serve(camera, config, link, int(arguments[1]))
    except ConnectionError:
        return 0
    except PiCameraError as trouble:
        _send_failure(link, str(trouble))
    except Exception as error:  # noqa: BLE001 - the outermost frame: picamera2 raises whatever it likes
        _send_failure(link, f"the camera failed: {_reason(error)}")
    finally:
        signal.alarm(_GOODBYE_S)
        if camera is not None:
            release_camera(camera)
    return 1


def list_cameras() -> int:
    """Print the ids of the cameras as JSON; the exit status is NO_IMPORT where picamera2 cannot be imported."""
    try:
        picamera2 = _picamera2()
    except PiCameraError as trouble:
        sys.stderr.write(f"{trouble}\n")
        return NO_IMPORT
    sys.stdout.write(json.dumps([camera["Id"] for camera in picamera2.Picamera2.global_camera_info()]))
    return 0


def open_camera(picamera2: Any, number: int) -> Any:
    """The camera with that number, not yet running. Raises PiCameraError."""
    found = picamera2.Picamera2.global_camera_info()
    if not found:
        raise PiCameraError("picamera2 finds no camera; check its cable and `rpicam-hello --list-cameras`")
    if number >= len(found):
        names = ", ".join(f"{index}: {camera.get('Model', camera['Id'])}" for index, camera in enumerate(found))
        raise PiCameraError(f"there is no camera {number}; picamera2 finds {names}")
    try:
        return picamera2.Picamera2(number)
    except Exception as error:
        reason = _reason(error)
        likely = "end the program that uses it, such as a second vitcam" if "busy" in reason else "is it in use?"
        raise PiCameraError(f"camera {number} cannot be opened: {reason}; {likely}") from error


def serve(camera: Any, config: CameraConfig, link: socket.socket, memory_fd: int) -> None:
    """Copy each frame into a free buffer and send `Captured`.

    raises  PiCameraError when no frame comes any more, ConnectionError once the daemon has closed the link
    """
    streams = _start(camera, config)
    ready = _ready(camera, config, streams)
    copying = Copying(streams, config, ready, left_to_flip(camera, config))
    os.ftruncate(memory_fd, POOL_SIZE * ready.buffer_size)
    memory = mmap.mmap(memory_fd, POOL_SIZE * ready.buffer_size)
    link.send(pack(ready))
    link.setblocking(False)
    inbox, seq, astray, due_ns = Inbox(), 0, 0, 0
    while True:
        with _next_request(camera, config.patience_s) as (request, metadata):
            inbox.read(link)
            astray = 0 if shows_the_view(streams, metadata) else astray + 1
            captured_ns = metadata.get("SensorTimestamp") or time.monotonic_ns()
            if inbox.is_still and captured_ns < due_ns:
                continue
            if inbox.free and not astray:  # else the daemon is too slow, and sees a gap in seq
                due_ns, buffer = captured_ns + _STILL_NS, inbox.free.pop()
                pixels = ready.bytes_of(memory, buffer)
                if inbox.is_still:
                    copying.copy_small(request, pixels)
                    link.send(pack(Captured(buffer, seq, captured_ns, is_small=True)))
                else:
                    cuts = copying.copy(request, pixels, inbox.boxes)
                    link.send(pack(Captured(buffer, seq, captured_ns, cuts)))
        if astray > _FRAMES_TO_SETTLE:
            raise PiCameraError("the camera shows another part of its sensor than it was set to")
        seq += 1


@dataclass(slots=True)
class Inbox:
    """What the daemon has sent so far."""

    free: list[int] = field(default_factory=lambda: list(range(POOL_SIZE)))
    """The buffers that nobody reads."""
    boxes: tuple[Rect, ...] = ()
    """What is followed, in px of the preview."""
    is_still: bool = False
    """Whether only small pictures are wanted, some in a second."""

    def read(self, link: socket.socket) -> None:
        """Take in what it has sent meanwhile. Raises ConnectionError when the daemon is gone."""
        while True:
            try:
                packet = link.recv(MAX_MESSAGE)
            except BlockingIOError:
                return
            if not packet:
                raise ConnectionResetError
            if len(packet) == 1:
                self.free.append(packet[0])
                continue
            message: FromDaemon = unpack(packet, FROM_DAEMON)
            if isinstance(message, Still):
                self.is_still = message.is_still
            else:
                self.boxes = tuple(Rect(*rect) for rect in message.rects)


def release_camera(camera: Any) -> None:
    """Release the camera. A capture that timed out is still queued, and stop() would wait for it without end."""
    camera.cancel_all_and_flush()
    camera.stop()
    camera.close()


def _start(camera: Any, config: CameraConfig) -> Streams:
    """Set the camera up and start it, with a larger picture only where that shows what it should."""
    from libcamera import ColorSpace, Transform

    wishes = ColorSpace.Smpte170m(), Transform(hflip=config.hflip, vflip=config.vflip)
    streams = configure_for_boxes(camera, config, *wishes)
    camera.start()
    if not _soon_shows_the_view(camera, config, streams):
        camera.stop()
        streams = configure_without(camera, config, *wishes, "a larger one shows another part of the view")
        camera.start()
    return streams


def _soon_shows_the_view(camera: Any, config: CameraConfig, streams: Streams) -> bool:
    if streams.view is None:
        return True
    for _ in range(_FRAMES_TO_SETTLE):
        with _next_request(camera, config.patience_s) as (_, metadata):
            if shows_the_view(streams, metadata):
                return True
    return False


def _ready(camera: Any, config: CameraConfig, streams: Streams) -> Ready:
    height, width, spec = streams.preview.height, streams.preview.width, config.input
    return Ready(
        height,
        width,
        *((spec.height, spec.width) if spec and streams.small else (0, 0)),
        room=_room(height * width, streams.large, spec),
        following=streams.following,
        camera_bytes=buffers_size(camera),
        small_height=streams.small.height if streams.small else 0,
        small_width=streams.small.width if streams.small else 0,
    )


def _room(preview_px: int, large: GrantedStream | None, spec: InputSpec | None) -> int:
    """Bytes for details: as many as for the preview, but enough for each to be twice as wide as the model's input."""
    if large is None:
        return 0
    enough = 0 if spec is None else _DETAIL**2 * spec.height * spec.width
    return 3 * min(max(preview_px, MOST_DETAILS * enough), large.width * large.height)


@contextmanager
def _next_request(camera: Any, patience_s: float) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The next frame and its metadata; it goes back to the camera at the end."""
    signal.alarm(math.ceil(patience_s) + _COPY_S)
    try:
        request = camera.capture_request(wait=patience_s)
    except TimeoutError:
        raise PiCameraError(f"the camera has given no picture for {patience_s:.1f} s; check its cable") from None
    try:
        yield request, request.get_metadata()
    finally:
        request.release()


def _picamera2() -> Any:
    try:
        import picamera2
    except Exception as error:  # a wrong NumPy makes it a ValueError
        raise PiCameraError(
            f"picamera2 cannot be imported ({_reason(error)}); on Raspberry Pi OS: sudo apt install python3-picamera2, "
            "and a venv made with --system-site-packages"
        ) from error
    return picamera2


def _send_failure(link: socket.socket, sentence: str) -> None:
    try:
        link.send(pack(CameraFailed(sentence)))
    except OSError:
        return


def _reason(error: BaseException) -> str:
    """The innermost error: picamera2 wraps those of libcamera, and only that one names the reason."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error).strip().split("\n")[0].rstrip(".") or type(error).__name__


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
