"""What a frame costs an owner: processor time of the whole daemon for each classified frame, over a bare inference's.

python -m tests.bench.frame [--turns 10] [--seconds 5] [--threads 2] [--model everyday]

`demo:ram` at 720p and 30 frames/s, as a Pi's camera delivers it: nobody watches, and one viewer has the overlay at
640 px, 15 pictures/s. The bare interpreter sleeps until a frame is due, and does nothing else. All are there all the
time and take turns, so what slows the machine for a while slows all of them.
"""

import argparse
import json
import signal
import time

from tests.bench.latency import PACED
from tests.bench.throughput import answer_of, bare_interpreter, one_viewer
from tests.bench.turns import Pair, show
from tests.bench.viewers import usage
from tests.daemon import Daemon, daemon

_AWAKE_S = 1.0  # until a daemon that slept is at its pace again


def frame_ms(sleeping: Daemon, seconds: float) -> float:
    """Processor time of the daemon for each frame that it classifies while it is awake, in ms; it is put to sleep."""
    pid = sleeping.process.pid
    sleeping.process.send_signal(signal.SIGCONT)
    time.sleep(_AWAKE_S)
    count, spent_s = sleeping.state()["frames"]["classified"], usage(pid).cpu_s
    time.sleep(seconds)
    found = sleeping.state()["frames"]["classified"] - count, usage(pid).cpu_s - spent_s
    sleeping.process.send_signal(signal.SIGSTOP)
    return float(1000 * found[1] / found[0])


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.frame")
    options.add_argument("--turns", type=int, default=10)
    options.add_argument("--seconds", type=float, default=5.0)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--model", default="everyday")
    o = options.parse_args()
    run = ("--source", "demo:ram", "--realtime", "--loop", "--threads", str(o.threads), "--model", o.model)
    nobody, viewer = list[Pair](), list[Pair]()
    with (
        bare_interpreter(o.model, o.threads, o.seconds, PACED) as bare,
        daemon(*run) as alone,
        daemon(*run) as watched,
    ):
        alone.wait_for("ok")
        watched.wait_for("ok")
        with one_viewer(watched.url):
            for each in (alone, watched):
                each.process.send_signal(signal.SIGSTOP)
            for _ in range(o.turns):
                inference_ms = float(json.loads(answer_of(bare))["cpu_ms"])
                nobody.append(Pair(inference_ms, frame_ms(alone, o.seconds)))
                viewer.append(Pair(inference_ms, frame_ms(watched, o.seconds)))
            for each in (alone, watched):
                each.process.send_signal(signal.SIGCONT)
    print("| processor time, ms | a bare inference | a frame of the daemon | frame / inference, 95 % interval |")
    print("|---|---|---|---|")
    show("nobody watches", nobody)
    show("one viewer", viewer)


if __name__ == "__main__":
    main()
