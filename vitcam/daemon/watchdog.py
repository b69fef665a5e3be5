"""Decides whether systemd's watchdog may be fed: while every stage makes progress, or tries again within its bounds.

A missing camera does not stop it: capture beats with every attempt to open it, and the page shows why there is no
picture. What only a restart can repair does: an inference that hangs, a dead event loop, a stage that ended, a capture
stage that is stuck beyond all its own time-outs. A dead supervisor sends nothing, so it needs no rule here.

All other threads are looked after without systemd: vitcam sees and shows also without them, and what they wait for,
such as a disk, would hang after a restart, too.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from vitcam.state import Heartbeats
from vitcam.threads.worker import Watched

HUNG_AFTER_NS = 10_000_000_000  # a ViT takes 6 to 100 ms on a Pi: nothing healthy takes a hundred times as long
CAPTURE_BOUND_NS = 60_000_000_000  # above every time-out inside a source: RTSP alone may take 30 s to open


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether to feed, and if not, why: the last line in the journal before the restart."""

    feed: bool
    reason: str
    """One sentence; empty when all is well."""


def may_feed(now_ns: int, beats: Heartbeats) -> Verdict:
    """Feed unless a rule objects; the first that does gives the reason."""
    for what, since_ns, bound_ns in (
        ("the model has not answered", beats.classifying_since_ns, HUNG_AFTER_NS),
        ("the sinks have not taken a prediction", beats.publishing_since_ns, HUNG_AFTER_NS),
        ("the web server has not moved", beats.web_ns, HUNG_AFTER_NS),
        ("the source has neither given a frame nor been tried again", beats.capture_ns, CAPTURE_BOUND_NS),
    ):
        if since_ns is not None and now_ns - since_ns > bound_ns:
            stuck_s, allowed_s = (now_ns - since_ns) / 1e9, bound_ns / 1e9
            return Verdict(False, f"{what} for {stuck_s:.0f} s; {allowed_s:.0f} s are allowed")
    if beats.ended:
        return Verdict(False, f"ended before the run did: {', '.join(beats.ended)}")
    return Verdict(True, "")


def faults_of(workers: Iterable[Watched]) -> Counter[str]:
    """How often threads failed since the start and began again, by name: several may have the same one."""
    counts: Counter[str] = Counter()
    for worker in workers:
        counts.update(worker.faults())
    return counts


def look_after(workers: Iterable[Watched]) -> str:
    """Start threads that should run and do not.

    returns  what does not happen because a thread has failed or stands still, for the state; empty: all is well
    """
    troubles = []
    for worker in workers:
        worker.revive()
        troubles.append(worker.trouble())
    return "; ".join(dict.fromkeys(filter(None, troubles)))
