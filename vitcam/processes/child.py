"""A process of our own program for work that may hang, crash or fill the memory: a process can be killed."""

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence

log = logging.getLogger(__name__)

MAX_MESSAGE = 4096  # bytes
_END_S = 1.0
_NOTHING: Mapping[str, str] = {}


class Child:
    """`python -m MODULE LINK DESCRIPTOR… ARGUMENT…` in an interpreter of its own; LINK is the descriptor of its end.

    One message is one packet (SOCK_SEQPACKET). The child ends when the link does, so it never outlives us.
    Everything but `hang_up` is called by one thread.

    name         for the log, such as "the camera's process"
    descriptors  inherited under the same numbers
    env          for what the environment does not say already
    raises       OSError where there can be no more processes
    """

    def __init__(
        self,
        name: str,
        module: str,
        descriptors: Sequence[int] = (),
        arguments: Sequence[str] = (),
        env: Mapping[str, str] = _NOTHING,
    ) -> None:
        self._name = name
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        inherited = (theirs.fileno(), *descriptors)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, *map(str, inherited), *arguments],
                pass_fds=inherited,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # ours may be a stream of JSON
                env={**env, **os.environ},
                start_new_session=True,  # Ctrl-C is for the daemon
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the process is over, however it came to that."""
        return self._process.poll() is not None

    def send(self, packet: bytes, descriptors: Sequence[int] = (), wait: bool = True) -> None:
        """Tell the child something. Raises EOFError when it has ended."""
        flags = 0 if wait else socket.MSG_DONTWAIT
        try:
            socket.send_fds(self._link, [packet], descriptors, flags)
        except OSError as error:
            raise EOFError from error

    def receive(self, timeout_s: float) -> bytes | None:
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
        return packet

    def _packet(self) -> bytes:
        try:
            return self._link.recv(MAX_MESSAGE)
        except ConnectionResetError:  # it ended with a message of ours unread, which Linux says first, and only once
            return self._link.recv(MAX_MESSAGE)

    def hang_up(self) -> None:
        """Make `receive` raise EOFError, in whatever thread; the child ends by itself."""
        try:
            self._link.shutdown(socket.SHUT_RDWR)
        except OSError:  # closed, or the child is gone
            return

    def end(self, at_once: bool = False) -> int | None:
        """Be rid of the child and return its exit status; None if even SIGKILL does not end it (a driver hangs)."""
        self._link.close()
        for ask in (self._process.kill,) if at_once else (self._process.terminate, self._process.kill):
            ask()
            try:
                return self._process.wait(_END_S)
            except subprocess.TimeoutExpired:
                continue
        log.error("%s %d does not end: its driver hangs, and only a reboot may help", self._name, self.pid)
        return None


def how_it_ended(status: int | None) -> str:
    """The end of a sentence about a process that ended with that exit status; None: nobody knows."""
    if status is None:
        return "without a word"
    return f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
