"""The process that reads an RTSP camera by OpenCV's FFmpeg. It decodes untrusted data, and may hang.

`python -m vitcam.sources.rtsp.child LINK` exchanges the messages of `messages.py` over the inherited file descriptor.
"""

import math
import mmap
import os
import signal
import socket
import sys
import time

import cv2
import numpy as np

from vitcam.frames import Image
from vitcam.pictures.opencv import prepare_capture, stream_options, use_one_thread
from vitcam.processes.child import MAX_MESSAGE, pack, unpack
from vitcam.processes.limits import be_quiet, confine
from vitcam.sources.rtsp.messages import (
    FROM_DAEMON,
    PATIENCE_OPEN_S,
    Grabbed,
    Open,
    Opened,
    Skip,
    StreamFailed,
    Take,
    Taken,
)

_MEMORY_MB = 640  # FFmpeg keeps 17 pictures of a stream at most
_FILES = 64
_LATER_S = 3
_MOST_QUEUED = 300


class _RtspError(Exception):
    """The text of `StreamFailed`."""


def main(arguments: list[str]) -> int:
    """Serve pictures until the daemon closes the link."""
    link = socket.socket(fileno=int(arguments[0]))
    use_one_thread()
    prepare_capture()
    confine(_MEMORY_MB, _FILES)
    be_quiet()
    try:
        request = unpack(link.recv(MAX_MESSAGE), (Open,))
        # not handled, so that it ends whatever hangs
        signal.alarm(PATIENCE_OPEN_S + math.ceil(request.patience_s) + _LATER_S)
        capture = open_camera(request)
        skip_queued(capture)
        link.send(pack(Opened()))
        serve(capture, link, request.patience_s)
    except ConnectionError:
        return 0
    except _RtspError as trouble:
        link.send(pack(StreamFailed(str(trouble))))
    return 1


def open_camera(request: Open) -> cv2.VideoCapture:
    """The camera, by TCP where it can. Raises _RtspError."""
    limits = {
        cv2.CAP_PROP_OPEN_TIMEOUT_MSEC: PATIENCE_OPEN_S * 1000,
        cv2.CAP_PROP_READ_TIMEOUT_MSEC: round(request.patience_s * 1000),
        cv2.CAP_PROP_N_THREADS: 1,  # several would work on as many pictures at once: each a frame of delay
    }
    started = time.monotonic()
    with stream_options():
        capture = cv2.VideoCapture(request.uri, cv2.CAP_FFMPEG, [number for pair in limits.items() for number in pair])
    if not capture.isOpened():
        late = time.monotonic() - started > PATIENCE_OPEN_S * 0.9
        raise _RtspError(f"no answer within {PATIENCE_OPEN_S} s" if late else "refused, or no such stream there")
    return capture


def skip_queued(capture: cv2.VideoCapture) -> None:
    """Skip to a picture that had to be waited for: FFmpeg buffers old ones while it analyses the stream.

    One that took long may have been decoded on a busy processor; two that did, one after the other, were waited for.
    """
    fps = capture.get(cv2.CAP_PROP_FPS)
    interval_s = 1 / fps if 1 <= fps <= 240 else 1 / 30
    waited = 0
    for _ in range(_MOST_QUEUED):
        started = time.monotonic()
        if not capture.grab():
            return
        waited = waited + 1 if time.monotonic() - started > interval_s / 2 else 0
        if waited == 2:
            return


def serve(capture: cv2.VideoCapture, link: socket.socket, patience_s: float) -> None:
    """Announce each picture that comes, and write those that are requested.

    Raises _RtspError when none comes any more, ConnectionError when the daemon is gone.
    """
    memory: mmap.mmap | None = None
    while True:
        signal.alarm(math.ceil(patience_s) + _LATER_S)
        if not capture.grab():
            raise _RtspError
        signal.alarm(0)  # the daemon may be slow
        link.send(pack(Grabbed(time.monotonic_ns())))
        asked, memory = _asked(link, memory)
        if isinstance(asked, Take):
            memory = _hand_over(_retrieved(capture), asked, link, memory)


def _hand_over(picture: Image, asked: Take, link: socket.socket, memory: mmap.mmap | None) -> mmap.mmap | None:
    """Write a picture once the daemon has named the right size. Returns the memory that holds from now on."""
    height, width = picture.shape[:2]
    while (height, width) != (asked.height, asked.width) and picture.size:
        link.send(pack(Taken(height, width)))
        again, memory = _asked(link, memory)
        if not isinstance(again, Take):
            return memory
        asked = again
    if picture.size and memory is not None:
        _write(picture, asked, memory)
    link.send(pack(Taken(height, width)))
    return memory


def _asked(link: socket.socket, memory: mmap.mmap | None) -> tuple[Open | Skip | Take, mmap.mmap | None]:
    packet, fds, _, _ = socket.recv_fds(link, MAX_MESSAGE, 1)
    if not packet:
        raise ConnectionResetError
    for fd in fds:
        memory = mmap.mmap(fd, 0)
        os.close(fd)
    return unpack(packet, FROM_DAEMON), memory


def _retrieved(capture: cv2.VideoCapture) -> Image:
    """(H, W, 3) uint8, BGR: the grabbed picture; 0 × 0 px if it is damaged."""
    done, bgr = capture.retrieve()
    return np.asarray(bgr, dtype=np.uint8) if done else np.empty((0, 0, 3), np.uint8)


def _write(picture: Image, asked: Take, memory: mmap.mmap) -> None:
    height, width = (-(-side // asked.factor) for side in picture.shape[:2])
    place = np.frombuffer(memory, np.uint8, 3 * height * width, asked.offset).reshape(height, width, 3)
    small = picture
    if asked.factor > 1:
        small = np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    cv2.cvtColor(small, cv2.COLOR_BGR2RGB, dst=place)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
