"""The other end of picamera_child: starts it, hears what it says, and is rid of it whatever it does."""

import logging
import mmap
import os
import socket
import subprocess
import sys
import weakref

import numpy as np
from numpy.typing import NDArray

from vitcam.sources.picamera_link import MAX_MESSAGE, SLOTS, Message, Ready, Wish, decode

log = logging.getLogger(__name__)

_END_S = 1.0
_MOST_HELD = SLOTS - 3  # the rest is on its way, or about to be written


class CameraProcess:
    """A running picamera_child. Everything but `hang_up` is called by one thread."""

    def __init__(self, wish: Wish) -> None:
        self._held: set[int] = set()
        self._memory_fd = os.memfd_create("vitcam-frames")
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-P", "-m", "vitcam.sources.picamera_child"]
        with theirs:
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno()), str(self._memory_fd), wish.to_json()],
                pass_fds=(theirs.fileno(), self._memory_fd),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # ours may be a stream of JSON
                env={"LIBCAMERA_LOG_LEVELS": "*:ERROR", **os.environ},
                start_new_session=True,  # Ctrl-C is for the daemon
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def receive(self, timeout_s: float) -> Message | None:
        """The next message; None when there was none in time. Raises EOFError when the process has ended."""
        self._link.settimeout(timeout_s)
        try:
            packet = self._packet()
        except TimeoutError:
            return None
        except OSError as error:
            raise EOFError from error
        if not packet:
            raise EOFError
        return decode(packet)

    def _packet(self) -> bytes:
        try:
            return self._link.recv(MAX_MESSAGE)
        except ConnectionResetError:  # it ended with slots of ours unread, which Linux says first, and only once
            return self._link.recv(MAX_MESSAGE)

    def map_memory(self, ready: Ready) -> mmap.mmap:
        """The child's slots, read-only; the mapping lives as long as an array shows a part of it."""
        return mmap.mmap(self._memory_fd, SLOTS * ready.slot_size, prot=mmap.PROT_READ)

    def lend(self, ready: Ready, memory: mmap.mmap, slot: int) -> NDArray[np.uint8]:
        """(slot_size,) uint8: a slot, which goes back to the child when nobody refers to the array any more."""
        lent = ready.bytes_of(memory, slot)
        if len(self._held) < _MOST_HELD:
            self._held.add(slot)
            weakref.finalize(lent, _hand_back, self._link, self._held, slot).atexit = False
            return lent
        copy = lent.copy()  # somebody collects frames: without a slot the camera would have to stop
        copy.setflags(write=False)
        _hand_back(self._link, self._held, slot)
        return copy

    def hang_up(self) -> None:
        """Make `receive` raise EOFError, in whatever thread; the child ends by itself."""
        try:
            self._link.shutdown(socket.SHUT_RDWR)
        except OSError:  # closed, or the child is gone
            return

    def end(self) -> int | None:
        """Be rid of the child and return its exit status; None if even SIGKILL does not end it (its driver hangs)."""
        self._link.close()
        os.close(self._memory_fd)
        for ask in (self._process.terminate, self._process.kill):
            ask()
            try:
                return self._process.wait(_END_S)
            except subprocess.TimeoutExpired:
                continue
        log.error("the camera's process %d does not end: its driver hangs, and only a reboot may help", self.pid)
        return None


def _hand_back(link: socket.socket, held: set[int], slot: int) -> None:
    """Called by the garbage collector, in any thread, also long after the child is gone."""
    held.discard(slot)
    try:
        link.send(bytes([slot]), socket.MSG_DONTWAIT)
    except OSError:
        return
