"""The process that reads an RTSP camera by PyAV's FFmpeg. It decodes untrusted data, and may hang.

`python -m vitcam.sources.rtsp.child LINK` exchanges the messages of `messages.py` over the inherited file descriptor.
"""

import math
import mmap
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator

import av
import av.video.stream
import numpy as np

from vitcam.pictures.opencv import use_one_thread
from vitcam.processes.child import MAX_MESSAGE, pack, unpack
from vitcam.processes.resources import confine, silence_stderr
from vitcam.sources.ffmpeg import FrameConverter, number_of
from vitcam.sources.network.address import Address
from vitcam.sources.network.trust import Trust
from vitcam.sources.rtsp.diagnosis import WITHIN_S, why_not
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
from vitcam.sources.rtsp.tls_relay import TlsRelay

_MEMORY_MB = 640  # FFmpeg keeps 17 pictures of a stream at most
_FILES = 64
_LATER_S = 3
_MOST_QUEUED = 300
_USERS_OWN = "OPENCV_FFMPEG_CAPTURE_OPTIONS"  # OpenCV has read cameras before; its variable stays in force
_OPTIONS = "rtsp_flags;prefer_tcp|fflags;nobuffer|fpsprobesize;0"
"""TCP, since a lost UDP packet damages the picture for seconds; and no buffering of frames to guess their rate."""


class _RtspError(Exception):
    """The text of `StreamFailed`."""


def main(arguments: list[str]) -> int:
    """Serve pictures until the daemon closes the link."""
    link = socket.socket(fileno=int(arguments[0]))
    use_one_thread()
    try:
        request = unpack(link.recv(MAX_MESSAGE), (Open,))
        address = Address.of(request.uri)
        relay = TlsRelay() if address.scheme == "rtsps" else None
        confine(_MEMORY_MB, _FILES)
        silence_stderr()
        # not handled, so that it ends whatever hangs
        signal.alarm(math.ceil(PATIENCE_OPEN_S + request.patience_s + WITHIN_S) + _LATER_S)
        camera = Camera(request, address, relay)
        skip_queued(camera)
        link.send(pack(Opened()))
        serve(camera, link, request.patience_s)
    except ConnectionError:
        return 0
    except _RtspError as trouble:
        link.send(pack(StreamFailed(str(trouble))))
    return 1


class Camera:
    """An open stream. Raises _RtspError if it cannot be opened."""

    def __init__(self, request: Open, address: Address, relay: TlsRelay | None) -> None:
        started = time.monotonic()
        options = dict(each.split(";", 1) for each in os.environ.get(_USERS_OWN, _OPTIONS).split("|") if ";" in each)
        uri, trust = request.uri, Trust(request.fingerprint, request.authority)
        try:
            if relay is not None:
                uri = relay.open(address, trust, PATIENCE_OPEN_S)
                options |= {"rtsp_transport": "tcp"}
            container = av.open(uri, "r", options=options, timeout=(PATIENCE_OPEN_S, request.patience_s))
            stream = container.streams.best("video")
        except (av.FFmpegError, OSError, ValueError) as error:
            late = time.monotonic() - started > PATIENCE_OPEN_S * 0.9
            waited = f"no picture came within {PATIENCE_OPEN_S} s" if late else ""
            reason = (isinstance(error, av.FFmpegError) and error.strerror) or ""
            raise _RtspError(why_not(address, trust, reason, waited)) from None
        if not isinstance(stream, av.video.stream.VideoStream):
            raise _RtspError("it sends no video")
        stream.thread_count = 1  # several would work on as many pictures at once: each a frame of delay
        self.fps = number_of(stream.guessed_rate)  # 0: it does not say
        self._converter = FrameConverter(stream)
        self._frames = _decoded(container, stream)
        self._frame: av.VideoFrame | None = None

    def grab(self) -> bool:
        """Wait for the next picture; False if none comes any more."""
        self._frame = next(self._frames, None)
        return self._frame is not None

    @property
    def size(self) -> tuple[int, int]:
        """(height, width) of the grabbed picture in px."""
        return (0, 0) if self._frame is None else self._converter.size(self._frame)

    def write(self, asked: Take, memory: mmap.mmap) -> bool:
        """Write the grabbed picture; False if it is damaged."""
        if self._frame is None:
            return False
        try:
            picture = self._converter.picture(self._frame, asked.factor)
        except (av.FFmpegError, ValueError):
            return False
        np.frombuffer(memory, np.uint8, picture.size, asked.offset).reshape(picture.shape)[:] = picture
        return True


def _decoded(container: av.container.InputContainer, stream: av.video.stream.VideoStream) -> Iterator[av.VideoFrame]:
    """Frames as they come; what is damaged is left out. Ends when the stream does, or is silent."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except (av.FFmpegError, OSError):
            return
        if packet is None:
            return
        try:
            yield from packet.decode()
        except av.FFmpegError:
            continue


def skip_queued(camera: Camera) -> None:
    """Skip to a picture that had to be waited for: FFmpeg buffers old ones while it analyses the stream.

    One that took long may have been decoded on a busy processor; two that did, one after the other, were waited for.
    """
    interval_s = 1 / camera.fps if 1 <= camera.fps <= 240 else 1 / 30
    waited = 0
    for _ in range(_MOST_QUEUED):
        started = time.monotonic()
        if not camera.grab():
            return
        waited = waited + 1 if time.monotonic() - started > interval_s / 2 else 0
        if waited == 2:
            return


def serve(camera: Camera, link: socket.socket, patience_s: float) -> None:
    """Announce each picture that comes, and write those that are requested.

    Raises _RtspError when none comes any more, ConnectionError when the daemon is gone.
    """
    memory: mmap.mmap | None = None
    while True:
        signal.alarm(math.ceil(patience_s) + _LATER_S)
        if not camera.grab():
            raise _RtspError
        signal.alarm(0)  # the daemon may be slow
        link.send(pack(Grabbed(time.monotonic_ns())))
        asked, memory = _asked(link, memory)
        if isinstance(asked, Take):
            memory = _hand_over(camera, asked, link, memory)


def _hand_over(camera: Camera, asked: Take, link: socket.socket, memory: mmap.mmap | None) -> mmap.mmap | None:
    """Write a picture once the daemon has named the right size. Returns the memory that holds from now on."""
    while camera.size != (asked.height, asked.width):
        link.send(pack(Taken(*camera.size)))
        again, memory = _asked(link, memory)
        if not isinstance(again, Take):
            return memory
        asked = again
    written = memory is not None and camera.write(asked, memory)
    link.send(pack(Taken(asked.height, asked.width) if written else Taken(0, 0)))
    return memory


def _asked(link: socket.socket, memory: mmap.mmap | None) -> tuple[Open | Skip | Take, mmap.mmap | None]:
    packet, fds, _, _ = socket.recv_fds(link, MAX_MESSAGE, 1)
    if not packet:
        raise ConnectionResetError
    for fd in fds:
        memory = mmap.mmap(fd, 0)
        os.close(fd)
    return unpack(packet, FROM_DAEMON), memory


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
