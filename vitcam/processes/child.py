"""A process of this program for work that may hang, crash or fill the memory: a process can be killed.

A message to or from it is a frozen dataclass, sent as one packet of JSON.
"""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")

log = logging.getLogger(__name__)

MAX_MESSAGE = 4096  # bytes
_END_S = 1.0
_NOTHING: Mapping[str, str] = {}


class Child:
    """`python -m MODULE LINK FD… ARGUMENT…` in an interpreter of its own; LINK is the file descriptor of its socket.

    It gets none of the variables `VITCAM_…`: they may hold a password, and a child reads untrusted bytes.
    One message is one packet (SOCK_SEQPACKET). The child ends when the socket is closed, so it never outlives the
    daemon. All methods but `hang_up` are called by one thread.

    name    for the log, such as "the camera's process"
    fds     file descriptors that it inherits under the same numbers
    env     variables for it, where the environment does not set them already
    raises  OSError where no more processes can be started
    """

    def __init__(
        self,
        name: str,
        module: str,
        fds: Sequence[int] = (),
        arguments: Sequence[str] = (),
        env: Mapping[str, str] = _NOTHING,
    ) -> None:
        self._name = name
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        inherited = (theirs.fileno(), *fds)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, *map(str, inherited), *arguments],
                pass_fds=inherited,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # the daemon's own may be a stream of JSON
                env={**env, **without_settings(os.environ)},
                start_new_session=True,  # Ctrl-C is for the daemon
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended, for any reason."""
        return self._process.poll() is not None

    def send(self, packet: bytes, fds: Sequence[int] = (), wait: bool = True) -> None:
        """Send a message, and file descriptors with it. Raises EOFError when the child has ended."""
        flags = 0 if wait else socket.MSG_DONTWAIT
        try:
            socket.send_fds(self._link, [packet], fds, flags)
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
        except ConnectionResetError:  # it ended with a message to it unread, which Linux reports first, and only once
            return self._link.recv(MAX_MESSAGE)

    def hang_up(self) -> None:
        """Make `receive` raise EOFError, in any thread; the child ends by itself."""
        try:
            self._link.shutdown(socket.SHUT_RDWR)
        except OSError:  # closed, or the child is gone
            return

    def end(self, at_once: bool = False) -> int | None:
        """End the child and return its exit status; None if even SIGKILL does not end it, because a driver hangs."""
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
    """The end of a sentence about a process that ended with that exit status; None: it is unknown."""
    if status is None:
        return "for an unknown reason"
    return f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"


def pack(message: "DataclassInstance") -> bytes:
    """A message as one packet."""
    return json.dumps({"type": type(message).__name__.lower(), **asdict(message)}).encode()


def unpack(packet: bytes, kinds: Sequence[type[T]]) -> T:
    """The message in a packet of `pack`; a tuple in it has become a list.

    kinds  classes that it may have
    """
    fields: dict[str, Any] = json.loads(packet)
    name = fields.pop("type")
    return next(kind for kind in kinds if kind.__name__.lower() == name)(**fields)


def without_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables without those of vitcam, which may hold a password."""
    return {name: value for name, value in environ.items() if not name.startswith("VITCAM_")}
