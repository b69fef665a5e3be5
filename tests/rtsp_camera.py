"""A camera that speaks RTSP (RFC 2326) as a test wants it to: it answers with what a test says, and may send a film."""

import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.http_camera import Answer

Respond = Callable[[str, str], str]
"""Takes the method and the whole request, and returns the status line's end, perhaps with headers; empty: as usual."""

_PACKET = 7 * 188  # bytes: seven packets of MPEG-TS, as RFC 2250 advises
_SDP = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=camera\r\nt=0 0\r\nm={kind} 0 RTP/AVP {number}\r\na=control:track\r\n"


def usual(method: str, request: str) -> str:
    """A camera that asks for no password."""
    return ""


def refuses(status: str) -> Respond:
    """A camera that answers DESCRIBE with this status, and perhaps headers."""
    return lambda method, request: status if method == "DESCRIBE" else ""


def rtsp(respond: Respond = usual, film: Path | None = None, kind: str = "video") -> Answer:
    """For `server`: each request is answered, and after PLAY the film is sent over the same connection (MPEG-TS).

    kind  of the stream that is described
    """

    def answer(connection: socket.socket, request: bytes) -> None:
        while request[:1].isalpha():  # else the client has left, or does not speak RTSP
            text = request.decode()
            method = text.partition(" ")[0]
            number = next((line for line in text.split("\r\n") if line.startswith("CSeq:")), "CSeq: 0")
            status, _, rest = (respond(method, text) or _usual(method, kind)).partition("\r\n")
            connection.sendall(f"RTSP/1.0 {status}\r\n{number}\r\n{rest}".encode())
            if method == "PLAY" and film is not None:
                _send(connection, film.read_bytes())
            request = connection.recv(10_000)

    return answer


def _usual(method: str, kind: str) -> str:
    if method == "DESCRIBE":
        body = _SDP.format(kind=kind, number=33 if kind == "video" else 0)
        return f"200 OK\r\nContent-Type: application/sdp\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    if method == "SETUP":
        return "200 OK\r\nSession: 1\r\nTransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n\r\n"
    return "200 OK\r\nSession: 1\r\n\r\n"


def _send(connection: socket.socket, film: bytes) -> None:
    """As RTP packets that are interleaved with the requests, ten times, about as fast as the film is."""
    pieces = [film[at : at + _PACKET] for at in range(0, len(film), _PACKET)]
    with suppress(OSError):  # the client has left
        for number, piece in enumerate(10 * pieces):
            packet = struct.pack(">BBHII", 0x80, 33, number & 0xFFFF, 3000 * number, 1) + piece
            connection.sendall(b"$\0" + struct.pack(">H", len(packet)) + packet)
            time.sleep(1 / len(pieces))
