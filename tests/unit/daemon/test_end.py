"""The end of a run: what nobody will wait for goes first, and no part takes the time of those after it."""

import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from vitcam.daemon import supervisor
from vitcam.daemon.shutdown import ShutdownRequest
from vitcam.errors import VitcamError
from vitcam.run.ending import Ending
from vitcam.run.kinds import Runs
from vitcam.run.objects import Objects
from vitcam.sinks.sink import Summary
from vitcam.state import PipelineState
from vitcam.threads.worker import Watched


class Parts:
    """A daemon whose parts take all the time that they get, in the order in which they are asked."""

    def __init__(self, hangs: bool) -> None:
        self._hangs = hangs
        self.asked: list[str] = []
        self.workers: tuple[Watched, ...] = ()
        self.publisher = SimpleNamespace(errors=0, close=self._closed)
        self.pipeline = SimpleNamespace(
            state=lambda: PipelineState("ok", "", 1.0, "demo", "toy"), failure=None, stop=self._part("pipeline", True)
        )
        self.photos = self.outbox = SimpleNamespace(close=lambda: None)
        self.fetch = None
        self.web = SimpleNamespace(stop=self._part("web", None))
        self.objects = Objects()
        self.objects.add(Running("history", self), Running("clips", self))

    def _closed(self, summary: Summary | None) -> None:
        self.asked.append("publisher")

    def _part(self, name: str, result: Any) -> Any:
        def stop(timeout_s: float) -> Any:
            self.take_time(name, timeout_s)
            return result

        return stop

    def take_time(self, name: str, timeout_s: float) -> None:
        self.asked.append(name)
        if self._hangs:
            threading.Event().wait(timeout_s)


class Running(Runs):
    workers = ()

    def __init__(self, name: str, parts: Parts) -> None:
        self._name, self._parts = name, parts

    def start(self) -> None: ...

    def hurry(self) -> None:
        self._parts.asked.append(f"hurry {self._name}")

    def stop(self, ending: Ending) -> None:
        self._parts.take_time(f"{self._name} {ending.in_haste}", ending.left_s())


def ended(parts: Parts, by_signal: bool) -> float:
    """How long the end took, in s."""
    request = ShutdownRequest()
    request.requested = by_signal
    began_s = time.monotonic()
    supervisor._end(parts, request)  # type: ignore[arg-type]
    return time.monotonic() - began_s


@pytest.mark.parametrize("by_signal", [True, False])
def test_after_a_signal_all_hurry_before_anything_ends_and_what_began_last_ends_first(by_signal: bool) -> None:
    parts = Parts(hangs=False)
    ended(parts, by_signal)

    first = ["hurry history", "hurry clips"] if by_signal else []
    last = [f"clips {by_signal}", f"history {by_signal}"]
    assert parts.asked == [*first, "web", "pipeline", "publisher", *last]


def test_an_output_that_cannot_be_written_keeps_nothing_from_the_history() -> None:
    parts = Parts(hangs=False)

    def refuses(summary: Summary | None) -> None:
        raise VitcamError("the output cannot be written: No space left on device")

    parts.publisher.close = refuses
    with pytest.raises(VitcamError, match="No space left"):
        ended(parts, by_signal=False)

    assert parts.asked[-2:] == ["clips False", "history False"]


def test_parts_that_all_hang_leave_time_to_write_the_history() -> None:
    parts = Parts(hangs=True)

    assert ended(parts, by_signal=True) < 1.5
    assert parts.asked[-1] == "history True"


INSIDE_OPENCV = """
import cv2
import numpy as np

from tests.unit.daemon.test_end import Parts, ended
from vitcam.threads.worker import Worker

picture = np.zeros((3000, 4000, 3), np.uint8)
inside = []


def encode():
    while True:
        inside.append(cv2.imencode(".jpg", picture))


parts = Parts(hangs=False)
parts.workers = (Worker("history", encode),)
parts.workers[0].start()
while not inside:
    pass
ended(parts, by_signal=True)
"""


@pytest.mark.fault(
    "A thread that does not end in time",
    injected="SIGTERM while the history encodes a picture, and continues",
    observed="the process leaves it behind and ends with 0",
)
def test_a_thread_that_is_still_inside_opencv_does_not_abort_the_process() -> None:
    child = subprocess.run([sys.executable, "-c", INSIDE_OPENCV], cwd=Path(__file__).parents[3], timeout=120)

    assert child.returncode == 0
