"""Many cheap MJPEG viewers in one process, so that what they cost is not taken for the server's.

python -m tests.bench.readers HOST:PORT TARGET COUNT SECONDS    prints {"per_s": [...], "mean_kb": …, "cpu": …}
"""

import json
import re
import selectors
import socket
import sys
import time

_LENGTH = re.compile(rb"\r\nContent-Length: *(\d+)\r\n", re.IGNORECASE)
_MOST_HEAD = 4096
_SETTLE_S = 2.0


class Reader:
    """Counts the parts of one stream. Bodies are thrown away inside the kernel (MSG_TRUNC, tcp(7))."""

    def __init__(self, host: str, port: int, target: str) -> None:
        self.parts = self.bytes = 0
        self.socket = socket.create_connection((host, port), timeout=20)
        self.socket.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        self.socket.setblocking(False)
        self._head = bytearray()
        self._body = 0

    def read(self, buffer: bytearray) -> None:
        """Take what has come. Raises ConnectionError when the server hung up."""
        try:
            if self._body:
                got = self.socket.recv_into(buffer, min(self._body, len(buffer)), socket.MSG_TRUNC)
                self._body -= got
            else:
                got = self.socket.recv_into(buffer, _MOST_HEAD)
                self._head += memoryview(buffer)[:got]
                self._find_body()
        except BlockingIOError:
            return
        if got == 0:
            raise ConnectionError("the server hung up")

    def _find_body(self) -> None:
        while (end := self._head.find(b"\r\n\r\n")) >= 0:
            found = _LENGTH.search(self._head, 0, end + 2)
            body = int(found[1]) if found else 0  # the head of the answer itself has none
            del self._head[: end + 4]
            self.parts += found is not None
            self.bytes += body
            self._body = max(0, body - len(self._head))
            del self._head[:body]


def main() -> None:
    """Connect, let it settle, count."""
    host, port = sys.argv[1].split(":")
    count, seconds = int(sys.argv[3]), float(sys.argv[4])
    readers = [Reader(host, int(port), sys.argv[2]) for _ in range(count)]
    _read_for(readers, _SETTLE_S)
    before, cpu, began = [reader.parts for reader in readers], time.process_time(), time.monotonic()
    _read_for(readers, seconds)
    took = time.monotonic() - began
    rates = [(reader.parts - parts) / took for reader, parts in zip(readers, before, strict=True)]
    mean_kb = sum(reader.bytes for reader in readers) / sum(reader.parts for reader in readers) / 1000
    print(json.dumps({"per_s": rates, "mean_kb": mean_kb, "cpu": (time.process_time() - cpu) / took}))


def _read_for(readers: list[Reader], seconds: float) -> None:
    buffer, deadline = bytearray(1 << 20), time.monotonic() + seconds
    with selectors.EpollSelector() as waiting:
        for reader in readers:
            waiting.register(reader.socket, selectors.EVENT_READ, reader)
        while time.monotonic() < deadline:
            for key, _ in waiting.select(0.2):
                key.data.read(buffer)


if __name__ == "__main__":
    main()
