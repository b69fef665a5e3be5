"""Why a stream cannot be opened. FFmpeg says of most troubles no more than "Input/output error", so the camera is asked
once more: what it answers to DESCRIBE (RFC 2326, 10.2)."""

import io
import re
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException, HTTPMessage, parse_headers

from vitcam._version import __version__
from vitcam.sources.network.address import Address
from vitcam.sources.network.login import Challenge, Login, challenges_of, unknown_methods
from vitcam.sources.network.trust import Trust, speaks_tls
from vitcam.sources.rtsp.tls_relay import RTSPS_PORT

WITHIN_S = 4.0
"""For all of it."""
_RTSP_PORT = 554
_MOST = 1 << 16  # bytes of an answer
_UNAUTHORIZED, _NOT_FOUND = 401, 404
_STATUS = re.compile(rb"RTSP/1\.\d +(\d{3})\b")
_OWN_WORDS = {
    451: "Parameter Not Understood",
    453: "Not Enough Bandwidth, maybe since too many watch it",
    454: "Session Not Found",
    457: "Invalid Range",
    461: "Unsupported Transport",
    551: "Option not supported",
}
"""Statuses that are none of HTTP, or others there (RFC 2326, 11.3)."""
_NO_RTSP = "it does not answer as RTSP does; check the port, which often is 554"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a camera says to DESCRIBE."""

    status: int
    headers: HTTPMessage
    method: str = ""
    """By which it was logged in to; empty: it was not."""


class NotRtsp(Exception):
    """Something else answers, or nothing that is complete."""


def why_not(address: Address, trust: Trust, reason: str, late: str) -> str:
    """Why FFmpeg has opened nothing there: the end of a sentence.

    reason  what FFmpeg says
    late    not empty: that it has waited in vain
    """
    until_s = time.monotonic() + WITHIN_S
    connect = partial(socket.create_connection, (address.host, _port_of(address)), WITHIN_S / 2)
    try:
        connect().close()
    except UnicodeError:
        return "its name cannot be a host's"
    except OSError as error:
        return address.without_answer(error)
    try:
        with connect() if address.scheme == "rtsp" else trust.secured(trust.context(), connect, address.host) as line:
            answer = _ask(line, address, until_s)
    except NotRtsp as other:
        return _other_protocol(address, connect) or str(other)
    except OSError as error:
        is_silent = isinstance(error, (ConnectionResetError, TimeoutError, ssl.SSLEOFError))
        return (_other_protocol(address, connect) if is_silent else "") or address.without_answer(error)
    except (HTTPException, ValueError):
        return _NO_RTSP
    if answer.status != 200:
        return _refusal(address, answer)
    if reason.startswith("Server returned 401"):
        return f"FFmpeg, which reads it, does not know its login ({answer.method}); choose another one in the camera"
    return late or f"it describes a stream, and sends none: {reason}"


def _refusal(address: Address, answer: Answer) -> str:
    if answer.status == _UNAUTHORIZED and answer.method:
        return f"it {address.not_accepted(answer.method)}"
    if answer.status == _UNAUTHORIZED and (address.user or address.password):
        return f"it {unknown_methods(challenges_of(answer.headers.get_all('WWW-Authenticate', [])))}"
    if words := _OWN_WORDS.get(answer.status):
        return f"it answers {answer.status} {words}"
    hint = "; check the path, which the camera's manual names" if answer.status == _NOT_FOUND else ""
    return f"it {address.refused(answer.status)}{hint}"


def _other_protocol(address: Address, connect: Callable[[], socket.socket]) -> str:
    """That there is TLS where the address says that there is none, or the other way round; empty: neither."""
    try:
        if address.scheme == "rtsp":
            return address.with_tls if speaks_tls(connect(), address.host) else ""
        with connect() as line:
            _ask(line, address, time.monotonic() + WITHIN_S / 2)
            return address.without_tls
    except (OSError, NotRtsp, HTTPException, ValueError):
        return ""


def _ask(line: socket.socket, address: Address, until_s: float) -> Answer:
    """DESCRIBE, once more with a login where that is wanted. Raises NotRtsp; OSError, HTTPException, ValueError."""
    login = Login(address.user, address.password) if address.user or address.password else None
    answer = _describe(line, address, until_s, 1, None)
    if answer.status != _UNAUTHORIZED or login is None:
        return answer
    best: Challenge | None = login.choose(challenges_of(answer.headers.get_all("WWW-Authenticate", [])))
    if best is None:
        return answer
    again = _describe(line, address, until_s, 2, login.answer("DESCRIBE", address.url))
    return Answer(again.status, again.headers, best.name)


def _describe(line: socket.socket, address: Address, until_s: float, number: int, login: str | None) -> Answer:
    headers = {"CSeq": str(number), "Accept": "application/sdp", "User-Agent": f"vitcam/{__version__}"}
    headers |= {"Authorization": login} if login else {}
    lines = [f"DESCRIBE {address.url} RTSP/1.0", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    line.sendall("\r\n".join(lines).encode("latin-1", "replace"))
    data = bytearray()
    while b"\r\n\r\n" not in data:
        data += _more(line, until_s, data)
    first, _, rest = bytes(data).partition(b"\r\n")
    if not (status := _STATUS.match(first)):
        raise NotRtsp(_NO_RTSP)
    found = parse_headers(io.BytesIO(rest))
    length = int(found.get("Content-Length", "0"))
    while len(data) < data.index(b"\r\n\r\n") + 4 + length:  # the next answer comes after it
        data += _more(line, until_s, data)
    return Answer(int(status[1]), found)


def _more(line: socket.socket, until_s: float, data: bytearray) -> bytes:
    if len(data) > _MOST:
        raise NotRtsp("it answers without an end")
    line.settimeout(max(0.1, until_s - time.monotonic()))
    more = line.recv(_MOST)
    if not more or time.monotonic() > until_s:
        raise NotRtsp("it ends the connection without an answer; check the port, which often is 554")
    return more


def _port_of(address: Address) -> int:
    return address.port or (_RTSP_PORT if address.scheme == "rtsp" else RTSPS_PORT)
