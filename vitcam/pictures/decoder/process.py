"""Decodes untrusted pictures in a separate process, which may crash, hang or use too much memory."""

import math
import os
import threading

from vitcam.errors import UsageError, VitcamError
from vitcam.pictures.decode import Decoded, Limits, checked_header, reduction
from vitcam.pictures.decoder.child import DONE, READY, DecodeRequest
from vitcam.pictures.header import Header
from vitcam.processes.child import Child, how_it_ended, pack
from vitcam.processes.shared_memory import POOL_SIZE, BufferPool

PICTURE_TIMEOUT_S = 8.0  # a Pi takes 3 s for the slowest 40 megapixels
MEMORY_MB = 640  # decoding may take 480 MB of it
STREAM_MEMORY_MB = 384  # pictures of a camera are reduced while they are decoded
_START_TIMEOUT_S = 30.0  # importing OpenCV from an SD card is slow the first time
_CHILD_EXTRA_S = 2  # if we cannot end the child, it ends itself so much later
_ANY = Limits()
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class DecodeProcess:
    """Call it like `decode`. Its process is started for the first picture, and again whenever it has ended.

    Several threads may call it; one picture is decoded at a time. Close it at the end.

    timeout_s  how long one picture may take
    stream     whether one picture of the same size follows another, so that their memory is used again
    """

    def __init__(self, timeout_s: float = PICTURE_TIMEOUT_S, stream: bool = False) -> None:
        self._timeout_s = timeout_s
        self._stream = stream
        self._lock = threading.Lock()
        self._closed = self._ready = False
        self._child: Child | None = None
        self._encoded = -1
        """Descriptor of the memory file for the encoded picture."""
        self._pool: BufferPool | None = None
        self._child_slots: BufferPool | None = None
        """The slots whose descriptor the child has."""

    @property
    def pid(self) -> int | None:
        """Of the process that runs now."""
        child = self._child
        return None if child is None else child.pid

    def start(self) -> None:
        """Begin to start the process, so that the first picture waits less. Raises VitcamError."""
        with self._lock:
            self._running_child()

    def __call__(self, data: bytes, limits: Limits = _ANY) -> Decoded:
        """Decode one picture.

        data     a whole JPEG, PNG, WebP or BMP file
        returns  `image` is (h, w, 3) uint8, RGB, upright, read-only
        raises   UsageError for what `decode` refuses, and for a picture that takes too long or ends the process;
                 VitcamError if the process cannot be started
        """
        header = checked_header(data, limits)
        factor = reduction(header, limits.enough)
        with self._lock:
            pool = self._pool_for(header, factor)
            buffer = pool.take()
            try:
                self._decode(data, self._request(data, limits, pool, buffer), pool)
            except BaseException:
                pool.give_back(buffer)
                raise
            image = pool.lend(buffer, *header.reduced_size(factor))
            if not self._stream:
                self._close_slots()
        height, width = header.upright_size
        return Decoded(image, width, height)

    def hang_up(self) -> None:
        """End a decode that runs in another thread at once, with a VitcamError there."""
        self._closed = True
        child = self._child
        if child is not None:
            child.hang_up()

    def close(self) -> None:
        """End the process. Pictures that were returned stay valid."""
        self.hang_up()
        with self._lock:
            self._end()
            self._close_slots()
            if self._encoded >= 0:
                os.close(self._encoded)
                self._encoded = -1

    def _pool_for(self, header: Header, factor: int) -> BufferPool:
        height, width = header.reduced_size(factor)
        size = 3 * height * width
        fits = self._pool is not None and (size <= self._pool.size if self._stream else size == self._pool.size)
        if self._pool is None or not fits:  # a camera's picture may be reduced now and then
            self._close_slots()
            self._pool = BufferPool(size, POOL_SIZE if self._stream else 2)
        return self._pool

    def _request(self, data: bytes, limits: Limits, pool: BufferPool, buffer: int) -> DecodeRequest:
        offset = buffer * pool.size
        return DecodeRequest(len(data), limits.most_pixels, limits.enough, offset, pool.size, keep=self._stream)

    def _decode(self, data: bytes, request: DecodeRequest, pool: BufferPool) -> None:
        """Have the child decode into a slot. Raises UsageError, VitcamError."""
        try:
            answer = self._ask_child(data, request, pool)
        except EOFError:
            status = self._end()
            if status != 0 or self._closed:
                raise self._ended_error(status) from None
            try:  # it had ended because it was idle
                answer = self._ask_child(data, request, pool)
            except EOFError:
                raise self._ended_error(self._end()) from None
        if answer is None:
            self._end()
            raise UsageError(
                f"the picture takes more than {self._timeout_s:g} s to decode; make it smaller, or save it again"
            )
        if answer != DONE:
            raise UsageError(answer.decode(errors="replace"))

    def _ask_child(self, data: bytes, request: DecodeRequest, pool: BufferPool) -> bytes | None:
        """The child's answer; None if there is none in time. Raises EOFError if the child has ended."""
        child = self._running_child()
        if not self._ready and child.receive(_START_TIMEOUT_S) != READY:
            self._end()
            raise VitcamError(f"the decoder process did not start within {_START_TIMEOUT_S:g} s; is the machine busy?")
        self._ready = True
        os.pwrite(self._encoded, data, 0)
        child.send(pack(request), [pool.fd] if pool is not self._child_slots else [])
        self._child_slots = pool if request.keep else None  # else it forgets them with the answer
        answer = child.receive(self._timeout_s)
        os.ftruncate(self._encoded, 0)
        return answer

    def _running_child(self) -> Child:
        if self._closed:
            raise VitcamError("the decoder has been closed")
        if self._child is not None and self._child.has_ended:  # while it was idle, so not because of the next picture
            self._end()
        if self._child is None:
            self._child = self._start_child()
        return self._child

    def _start_child(self) -> Child:
        if self._encoded < 0:
            self._encoded = os.memfd_create("vitcam-encoded")
        memory_mb = STREAM_MEMORY_MB if self._stream else MEMORY_MB
        child_timeout_s = math.ceil(self._timeout_s) + _CHILD_EXTRA_S
        self._ready, self._child_slots = False, None
        try:
            return Child(
                "the decoder process",
                "vitcam.pictures.decoder.child",
                [self._encoded],
                [str(memory_mb), str(child_timeout_s)],
                _ONE_THREAD,
            )
        except OSError as error:
            raise VitcamError(f"the decoder process cannot be started: {error.strerror}") from error

    def _end(self) -> int | None:
        child, self._child = self._child, None
        return None if child is None else child.end(at_once=True)

    def _close_slots(self) -> None:
        if self._pool is not None:
            self._pool.close()
        self._pool = self._child_slots = None

    def _ended_error(self, status: int | None) -> VitcamError:
        if self._closed:
            return VitcamError("the decoder was closed while it decoded the picture")
        return UsageError(
            f"not an image: the decoder process ended {how_it_ended(status)} while it decoded it; is the file damaged?"
        )
