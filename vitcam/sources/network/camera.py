"""A camera that is asked for pictures by HTTP: ustreamer, mjpg-streamer, an ESP32-CAM, vitcam, and single pictures.

What comes is decided by its first bytes, since cameras declare anything: a stream of pictures that does not end, or one
picture. An address that gives one picture is asked again and again.
"""

import re
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from http import HTTPStatus
from http.client import HTTP_PORT, HTTPS_PORT, HTTPException, HTTPResponse
from itertools import chain
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from vitcam.errors import SourceError, SourceLost, UsageError, VitcamError
from vitcam.frames import Frame, Image
from vitcam.pictures.decode import Decoded, Limits
from vitcam.pictures.decoder.process import DecodeProcess
from vitcam.pictures.file_kind import Use, kind_of
from vitcam.redaction import redacted
from vitcam.sentence import Sentence
from vitcam.sources.jpeg_frames import IncomingStream, decode_newest
from vitcam.sources.jpeg_stream import MAX_PICTURE
from vitcam.sources.network.address import Address, reason_of
from vitcam.sources.network.client import CameraClient, RequestRefused
from vitcam.sources.network.coding import unpacked
from vitcam.sources.network.connection import DeadlineConnection
from vitcam.sources.network.snapshots import Snapshot, Snapshots, unless_changed
from vitcam.sources.network.trust import speaks_tls
from vitcam.sources.source import SMALL, SourceOptions, live_limits

_CHUNK = 1 << 20  # more than a socket buffers: of the pictures that have piled up only the newest is decoded
_OPEN_S = 15.0  # from the first packet to the first picture, whatever is sent in between
_ENOUGH = 16  # bytes to decide by
_PARTS = re.compile(rb"\s*(--|[\w-]+[ \t]*:)")
_JPEG, _END = b"\xff\xd8\xff", b"\xff\xd9"
_SPACE = b"\r\n\t "


