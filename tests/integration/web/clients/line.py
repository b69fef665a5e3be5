"""A line to a server that can be cut and mended, as a Wi-Fi that goes and comes back."""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self


class BrokenLine:
    """Passes bytes on between a port of its own and `upstream` (HOST:PORT)."""

    def __init__(self, upstream: str) -> None:
        host, port = upstream.split(":")
        self._upstream = host, int(port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self._whole = True

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._close_all()

    def cut(self) -> None:
        """End all connections, and each new one at once."""
        with self._lock:
            self._whole = False
        self._close_all()

    def mend(self) -> None:
        with self._lock:
            self._whole = True

    def _close_all(self) -> None:
        with self._lock:
            ended, self._open = self._open, []
        for each in ended:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the listener was closed
            while True:
                near, _ = self._listener.accept()
                with self._lock:
                    whole = self._whole
                if not whole:
                    near.close()
                    continue
                far = socket.create_connection(self._upstream)
                with self._lock:
                    self._open += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=pair, daemon=True).start()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
