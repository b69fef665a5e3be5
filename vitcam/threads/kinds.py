"""Every thread of a run but those of its parts, which each part names in `Part.threads`: what it does, what it may wait
for, and what happens where it fails or stands still.

The thread table of docs/program/architecture.md is made from this one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_AGAIN = "begins again, and the state says so"
_SAID = "the state says so"
_RESTART = "systemd restarts the daemon"
WAITER = "the one who waits for it gets the error"


@dataclass(frozen=True, slots=True)
class ThreadKind:
    """One row of the table."""

    does: str
    waits_for: str
    """What it may block on, and for how long."""
    lost: str = ""
    """What does not happen while it stands still, as a sentence without a stop."""
    bound_s: float | None = None
    """It has moved within this time, or it stands still; None: nobody looks, or its users do."""
    fails: str = _AGAIN
    hangs: str = _SAID


KINDS: Mapping[str, ThreadKind] = {
    "main": ThreadKind(
        "waits for the end, looks after all other threads, feeds systemd's watchdog",
        "nothing for more than 0.1 s",
        fails="the run ends with its reason",
        hangs=_RESTART,
    ),
    "load": ThreadKind(
        "loads and tries the model while the rest is imported, once",
        "the disk, some inferences",
        fails="main loads the model, which says why it cannot be used",
        hangs="the start waits for it",
    ),
    "import": ThreadKind(
        "imports PyAV for a film while the model is loaded, once",
        "the disk",
        fails="the source is refused with its reason",
        hangs="the start waits for it for 60 s",
    ),
    "capture_stage": ThreadKind(
        "reads the source", "the source; a child process holds the camera", fails=_AGAIN, hangs=_RESTART
    ),
    "tls": ThreadKind(
        "carries the bytes of an RTSP camera between FFmpeg and TLS, in the child process that reads it",
        "the camera",
        fails="the camera is lost, and tried again",
        hangs="the same",
    ),
    "classify_stage": ThreadKind(
        "asks the model; XNNPACK has threads of its own", "one inference", fails=_AGAIN, hangs=_RESTART
    ),
    "publish_stage": ThreadKind("events and sinks", "the output", fails=_AGAIN, hangs=_RESTART),
    "web": ThreadKind("the event loop of the web server: all requests", "nothing", fails=_RESTART, hangs=_RESTART),
    "encode": ThreadKind(
        "makes the JPEGs of viewers", "encoding one picture", "viewers get no new pictures", 30.0, WAITER
    ),
    "upload": ThreadKind(
        "uploaded photos", "decoding, 20 s, and one inference", "uploaded photos are not classified", 60.0, WAITER
    ),
    "fetch": ThreadKind(
        "pictures from addresses on the internet",
        "another server, 20 s",
        "no pictures are fetched from addresses",
        60.0,
        WAITER,
    ),
    "change": ThreadKind(
        "changes that viewers make: crop, zones, words", "the disk", "changes of the page are not kept", 60.0, WAITER
    ),
    "remember": ThreadKind(
        "keeps crop and zones for the next start once they have worked, and saves what a full disk did not take",
        "the disk",
        "changes of the page are not kept",
        60.0,
    ),
    "access": ThreadKind(
        "reads passwords, tokens and certificates again", "the disk", "changed passwords are not noticed", 60.0, WAITER
    ),
    "password": ThreadKind("checks passwords", "nothing for more than 1 s", "nobody can log in", 60.0, WAITER),
    "reads": ThreadKind(
        "reads the history for requests, and draws its pictures",
        "the disk",
        "the page does not get the history",
        60.0,
        WAITER,
    ),
    "models": ThreadKind(
        "reads the files of models, for the list of them",
        "the disk; the one who asks, for 20 s",
        "the models are not listed",
        60.0,
        WAITER,
    ),
    "edit": ThreadKind(
        "changes that viewers make in the history",
        "the thread `history`, 20 s",
        "events cannot be changed",
        90.0,
        WAITER,
    ),
    "history": ThreadKind(
        "writes events and pictures, and deletes what is too old", "the disk", "no events are kept", 120.0
    ),
    "disk": ThreadKind(
        "looks every five seconds whether the disk has room, and whether the models can be read",
        "the disk",
        "the disk does not answer, so files are neither read nor written",
        30.0,
    ),
    "deadline": ThreadKind(
        "closes a network camera's connection that is too slow", "its time", hangs="the capture stage is watched"
    ),
    "full-name": ThreadKind(
        "asks the network for the full name of this machine, once", "the network", hangs="nothing waits for it"
    ),
    "end": ThreadKind(
        "ends the process 1.5 s after SIGTERM, whatever hangs",
        "a signal",
        fails="systemd ends the process",
        hangs="systemd ends the process",
    ),
}
"""By the name of the thread."""