class HttpCamera:
    """`http://[USER:PASSWORD@]HOST/PATH`, or https.

    Pictures are decoded in a process of their own. Those that are larger than requested are reduced.
    """

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        self.live = True
        self._address = Address.of(uri)
        self._options = options
        self._incoming = IncomingStream(redacted(uri), options, self._decode, self._decode_small)
        self._stopped = threading.Event()
        self._connection = DeadlineConnection(trust=options.trust)
        self._client = self._new_client()
        self._decoder: DecodeProcess | None = None
        self._frames: Iterator[Frame] = iter(())

    def __enter__(self) -> Self:
        self._stopped = threading.Event()
        self._connection = DeadlineConnection(trust=self._options.trust).__enter__()
        self._client = self._new_client()
        self._decoder = DecodeProcess(self._incoming.patience_s, stream=True)
        try:
            with self._connection.deadline(_OPEN_S + self._incoming.patience_s):
                self._decoder.start()  # while the camera answers
                frames = self._pictures(self._connect())
                self._frames = chain([next(frames)], frames)
        except (SourceLost, StopIteration) as error:
            self._close()
            raise SourceError(
                error.sentence
                if isinstance(error, SourceLost)
                else f"{self._incoming.source} was ended while it was being opened"
            ) from None
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
        self._stopped.set()
        self._connection.shut_down()
        decoder = self._decoder
        if decoder is not None:
            decoder.hang_up()

    def __iter__(self) -> Iterator[Frame]:
        try:
            yield from self._frames
        except SourceLost:
            if not self._stopped.is_set():  # else `stop` closed it
                raise

    def _new_client(self) -> CameraClient:
        return CameraClient(self._address, self._incoming.source, self._connection, self._incoming.patience_s)

    def _decode_small(self, data: bytes) -> Image:
        return self._decode_within(data, SMALL).image

    def _decode(self, data: bytes) -> Decoded:
        return self._decode_within(data, live_limits(self._options))

    def _decode_within(self, data: bytes, limits: Limits) -> Decoded:
        """Raises UsageError for an invalid picture; SourceLost when the process that decodes cannot be started."""
        if self._decoder is None:
            raise SourceLost(f"{self._incoming.source} was closed")
        try:
            return self._decoder(data, limits)
        except UsageError:
            raise
        except VitcamError as error:
            raise SourceLost(str(error)) from None

    def _connect(self) -> HTTPResponse:
        """The camera's response. Raises SourceError."""
        try:
            return self._client.get()
        except RequestRefused as refused:
            if refused.status == HTTPStatus.BAD_REQUEST and (why := self._other_scheme()):  # of a server with TLS
                raise SourceError(self._said("unreachable", f"cannot be reached: {why}")) from None
            raise
        except (OSError, HTTPException, ValueError) as error:
            if self._connection.timed_out:
                raise SourceError(
                    self._said("unreachable", "did not begin a stream in time; is a camera there?")
                ) from None
            why = self._other_scheme() if self._connection.was_made and _may_speak_otherwise(error) else ""
            why = why or self._address.without_answer(error)
            raise SourceError(self._said("unreachable", f"cannot be reached: {why}")) from None

    def _said(self, key: str, what: str) -> Sentence:
        """What is wrong with this camera, as one sentence."""
        source = self._incoming.source
        return Sentence(f"{source} {what}", f"camera.{key}", camera=source)

    def _other_scheme(self) -> str:
        """That there is TLS where the address says that there is none, or the other way round; empty: there is not."""
        address, patience_s = self._address, self._incoming.patience_s
        port = address.port or (HTTP_PORT if address.scheme == "http" else HTTPS_PORT)
        with suppress(OSError, HTTPException):
            if speaks_tls(self._connection.connect(address.host, port, patience_s), address.host):
                return address.with_tls if address.scheme == "http" else ""
            if address.scheme == "http":
                return ""
            with closing(self._connection.to(urlsplit(address.on(address.host, port)), patience_s)) as http:
                http.request("HEAD", "/")
                http.getresponse()
                return address.without_tls
        return ""

    def _pictures(self, response: HTTPResponse) -> Iterator[Frame]:
        """Every picture, of a stream or of an address that is asked again. Raises SourceError, SourceLost."""
        chunks = self._chunks(response)
        beginning = b""
        while len(beginning) < _ENOUGH and (more := next(chunks, b"")):
            beginning = (beginning + more).lstrip()  # white space without end must not fill the memory
        self._refuse_others(response, beginning)
        chunks = chain([beginning], chunks)
        if _is_one_picture(response, beginning):
            first = self._snapshot(response, chunks)
            yield self._incoming.frame(first.image, 0, first.arrived_ns, asked=True)
        else:
            frame = None
            for frame in decode_newest(self._incoming, chunks):
                yield frame
            if frame is None or frame.seq or not beginning.startswith(_JPEG):
                raise SourceLost(self._said("lost", "has ended its stream"))
            first = Snapshot(frame.preview, frame.captured_ns, unless_changed(response.headers))
        snapshots = Snapshots(self._options.ask_every_s, self._incoming.patience_s, self._ask, self._stopped)
        for seq, snapshot in enumerate(snapshots.after(first), 1):
            yield self._incoming.frame(snapshot.image, seq, snapshot.arrived_ns, asked=True)

    def _refuse_others(self, response: HTTPResponse, beginning: bytes) -> None:
        """Raises SourceError for a web page and whatever else can hold no picture."""
        kind, declared = kind_of(beginning), response.headers.get_content_type()
        if kind is None or kind.use is Use.PICTURE or not beginning:
            return
        if not _PARTS.match(beginning) and not declared.startswith("multipart/"):
            raise SourceError(
                self._said(
                    "no_pictures",
                    f"gives {kind.name} ({declared}), and pictures are wanted: one, or a stream of JPEG "
                    "(multipart/x-mixed-replace); the camera's manual names its address, often /stream, /video, "
                    "/snapshot.jpg or /?action=stream",
                )
            )

    def _ask(self, known: Snapshot) -> Snapshot:
        """The picture of now, at an address that gives one. Raises RequestRefused, UsageError, SourceLost."""
        with self._connection.deadline(self._incoming.patience_s + 1):
            try:
                response = self._client.get(known.unless_changed)
            except (OSError, HTTPException, ValueError) as error:
                if self._connection.timed_out:  # it cannot be used again
                    raise SourceLost(self._silent()) from None
                why = self._address.without_answer(error)
                raise RequestRefused(self._said("unreachable", f"cannot be reached: {why}")) from None
            if response.status == HTTPStatus.NOT_MODIFIED:
                response.read()
                return replace(known, arrived_ns=time.monotonic_ns())
            return self._snapshot(response, self._chunks(response))

    def _snapshot(self, response: HTTPResponse, chunks: Iterator[bytes]) -> Snapshot:
        """The picture that is the whole body. Raises UsageError for another, SourceLost for a body without an end."""
        body = bytearray()
        for chunk in chunks:
            body += chunk
            if len(body) > MAX_PICTURE:
                raise SourceLost(f"the picture of {self._incoming.source} does not end within {MAX_PICTURE:,} bytes")
        arrived_ns, data = time.monotonic_ns(), bytes(body).lstrip(_SPACE)
        if data.startswith(_JPEG) and response.headers["Content-Length"] and not response.length:
            data = data.removesuffix(_END) + _END  # it is whole, and cameras leave the last marker out
        return Snapshot(self._decode(data).image, arrived_ns, unless_changed(response.headers))

    def _chunks(self, response: HTTPResponse) -> Iterator[bytes]:
        """The unpacked data as it comes, to its end or until `stop`. Raises SourceLost when nothing comes any more."""
        try:
            yield from unpacked(response, self._sent(response))
        except OSError as error:
            raise SourceLost(self._said("lost", f"cannot be read: {reason_of(error)}")) from None

    def _sent(self, response: HTTPResponse) -> Iterator[bytes]:
        while not self._stopped.is_set():
            try:
                with self._connection.deadline(self._incoming.patience_s + 1):  # a chunk may come byte by byte
                    data = response.read1(_CHUNK)
            except TimeoutError:
                raise SourceLost(self._silent()) from None
            except (OSError, HTTPException, ValueError) as error:
                if self._stopped.is_set():
                    return
                raise SourceLost(
                    self._silent()
                    if self._connection.timed_out
                    else self._said("lost", f"has ended its stream: {reason_of(error)}")
                ) from None
            if not data:
                if self._connection.timed_out:
                    raise SourceLost(self._silent())
                response.close()  # by itself it would not know, and its connection could not be used again
                return
            yield data

    def _silent(self) -> Sentence:
        return self._said("lost", f"has been silent for {self._incoming.patience_s:g} s")

    def _close(self) -> None:
        self._connection.__exit__()
        self._client.close()
        if self._decoder is not None:
            self._decoder.close()
        self._decoder = None


def _may_speak_otherwise(error: Exception) -> bool:
    """Whether there was no answer over a connection: the other side may have waited for TLS, or for none."""
    return isinstance(error, (ConnectionResetError, BrokenPipeError, TimeoutError, HTTPException, ssl.SSLEOFError))


def _is_one_picture(response: HTTPResponse, beginning: bytes) -> bool:
    """Whether a body is one picture by its beginning: it has a length, or a kind that streams do not have."""
    kind = kind_of(beginning)
    if kind is None or kind.use is not Use.PICTURE:
        return False
    return not beginning.startswith(_JPEG) or (response.length is not None and response.length <= MAX_PICTURE)
