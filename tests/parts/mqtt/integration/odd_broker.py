"""A broker that does what mosquitto does not: it closes connections over a topic, or sends too much."""

import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress

_CONNECT, _PUBLISH, _SUBSCRIBE, _PING = 1, 3, 8, 12


class OddBroker:
    """Speaks as much of MQTT 3.1.1 and 5 as a camera hears. Ends with the `with`.

    closes_at      topics, or beginnings of them, of which a message or a subscription closes the connection
    reason         with it the connection is closed, by MQTT 5; 0: without a word
    deaf_to        topics that nobody may hear of
    sends          bytes that each connection gets once it has subscribed
    closes_after   closes each connection after so many answers; 0: none
    """

    def __init__(
        self,
        closes_at: tuple[str, ...] = (),
        reason: int = 0,
        deaf_to: tuple[str, ...] = (),
        sends: Callable[[], list[bytes]] = list,
        closes_after: int = 0,
    ) -> None:
        self.connections = 0
        self.published: list[tuple[str, bytes]] = []
        """What was confirmed."""
        self._closes_at = closes_at
        self._reason = reason
        self._deaf_to = deaf_to
        self._sends = sends
        self._closes_after = closes_after
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept)

    def __enter__(self) -> "OddBroker":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()
        for each in self._open:
            each.close()

    def of(self, topic: str) -> list[bytes]:
        return [payload for found, payload in self.published if found == topic]

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError, EOFError), connection:
            self._answer(connection)
            connection.shutdown(socket.SHUT_WR)  # closed at once, it would take back the answers that are on their way
            while connection.recv(65536):
                pass

    def _answer(self, connection: socket.socket) -> None:
        with connection.makefile("rb") as reader:
            answers = is_5 = 0
            while not self._closes_after or answers <= self._closes_after:
                first = _exactly(reader.read(1), 1)[0]
                body = _exactly(reader.read(size := _length(reader.read)), size)
                answer: bytes | None = b""
                if first >> 4 == _CONNECT:
                    is_5 = int(body[6] == 5)
                    answer = packet(0x20, b"\0\0" + b"\0" * is_5)
                elif first >> 4 == _PUBLISH:
                    answer = self._publish(first, body, is_5)
                elif first >> 4 == _SUBSCRIBE:
                    answer = self._subscribe(body, is_5)
                elif first >> 4 == _PING:
                    answer = b"\xd0\0"
                if answer is None:
                    break
                connection.sendall(answer)
                answers += bool(answer)
                for each in self._sends() if first >> 4 == _SUBSCRIBE else ():
                    connection.sendall(each)
            if is_5 and self._reason:
                connection.sendall(packet(0xE0, bytes([self._reason])))

    def _publish(self, first: int, body: bytes, is_5: int) -> bytes | None:
        size = struct.unpack(">H", body[:2])[0]
        topic, number = body[2 : 2 + size].decode(), body[2 + size : 4 + size]
        if topic.startswith(self._closes_at or ("\0",)):
            return None
        self.published.append((topic, body[4 + size + is_5 :]))
        return packet(0x40, number) if first & 6 else b""

    def _subscribe(self, body: bytes, is_5: int) -> bytes | None:
        at, reasons = 2 + is_5, b""
        while at < len(body):
            size = struct.unpack(">H", body[at : at + 2])[0]
            topic, at = body[at + 2 : at + 2 + size].decode(), at + 3 + size
            if topic.startswith(self._closes_at or ("\0",)):
                return None
            reasons += (b"\x87" if is_5 else b"\x80") if topic in self._deaf_to else b"\1"
        return packet(0x90, body[:2] + b"\0" * is_5 + reasons)


def packet(first: int, body: bytes, claimed: int | None = None) -> bytes:
    """claimed  the length that it says it has, where that is another one"""
    rest, size = len(body) if claimed is None else claimed, b""
    while True:
        rest, low = divmod(rest, 128)
        size += bytes([low | (128 if rest else 0)])
        if not rest:
            return bytes([first]) + size + body


def _length(read: Callable[[int], bytes]) -> int:
    found = shift = 0
    while True:
        each = _exactly(read(1), 1)[0]
        found |= (each & 127) << shift
        shift += 7
        if not each & 128:
            return found


def _exactly(data: bytes, size: int) -> bytes:
    if len(data) < size:
        raise EOFError
    return data
