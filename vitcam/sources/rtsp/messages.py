"""The messages between the daemon and the process that reads an RTSP camera; pixels go through shared memory.

The daemon sends `Open` once, and the child answers `Opened`. It then sends `Grabbed` for each picture. The daemon
answers with `Skip`, or with `Take` until the child sends a `Taken` of the same size. `StreamFailed` comes last.
"""

from dataclasses import dataclass

PATIENCE_OPEN_S = 10  # FFmpeg looks at some 28 pictures before it knows a stream


@dataclass(frozen=True, slots=True)
class Open:
    """Read this camera. The address contains secrets, so it is not on the command line, which anybody can read."""

    uri: str
    patience_s: float
    """How long a picture may take to come."""
    fingerprint: str = ""
    """As in `Trust`."""
    authority: str = ""
    """As in `Trust`."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The camera sends."""


@dataclass(frozen=True, slots=True)
class Grabbed:
    """A picture came, and is not converted yet."""

    arrived_ns: int


@dataclass(frozen=True, slots=True)
class Skip:
    """The picture is not needed."""


@dataclass(frozen=True, slots=True)
class Take:
    """Write it, if it has `height` × `width` px, with its sides divided by `factor`, to that place in the memory.

    A file descriptor that comes with it is the memory from now on.
    """

    height: int
    width: int
    factor: int
    offset: int


@dataclass(frozen=True, slots=True)
class Taken:
    """The size of the picture in px, 0 if it is damaged; it was written if `Take` named the same size."""

    height: int
    width: int


@dataclass(frozen=True, slots=True)
class StreamFailed:
    """Why there is no camera, or no picture any more: the end of a sentence; empty: the stream ended or is silent."""

    why: str


FromChild = Opened | Grabbed | Taken | StreamFailed
FromDaemon = Open | Skip | Take
FROM_CHILD: tuple[type[FromChild], ...] = (Opened, Grabbed, Taken, StreamFailed)
FROM_DAEMON: tuple[type[FromDaemon], ...] = (Open, Skip, Take)
