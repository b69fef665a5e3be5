"""What the process that reads an RTSP camera and the daemon say to each other; pixels go through shared memory.

The daemon sends `Open` once and hears `Opened`; then of each picture `Grabbed`, which it answers by `Skip`, or by
`Take` until it hears a `Taken` of the same size. `Failed` is the child's last word. One message is one packet.
"""

from dataclasses import dataclass

PATIENCE_OPEN_S = 10  # FFmpeg looks at some 28 pictures before it knows a stream


@dataclass(frozen=True, slots=True)
class Open:
    """Read this camera. The address carries its secrets: on a command line everybody could read them."""

    uri: str
    patience_s: float
    """How long a picture may take to come."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The camera sends."""


@dataclass(frozen=True, slots=True)
class Grabbed:
    """A picture came, and is not converted yet."""

    arrived_ns: int


@dataclass(frozen=True, slots=True)
class Skip:
    """Nobody would look at it."""


@dataclass(frozen=True, slots=True)
class Take:
    """Write it, if it has `height` × `width` px, with its sides divided by `factor`, to that place in the memory.

    A descriptor beside it is the memory from now on.
    """

    height: int
    width: int
    factor: int
    offset: int


@dataclass(frozen=True, slots=True)
class Taken:
    """The picture has that many px, none if it is damaged; it was written if these are the px that were named."""

    height: int
    width: int


@dataclass(frozen=True, slots=True)
class StreamFailed:
    """Why there is no camera, or no picture any more: the end of a sentence; empty: it just gives none any more."""

    why: str


FromChild = Opened | Grabbed | Taken | StreamFailed
FromDaemon = Open | Skip | Take
FROM_CHILD: tuple[type[FromChild], ...] = (Opened, Grabbed, Taken, StreamFailed)
FROM_DAEMON: tuple[type[FromDaemon], ...] = (Open, Skip, Take)
