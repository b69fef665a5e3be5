"""A camera that sends MJPEG by HTTP (`multipart/x-mixed-replace`): ustreamer, mjpg-streamer, an ESP32-CAM, vitcam."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from itertools import chain
from types import TracebackType
from typing import Self, cast
from urllib.error import HTTPError, URLError
from urllib.request import (
    HTTPBasicAuthHandler,
    HTTPDigestAuthHandler,
    HTTPPasswordMgrWithDefaultRealm,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

from vitcam._version import __version__
from vitcam.errors import SourceError, SourceLost
from vitcam.frames import Frame
from vitcam.sources.address import Address, shown
from vitcam.sources.received import Sender, receive
from vitcam.sources.source import SourceOptions

_CHUNK = 1 << 20  # more than a socket holds: of what has piled up only the newest picture is decoded


class HttpMjpeg:
    """`http://[USER:PASSWORD@]HOST/PATH`, or https; basic and digest authentication."""

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        self.live = True
        self._address = Address.of(uri)
        self._sender = Sender(shown(uri), options, newest_only=True)
        self._stopped = threading.Event()
        self._response: HTTPResponse | None = None
        self._line: socket.socket | None = None
        self._frames: Iterator[Frame] = iter(())

    def __enter__(self) -> Self:
        self._stopped = threading.Event()
        self._response = self._connect()
        self._line = socket.socket(fileno=os.dup(self._response.fileno()))
        frames = receive(self._sender, self._chunks(self._response))
        try:
            self._frames = chain([next(frames)], frames)
        except (SourceLost, StopIteration) as error:
            self._close()
            raise SourceError(str(error) or f"{self._sender.source} was ended while it was being opened") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._close()

    def stop(self) -> None:
        self._stopped.set()
        line = self._line
        if line is not None:
            with suppress(OSError):  # closed by the other side, or by us
                line.shutdown(socket.SHUT_RDWR)  # wakes whoever reads

    def __iter__(self) -> Iterator[Frame]:
        return self._frames

    def _chunks(self, response: HTTPResponse) -> Iterator[bytes]:
        """What comes, until `stop`. Raises SourceLost when nothing comes any more."""
        while not self._stopped.is_set():
            try:
                data = response.read1(_CHUNK)
            except TimeoutError:
                raise SourceLost(f"{self._sender.source} has been silent for {self._sender.patience_s:g} s") from None
            except (OSError, HTTPException, ValueError) as error:
                data, reason = b"", f": {error}"
            else:
                reason = ""
            if data:
                yield data
            elif not self._stopped.is_set():
                raise SourceLost(f"{self._sender.source} has ended its stream{reason}")

    def _connect(self) -> HTTPResponse:
        """The answer's head has come, and promises pictures. Raises SourceError."""
        request = Request(self._address.url, headers={"User-Agent": f"vitcam/{__version__}"})  # noqa: S310, http only
        try:
            response = cast(HTTPResponse, self._opener().open(request, timeout=self._sender.patience_s))
        except HTTPError as refusal:
            with refusal:
                raise SourceError(
                    f"{self._sender.source} answers {refusal.code} {refusal.reason}{_advice(refusal)}"
                ) from None
        except (OSError, HTTPException, ValueError) as error:
            reason = error.reason if isinstance(error, URLError) else error
            raise SourceError(f"{self._sender.source} cannot be reached: {reason or type(reason).__name__}") from None
        kind = response.headers.get_content_type()
        if kind == "image/jpeg" or (kind.startswith("text/") and "Content-Type" in response.headers):
            response.close()
            raise SourceError(
                f"{self._sender.source} gives {kind}, and a stream of JPEG pictures (multipart/x-mixed-replace) is "
                "wanted; the camera's manual names its address, often /stream, /video or /?action=stream"
            )
        return response

    def _opener(self) -> OpenerDirector:
        passwords = HTTPPasswordMgrWithDefaultRealm()
        passwords.add_password(None, self._address.url, self._address.user, self._address.password)
        asked = (HTTPBasicAuthHandler(passwords), HTTPDigestAuthHandler(passwords)) if self._address.user else ()
        return build_opener(ProxyHandler({}), *asked)  # a camera stands in one's own network

    def _close(self) -> None:
        for part in (self._response, self._line):
            if part is not None:
                part.close()
        self._response = self._line = None


def _advice(refusal: HTTPError) -> str:
    if refusal.code not in (401, 403):
        return ""
    return "; give user and password as in http://USER:PASSWORD@HOST/PATH"
