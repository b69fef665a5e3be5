"""Decodes pictures of others in a process of its own, which may crash, hang or want too much memory."""

import math
import os
import threading

from vitcam.errors import UsageError, VitcamError
from vitcam.pictures.decode import FOREIGN_PIXELS, Decoded, Limits, checked_header, reduction
from vitcam.pictures.decoder.messages import DONE, READY, Ask
from vitcam.pictures.header import Header
from vitcam.processes.child import Child, how_it_ended
from vitcam.processes.packets import pack
from vitcam.processes.shared_memory import SLOTS, Slots

PICTURE_S = 8.0  # a Pi takes 3 s for the worst 40 megapixels
MEMORY_MB = 640  # the worst 40 megapixels take 0.5 GB
STREAM_MEMORY_MB = 384  # pictures of a camera are reduced while they are decoded
_START_S = 30.0  # importing OpenCV from a cold SD card takes its time
_LATER_S = 2  # the child ends itself where we cannot
_FOREIGN = Limits(FOREIGN_PIXELS)
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class DecodeProcess:
    """Call it like `decode`. Its process is started when it is needed, and again when it has died.

    It may be called by several threads; they take turns. Close it in the end.

    patience_s  how long one picture may take
    stream      pictures of one size come one after the other: their memory is used again
    """

    def __init__(self, patience_s: float = PICTURE_S, stream: bool = False) -> None:
        self._patience_s = patience_s
        self._stream = stream
        self._turn = threading.Lock()
        self._closed = self._ready = False
        self._child: Child | None = None
        self._letter = -1
        self._slots: Slots | None = None
        self._known_slots: Slots | None = None
        """Those that the child has been told of."""

    @property
    def pid(self) -> int | None:
        """Of the process that runs now."""
        child = self._child
        return None if child is None else child.pid

    def start(self) -> None:
        """Let the process begin to start, so that the first picture waits less. Raises VitcamError."""
        with self._turn:
            self._started()

    def __call__(self, data: bytes, limits: Limits = _FOREIGN) -> Decoded:
        """Decode one picture; `image` is read-only.

        raises  UsageError for what `decode` refuses, and for a picture that takes too long or ends the process;
                VitcamError when there can be no process
        """
        header = checked_header(data, limits)
        factor = reduction(header.upright_size, limits.enough)
        with self._turn:
            slots = self._slots_for(header, factor)
            slot = slots.take()
            try:
                self._have_it_decoded(data, self._ask(data, limits, slots, slot), slots)
            except BaseException:
                slots.give_back(slot)
                raise
            image = slots.lend(slot, *header.reduced_size(factor))
            if not self._stream:
                self._forget_slots()
        height, width = header.upright_size
        return Decoded(image, width, height)

    def hang_up(self) -> None:
        """Let a decode that runs in another thread end at once, with a VitcamError."""
        self._closed = True
        child = self._child
        if child is not None:
            child.hang_up()

    def close(self) -> None:
        """End the process. Pictures that were handed out stay."""
        self.hang_up()
        with self._turn:
            self._end()
            self._forget_slots()
            if self._letter >= 0:
                os.close(self._letter)
                self._letter = -1

    def _slots_for(self, header: Header, factor: int) -> Slots:
        height, width = header.reduced_size(factor)
        size = 3 * height * width
        if self._slots is None or self._slots.size != size:
            self._forget_slots()
            self._slots = Slots(size, SLOTS if self._stream else 2)
        return self._slots

    def _ask(self, data: bytes, limits: Limits, slots: Slots, slot: int) -> Ask:
        return Ask(len(data), limits.most_pixels, limits.enough, slot * slots.size, slots.size, keep=self._stream)

    def _have_it_decoded(self, data: bytes, ask: Ask, slots: Slots) -> None:
        try:
            answer = self._answer(data, ask, slots)
        except EOFError:
            status = self._end()
            if status != 0 or self._closed:
                raise self._died(status) from None
            try:  # it had ended for want of work
                answer = self._answer(data, ask, slots)
            except EOFError:
                raise self._died(self._end()) from None
        if answer is None:
            self._end()
            raise UsageError(
                f"the picture takes more than {self._patience_s:g} s to decode; make it smaller, or save it anew"
            )
        if answer != DONE:
            raise UsageError(answer.decode(errors="replace"))

    def _answer(self, data: bytes, ask: Ask, slots: Slots) -> bytes | None:
        child = self._started()
        if not self._ready and child.receive(_START_S) != READY:
            self._end()
            raise VitcamError(f"the decoder's process has not started within {_START_S:g} s; is the machine busy?")
        self._ready = True
        os.pwrite(self._letter, data, 0)
        child.send(pack(ask), [slots.descriptor] if slots is not self._known_slots else [])
        self._known_slots = slots
        answer = child.receive(self._patience_s)
        os.ftruncate(self._letter, 0)
        return answer

    def _started(self) -> Child:
        if self._closed:
            raise VitcamError("the decoder has been closed")
        if self._child is not None and self._child.has_ended:  # while it was idle: no fault of the next picture's
            self._end()
        if self._child is None:
            if self._letter < 0:
                self._letter = os.memfd_create("vitcam-letter")
            memory_mb = STREAM_MEMORY_MB if self._stream else MEMORY_MB
            last_s = math.ceil(self._patience_s) + _LATER_S
            self._ready, self._known_slots = False, None
            try:
                self._child = Child(
                    "the decoder's process",
                    "vitcam.pictures.decoder.child",
                    [self._letter],
                    [str(memory_mb), str(last_s)],
                    _ONE_THREAD,
                )
            except OSError as error:
                raise VitcamError(f"the decoder's process cannot be started: {error.strerror}") from error
        return self._child

    def _end(self) -> int | None:
        child, self._child = self._child, None
        return None if child is None else child.end(at_once=True)

    def _forget_slots(self) -> None:
        if self._slots is not None:
            self._slots.close()
        self._slots = self._known_slots = None

    def _died(self, status: int | None) -> VitcamError:
        if self._closed:
            return VitcamError("the decoder was closed while it worked on the picture")
        return UsageError(f"not an image: the decoder ended on it {how_it_ended(status)}; are the data damaged?")
