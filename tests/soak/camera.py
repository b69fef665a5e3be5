"""An HTTP camera on this machine that plays the demo's pictures, and has a fault when it is told to."""

import itertools
import random
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Self

import cv2
import numpy as np

from tests.hostile import animated_png, progressive_cmyk_jpeg
from tests.http_camera import MULTIPART, part
from vitcam.sources import SourceOptions, open_source

_FAULT_S = 4.0  # longer than a picture may be late, shorter than the time between two faults
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER that makes close() send a reset; socket(7)."""


def demo_pictures(width: int, height: int, count: int) -> list[bytes]:
    """JPEGs of the demo's clip."""
    with open_source("demo", SourceOptions(realtime=False, loop=False)) as source:
        small = (cv2.resize(each.preview, (width, height)) for each in itertools.islice(source, count))
        return [bytes(cv2.imencode(".jpg", cv2.cvtColor(each, cv2.COLOR_RGB2BGR))[1]) for each in small]


class FaultyCamera:
    """Serves one reader at a time at `fps` pictures/s. `begin` starts a fault, which ends by itself."""

    def __init__(self, fps: float = 30.0, size: tuple[int, int] = (640, 360), pictures: int = 8) -> None:
        self._fps = fps
        self._good = [part(each) for each in demo_pictures(*size, pictures)]
        self._other_size = [part(each) for each in demo_pictures(800, 600, 2)]
        self._random = random.Random(0)
        self._ended = threading.Event()
        self._fault: Callable[[socket.socket], None] | None = None
        self._away_until = 0.0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/stream"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.faults: dict[str, Callable[[socket.socket], None]] = {
            "closes the connection and is away for 4 s": self._goes_away,
            "sends nothing for 8 s": self._falls_silent,
            "sends garbage": self._sends_garbage,
            "sends pictures that are cut off": self._cuts_off,
            "resets the connection": self._resets,
            "sends pictures of another size": self._changes_size,
            "drips, a byte at a time": self._drips,
            "sends a picture of 100 megapixels": self._sends_enormous,
            "sends a picture that crashes OpenCV 4.11": self._sends_hostile,
        }

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join(20)
        self._listening.close()

    def begin(self, fault: str) -> None:
        """Have a fault, one of `faults`, from the next picture on."""
        self._fault = self.faults[fault]

    def _serve(self) -> None:
        while not self._ended.is_set():
            with suppress(OSError):
                connection, _ = self._listening.accept()
                with connection:
                    if time.monotonic() >= self._away_until:
                        connection.settimeout(10)
                        connection.recv(10_000)
                        self._play(connection)

    def _play(self, connection: socket.socket) -> None:
        """Send pictures until the reader leaves. Raises OSError then."""
        connection.sendall(MULTIPART)
        began = time.monotonic()
        for number in itertools.count():
            if self._ended.wait(max(0.0, began + number / self._fps - time.monotonic())):
                return
            fault, self._fault = self._fault, None
            if fault is not None:
                fault(connection)
                began = time.monotonic() - number / self._fps
            connection.sendall(self._good[number % len(self._good)])

    def _while_it_lasts(self) -> Iterator[None]:
        until = time.monotonic() + _FAULT_S
        while time.monotonic() < until and not self._ended.wait(0.05):
            yield

    def _goes_away(self, connection: socket.socket) -> None:
        self._away_until = time.monotonic() + _FAULT_S
        raise ConnectionAbortedError

    def _falls_silent(self, connection: socket.socket) -> None:
        self._ended.wait(2 * _FAULT_S)

    def _sends_garbage(self, connection: socket.socket) -> None:
        for _ in self._while_it_lasts():
            connection.sendall(self._random.randbytes(100_000))

    def _cuts_off(self, connection: socket.socket) -> None:
        for _ in self._while_it_lasts():
            connection.sendall(self._random.choice(self._good)[: self._random.randrange(200, 5000)])

    def _resets(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        raise ConnectionAbortedError

    def _changes_size(self, connection: socket.socket) -> None:
        for _ in self._while_it_lasts():
            connection.sendall(self._random.choice(self._other_size))

    def _drips(self, connection: socket.socket) -> None:
        for _, byte in zip(self._while_it_lasts(), itertools.cycle(self._good[0]), strict=False):
            connection.sendall(bytes([byte]))

    def _sends_enormous(self, connection: socket.socket) -> None:
        connection.sendall(part(progressive_cmyk_jpeg(12_500, 8_000)))

    def _sends_hostile(self, connection: socket.socket) -> None:
        connection.sendall(part(animated_png()))


def photo(side: int = 240) -> bytes:
    """A JPEG to upload."""
    noise = np.random.default_rng(0).integers(0, 256, (side // 8, side // 8, 3), np.uint8)
    return bytes(cv2.imencode(".jpg", cv2.resize(noise, (side, side)))[1])
