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
from typing import Any

import numpy as np

from vitcam.frames import Image
from vitcam.pictures.view import UPRIGHT, Orientation
from vitcam.processes.child import pack
from vitcam.processes.shared_memory import POOL_SIZE
from vitcam.sources.discovery import NO_IMPORT
from vitcam.sources.picamera.messages import CameraConfig, CameraFailed, Captured, Ready
from vitcam.sources.picamera.streams import GrantedStream, configure, copy_model_input, copy_preview, left_to_flip
from vitcam.sources.transform import reorient

_OPEN_S = 30
_COPY_S = 3  # takes some ms
_GOODBYE_S = 2


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
    from libcamera import ColorSpace, Transform

    transform = Transform(hflip=config.hflip, vflip=config.vflip)
    preview, small = configure(camera, config, ColorSpace.Smpte170m(), transform)
    orientation = left_to_flip(camera, config)
    ready = Ready(preview.height, preview.width)
    if small is not None and config.input is not None:
        ready = Ready(preview.height, preview.width, config.input.height, config.input.width)
    os.ftruncate(memory_fd, POOL_SIZE * ready.buffer_size)
    memory = mmap.mmap(memory_fd, POOL_SIZE * ready.buffer_size)
    camera.start()
    link.send(pack(ready))
    link.setblocking(False)
    free, seq = list(range(POOL_SIZE)), 0
    while True:
        signal.alarm(math.ceil(config.patience_s) + _COPY_S)
        free += _freed_buffers(link)
        request = _next_request(camera, config.patience_s)
        try:
            if free:  # else the daemon is too slow, and sees a gap in seq
                captured_ns = request.get_metadata().get("SensorTimestamp") or time.monotonic_ns()
                buffer = ready.pictures(ready.bytes_of(memory, free[-1]))
                _copy(request, preview, small, config, buffer)
                _flip(orientation, buffer)
                link.send(pack(Captured(free.pop(), seq, captured_ns)))
        finally:
            request.release()
        seq += 1


def release_camera(camera: Any) -> None:
    """Release the camera. A capture that timed out is still queued, and stop() would wait for it without end."""
    camera.cancel_all_and_flush()
    camera.stop()
    camera.close()


def _next_request(camera: Any, patience_s: float) -> Any:
    try:
        return camera.capture_request(wait=patience_s)
    except TimeoutError:
        raise PiCameraError(f"the camera has given no picture for {patience_s:.1f} s; check its cable") from None


def _copy(request: Any, preview: GrantedStream, small: GrantedStream | None, config: CameraConfig, buffer: Any) -> None:
    from picamera2 import MappedArray

    into_preview, into_input = buffer
    with MappedArray(request, preview.name, write=False) as mapped:
        copy_preview(mapped.array, preview, into_preview)
    if small is not None and config.input is not None:
        with MappedArray(request, small.name, write=False) as mapped:
            copy_model_input(mapped.array, small, config.input, into_input)


def _flip(orientation: Orientation, buffer: tuple[Image, Image | None]) -> None:
    for picture in buffer:
        if picture is not None and orientation != UPRIGHT:
            np.copyto(picture, reorient(orientation, picture))


def _freed_buffers(link: socket.socket) -> list[int]:
    """The buffers that are free again. Raises ConnectionError when the daemon is gone."""
    buffers: list[int] = []
    while True:
        try:
            packet = link.recv(1)
        except BlockingIOError:
            return buffers
        if not packet:
            raise ConnectionResetError
        buffers.append(packet[0])


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
