"""Runs `vitcam run` with a clock around each stage of a frame, and answers on a socket what they took so far.

python -P stage_clock.py DESCRIPTOR time|memory OPTION...

Wrapped from outside: the product has no such clocks. It imports nothing but vitcam and the standard library, so that it
measures other checkouts, too; what one of them does not have is left out. `time` counts seconds, of the processor and
of the clock, without what a stage calls of other stages; `memory` counts blocks and bytes, and is slow.
"""

import importlib
import json
import socket
import sys
import threading
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable
from typing import Any

STAGES = {
    "capture": ("vitcam.pipeline.stages:CaptureStage._deliver",),
    "follow": ("vitcam.pipeline.following:Following.take",),
    "choose looks": ("vitcam.pipeline.looks:Looks.begin", "vitcam.pipeline.looks:Looks.next"),
    "resize": ("vitcam.model.classifier:of_model_size", "vitcam.model.classifier:brightened"),
    "blank": ("vitcam.model.classifier:contrast",),
    "write": ("vitcam.model.runtime:Interpreter.set_input",),
    "invoke": ("vitcam.model.runtime:Interpreter.invoke",),
    "read": ("vitcam.model.runtime:Interpreter.get_output",),
    "top-k": (
        "vitcam.model.classifier:Classifier._best",
        "vitcam.model.classifier:most_probable",
        "vitcam.model.groups:Groups.likely",
    ),
    "familiarity": ("vitcam.model.classifier:familiarity",),
    "prediction": ("vitcam.model.classifier:Classifier._prediction",),
    "headline": ("vitcam.pipeline.headlines:Headlines.add_to",),
    "latest frame": (
        "vitcam.pipeline.latest_frame:LatestFrame.classified",
        "vitcam.pipeline.latest_frame:LatestFrame.captured",
    ),
    "hand over": ("vitcam.slot:Handover.put", "vitcam.slot:Slot.put"),
    "rest of classifying": ("vitcam.pipeline.stages:ClassifyStage._take",),
    "events": ("vitcam.pipeline.place_events:PlaceEvents.step",),
    "history": ("vitcam.history.recorder:Recorder.saw",),
    "best picture": ("vitcam.history.best_picture:BestPicture.consider",),
    "clip ring": ("vitcam.parts.clips.recorder:ClipRecorder.saw",),
    "problems": ("vitcam.parts.problems.watch:ProblemWatch.saw",),
    "inbox": ("vitcam.parts.teach.inbox.keeper:InboxKeeper.saw",),
    "collector": ("vitcam.parts.teach.datasets.collector:Collector.saw",),
    "publish": ("vitcam.daemon.publisher:Publisher.prediction",),
    "overlay": ("vitcam.web.stream.encoder:draw",),
    "encode": ("vitcam.web.stream.encoder:encode_jpeg",),
    "socket": ("asyncio.selector_events:_SelectorSocketTransport.write",),
}
"""Stage -> what is wrapped, as `module:name`."""


class Clock:
    """What the stages took, by thread and stage: two sums each, and calls."""

    def __init__(self, memory: bool) -> None:
        self._read: Callable[[], tuple[int, int]] = _memory if memory else _times
        self._memory = memory
        self._local = threading.local()
        self._sums: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])

    def wrap(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, measured."""

        def measured(*arguments: Any, **named: Any) -> Any:
            stack: list[list[int]] = self._local.__dict__.setdefault("stack", [])
            inner = [0, 0]
            stack.append(inner)
            if self._memory:
                tracemalloc.reset_peak()
            before = self._read()
            try:
                return function(*arguments, **named)
            finally:
                after = self._read()
                stack.pop()
                took = after[0] - before[0], (_peak() if self._memory else after[1]) - before[1]
                sums = self._sums[threading.current_thread().name, stage]
                sums[0] += took[0] - inner[0]
                sums[1] += took[1] if self._memory else took[1] - inner[1]
                sums[2] += 1
                if stack:
                    stack[-1][0] += took[0]
                    stack[-1][1] += took[1]

        return measured

    def answer(self, descriptor: int) -> None:
        """One line of JSON for each line that comes: [[thread, stage, sum, sum, calls]…], {number: thread}."""
        with socket.socket(fileno=descriptor) as asked, asked.makefile("rw") as lines:
            for _ in lines:
                sums = [[*key, *sums] for key, sums in self._sums.copy().items()]
                names = {thread.native_id: thread.name for thread in threading.enumerate()}
                print(json.dumps([sums, names]), file=lines, flush=True)


def _times() -> tuple[int, int]:
    return time.thread_time_ns(), time.perf_counter_ns()


def _memory() -> tuple[int, int]:
    """Blocks of Python, and bytes that are traced, NumPy's too."""
    return sys.getallocatedblocks(), tracemalloc.get_traced_memory()[0]


def _peak() -> int:
    return tracemalloc.get_traced_memory()[1]


def wrap_all(clock: Clock) -> None:
    """Put the clock around every stage that this checkout has."""
    for stage, places in STAGES.items():
        for place in places:
            module, _, name = place.partition(":")
            *path, last = name.split(".")
            try:
                holder = importlib.import_module(module)
                for part in path:
                    holder = getattr(holder, part)
                setattr(holder, last, clock.wrap(stage, getattr(holder, last)))
            except (ImportError, AttributeError):
                print(f"not measured: {place}", file=sys.stderr)


def main() -> None:
    """Run the daemon in this process."""
    descriptor, kind, *options = sys.argv[1:]
    clock = Clock(kind == "memory")
    wrap_all(clock)
    threading.Thread(target=clock.answer, args=(int(descriptor),), daemon=True).start()
    if kind == "memory":
        tracemalloc.start()
    sys.argv = ["vitcam", "run", *options]
    importlib.import_module("vitcam.cli").main()


if __name__ == "__main__":
    main()
