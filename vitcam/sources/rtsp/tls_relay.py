"""RTSP over TLS: FFmpeg talks to a port of this machine, and a thread carries its bytes to the camera and back.

FFmpeg could speak TLS itself, but it checks no certificate by default, and none by its SHA-256.
"""

import queue
import select
import socket
import ssl
import threading
from contextlib import suppress
from functools import partial

from vitcam.sources.network.address import Address
from vitcam.sources.network.trust import Trust

RTSPS_PORT = 322
_PIECE = 1 << 16
_LOOPBACK = "127.0.0.1"


class TlsRelay:
    """For one connection. The thread begins with the object, since a confined process may begin none."""

    def __init__(self) -> None:
        self._listening = socket.create_server((_LOOPBACK, 0), backlog=1)
        self._lines: queue.SimpleQueue[ssl.SSLSocket] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="tls", daemon=True).start()

    def open(self, address: Address, trust: Trust, within_s: float) -> str:
        """Connect with the camera, whose certificate must be trusted.

        within_s  of each step
        returns   the address for FFmpeg, with user and password
        raises    CertificateRefused; OSError
        """
        connect = partial(socket.create_connection, (address.host, address.port or RTSPS_PORT), within_s)
        line = trust.secured(trust.context(), connect, address.host)
        line.settimeout(None)
        self._lines.put(line)
        return address.on(_LOOPBACK, self._listening.getsockname()[1])

    def _run(self) -> None:
        camera = self._lines.get()
        with self._listening as listening:
            ffmpeg, _ = listening.accept()
        with suppress(OSError), camera, ffmpeg:
            _carry(camera, ffmpeg)


def _carry(camera: ssl.SSLSocket, ffmpeg: socket.socket) -> None:
    """Until one of them ends. In one thread: OpenSSL does not read and write a connection at the same time."""
    while True:
        ready, _, _ = select.select([camera, ffmpeg], [], [])
        if ffmpeg in ready:
            if not (sent := ffmpeg.recv(_PIECE)):
                return
            camera.sendall(sent)
        if camera in ready and not _pass_on(camera, ffmpeg):
            return


def _pass_on(camera: ssl.SSLSocket, ffmpeg: socket.socket) -> bool:
    """All that the camera has sent; False at its end. What has come may be TLS's own, such as a session ticket."""
    camera.setblocking(False)
    try:
        while received := camera.recv(_PIECE):
            ffmpeg.sendall(received)
    except ssl.SSLWantReadError:
        camera.setblocking(True)
        return True
    return False
