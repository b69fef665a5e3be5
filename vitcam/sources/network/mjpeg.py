"""A camera that sends MJPEG by HTTP (`multipart/x-mixed-replace`): ustreamer, mjpg-streamer, an ESP32-CAM, vitcam."""

from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse
from itertools import chain
from types import TracebackType
from typing import Self, cast
from urllib.error import HTTPError
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
from vitcam.errors import SourceError, SourceLost, UsageError, VitcamError
from vitcam.frames import Frame
from vitcam.pictures.decode import Decoded
from vitcam.pictures.decoder.process import DecodeProcess
from vitcam.redaction import redacted
from vitcam.sources.jpeg_frames import IncomingStream, decode_frames
from vitcam.sources.network.address import Address
from vitcam.sources.network.connection import DeadlineConnection, DeadlineHttpHandler, DeadlineHttpsHandler
from vitcam.sources.network.error import reason_of, status_words
from vitcam.sources.source import SourceOptions, live_limits

_CHUNK = 1 << 20  # more than a socket buffers: of the pictures that have piled up only the newest is decoded
_OPEN_S = 15.0  # from the first packet to the first picture, whatever is sent in between


class HttpMjpeg:
    """`http://[USER:PASSWORD@]HOST/PATH`, or https; basic and digest authentication.

    Pictures are decoded in a process of their own. Those that are larger than requested are reduced.
    """

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        self.live = True
        self._address = Address.of(uri)
        self._options = options
        self._incoming = IncomingStream(redacted(uri), options, newest_only=True, decode=self._decode)
        self._stopped = False
        self._connection = DeadlineConnection()
        self._decoder: DecodeProcess | None = None
        self._response: HTTPResponse | None = None
        self._frames: Iterator[Frame] = iter(())

    def __enter__(self) -> Self:
        self._stopped = False
        self._connection = DeadlineConnection().__enter__()
        self._decoder = DecodeProcess(self._incoming.patience_s, stream=True)
        try:
            with self._connection.deadline(_OPEN_S + self._incoming.patience_s):
                self._decoder.start()  # while the camera answers
                self._response = self._connect()
                frames = decode_frames(self._incoming, self._chunks(self._response))
                self._frames = chain([next(frames)], frames)
        except (SourceLost, StopIteration) as error:
            self._close()
            raise SourceError(str(error) or f"{self._incoming.source} was ended while it was being opened") from None
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._close()

    def stop(self) -> None:
        self._stopped = True
        self._connection.shut_down()
        decoder = self._decoder
        if decoder is not None:
            decoder.hang_up()

    def __iter__(self) -> Iterator[Frame]:
        try:
            yield from self._frames
        except SourceLost:
            if not self._stopped:  # else `stop` closed it
                raise

    def _decode(self, data: bytes) -> Decoded:
        """Raises UsageError for an invalid picture; SourceLost when the process that decodes cannot be started."""
        if self._decoder is None:
            raise SourceLost(f"{self._incoming.source} was closed")
        try:
            return self._decoder(data, live_limits(self._options))
        except UsageError:
            raise
        except VitcamError as error:
            raise SourceLost(str(error)) from None

    def _chunks(self, response: HTTPResponse) -> Iterator[bytes]:
        """The data as it comes, until `stop`. Raises SourceLost when nothing comes any more."""
        while not self._stopped:
            reason = ""
            try:
                with self._connection.deadline(self._incoming.patience_s + 1):  # a chunk may come byte by byte
                    data = response.read1(_CHUNK)
            except TimeoutError:
                raise SourceLost(self._silent()) from None
            except (OSError, HTTPException, ValueError) as error:
                data, reason = b"", f": {reason_of(error)}"
            if data:
                yield data
            elif not self._stopped:
                ended = f"{self._incoming.source} has ended its stream{reason}"
                raise SourceLost(self._silent() if self._connection.timed_out else ended)

    def _silent(self) -> str:
        return f"{self._incoming.source} has been silent for {self._incoming.patience_s:g} s"

    def _connect(self) -> HTTPResponse:
        """The response, once its headers announce a stream of pictures. Raises SourceError."""
        request = Request(self._address.url, headers={"User-Agent": f"vitcam/{__version__}"})  # noqa: S310, http only
        try:
            response = cast(HTTPResponse, self._opener().open(request, timeout=self._incoming.patience_s))
        except HTTPError as refusal:
            with refusal:
                raise SourceError(
                    f"{self._incoming.source} answers {status_words(refusal.code)}{_advice(refusal)}"
                ) from None
        except (OSError, HTTPException, ValueError) as error:
            if self._connection.timed_out:
                raise SourceError(
                    f"{self._incoming.source} did not begin a stream in time; is a camera there?"
                ) from None
            raise SourceError(f"{self._incoming.source} cannot be reached: {reason_of(error)}") from None
        kind = response.headers.get_content_type()
        if kind == "image/jpeg" or (kind.startswith("text/") and "Content-Type" in response.headers):
            response.close()
            raise SourceError(
                f"{self._incoming.source} gives {kind}, and a stream of JPEG pictures (multipart/x-mixed-replace) is "
                "wanted; the camera's manual names its address, often /stream, /video or /?action=stream"
            )
        return response

    def _opener(self) -> OpenerDirector:
        passwords = HTTPPasswordMgrWithDefaultRealm()
        passwords.add_password(None, self._address.url, self._address.user, self._address.password)
        asked = (HTTPBasicAuthHandler(passwords), HTTPDigestAuthHandler(passwords)) if self._address.user else ()
        handlers = (DeadlineHttpHandler(self._connection), DeadlineHttpsHandler(self._connection))
        return build_opener(ProxyHandler({}), *handlers, *asked)  # a camera is in the local network

    def _close(self) -> None:
        self._connection.__exit__()
        if self._response is not None:
            self._response.close()
        if self._decoder is not None:
            self._decoder.close()
        self._response = self._decoder = None


def _advice(refusal: HTTPError) -> str:
    if refusal.code not in (401, 403):
        return ""
    return "; give user and password as in http://USER:PASSWORD@HOST/PATH"
