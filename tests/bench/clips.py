"""What clips cost: frames/s and latency with clips and an encoder that works, against a daemon without clips.

python -m tests.bench.clips [--turns 10]

Two daemons keep events of the bundled clip from memory; one of them records clips. Only one is awake at a time, its
encoder with it. An event comes every three seconds in both, so that there is always a clip to encode.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tests.bench.latency import follow
from tests.bench.turns import in_turns, show
from tests.daemon import Daemon, daemon
from vitcam import events
from vitcam.events import EventState, Rules
from vitcam.frames import Event, Prediction

_EVERY_NS = 3_000_000_000
_CLIPS = ("clips.enabled=true", "clips.before_s=5", "clips.after_s=1")
_RATE_S, _FOLLOW_S, _AWAKE_S = 0.7, 3.0, 0.3
_WRAPPER = '#!/bin/sh\nshift 3\nexec "{python}" -m tests.bench.clips --child "$@"\n'


@dataclass
class Encoded:
    """What the encoder did while it was measured."""

    made: int = 0
    looks: int = 0
    busy: int = 0


def scripted(
    rules: Rules, state: EventState, prediction: Prediction, new_id: Callable[[], str]
) -> tuple[EventState, tuple[Event, ...]]:
    """Instead of `vitcam.events.step`: events by the clock, since the frames from memory change too fast for any."""
    now, before = prediction.captured_ns, state.last_ns
    if before is not None and now // _EVERY_NS == before // _EVERY_NS:
        return EventState(last_ns=now, current=state.current), ()
    start_ns = now // _EVERY_NS * _EVERY_NS
    said = [Event(f"01{start_ns:024}", "new", prediction.top[0].label, 0.9, start_ns, None, prediction.source)]
    if before is not None:
        began_ns = before // _EVERY_NS * _EVERY_NS
        ended = Event(f"01{began_ns:024}", "end", prediction.top[0].label, 0.9, began_ns, now, prediction.source)
        said.insert(0, ended)
    return EventState(last_ns=now), tuple(said)


@contextmanager
def asleep(wrapper: Path, fps: int, *settings: str) -> Iterator[Daemon]:
    """A daemon with events by the clock, stopped by a signal."""
    chosen = [word for setting in (f"camera.fps={fps}", *settings) for word in ("--set", setting)]
    with tempfile.TemporaryDirectory() as state:
        options = ("--source", "demo:ram", "--realtime", "--loop", *chosen)
        with daemon(*options, python=str(wrapper), XDG_STATE_HOME=state) as running:
            running.wait_for("ok")
            time.sleep(8)
            send(running, signal.SIGSTOP)
            yield running
            send(running, signal.SIGCONT)


def send(running: Daemon, number: signal.Signals) -> None:
    """A signal to the daemon and its encoder."""
    running.process.send_signal(number)
    for child in running.children("ffmpeg"):
        os.kill(child, number)


@contextmanager
def awake(running: Daemon, encoded: Encoded) -> Iterator[None]:
    """Let it run while the context lasts."""
    send(running, signal.SIGCONT)
    time.sleep(_AWAKE_S)
    before = running.state()["clips"]
    yield
    after = running.state()["clips"]
    encoded.made += after["made"] - before["made"]
    encoded.looks += 2
    encoded.busy += (before["queued"] > 0) + (after["queued"] > 0)
    send(running, signal.SIGSTOP)


def rate(running: Daemon, encoded: Encoded) -> tuple[float]:
    """Frames/s."""
    with awake(running, encoded):
        before, started = running.state()["frames"]["classified"], time.monotonic()
        time.sleep(_RATE_S)
        frames = running.state()["frames"]["classified"] - before
        per_s = frames / (time.monotonic() - started)
    return (per_s,)


def latencies_ms(running: Daemon, encoded: Encoded) -> tuple[float, float]:
    """p50 and p99 from capture to prediction."""
    with awake(running, encoded):
        p50, p99 = np.percentile([each["total"] for each in follow(running.url, _FOLLOW_S)], (50, 99))
    return float(p50), float(p99)


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.clips")
    options.add_argument("--turns", type=int, default=10)
    o = options.parse_args()
    print(f"{o.turns} turns, load {os.getloadavg()[0]:.1f} at the start\n")
    print("| | clips off | clips on | on / off, 95 % interval |\n|---|---|---|---|")
    off, on = Encoded(), Encoded()
    with tempfile.TemporaryDirectory() as folder:
        wrapper = Path(folder, "python")
        wrapper.write_text(_WRAPPER.format(python=sys.executable))
        wrapper.chmod(0o755)
        with ExitStack() as stack:
            without, with_clips = (stack.enter_context(asleep(wrapper, 240, *s)) for s in ((), _CLIPS))
            (rates,) = in_turns(10 * o.turns, partial(rate, without, off), partial(rate, with_clips, on))
        show("frames/s, the model always busy", rates)
        with ExitStack() as stack:
            without, with_clips = (stack.enter_context(asleep(wrapper, 30, *s)) for s in ((), _CLIPS))
            middle, worst = in_turns(
                2 * o.turns, partial(latencies_ms, without, off), partial(latencies_ms, with_clips, on)
            )
    show("capture to prediction at 30 frames/s, p50, ms", middle)
    show("capture to prediction at 30 frames/s, p99, ms", worst)
    print(f"\n{on.made} clips were made meanwhile; the encoder was at work in {on.busy} of {on.looks} looks")
    print(f"load {os.getloadavg()[0]:.1f} at the end")


def child() -> None:
    """`vitcam` with events by the clock."""
    events.step = scripted  # before anybody imports it from there
    from vitcam.cli import main as vitcam

    sys.argv = ["vitcam", *sys.argv[2:]]
    vitcam()


if __name__ == "__main__":
    child() if sys.argv[1:2] == ["--child"] else main()
