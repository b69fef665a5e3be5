"""Frames/s with everything that a house asks of a camera, against without: MQTT broker, Prometheus and a webhook.

python -m tests.bench.house [--turns 40] [--seconds 1] [--model everyday] [--paced]

Both daemons are of this checkout, and play the demo's film as fast as the model goes, so that events come many times
faster than in front of a camera. `--paced` plays it at its own pace instead and prints the processor's time of a frame.
Only one daemon at a time is awake, and who begins changes from turn to turn. Mosquitto confirms each event, Prometheus
scrapes each second, and a web server takes each webhook, all on this machine.
"""

import argparse
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from tests.bench.throughput import daemon_rate
from tests.bench.turns import in_turns, show
from tests.bench.viewers import usage
from tests.daemon import Daemon, daemon
from tests.eventually import eventually
from tests.mosquitto import Mosquitto, settings_of
from tests.parts.alerts.receiver import Receiver, receiver
from tests.prometheus import Prometheus, answers, prometheus

_RULE = '[[on]]\nname = "house"\nwebhook = "{url}"\n'
_SCRAPES = """
global: {{scrape_interval: 1s}}
scrape_configs: [{{job_name: vitcam, static_configs: [{{targets: ["{target}"]}}]}}]
"""
_AWAKE_S = 0.3


@contextmanager
def without(folder: Path, model: str, paced: bool) -> Iterator[Daemon]:
    """A daemon that nobody asks, asleep."""
    with daemon(*_options(model, paced), XDG_STATE_HOME=str(folder / "alone")) as running:
        running.wait_for("ok")
        running.process.send_signal(signal.SIGSTOP)
        yield running
        running.process.send_signal(signal.SIGCONT)


def _options(model: str, paced: bool) -> tuple[str, ...]:
    pace = "--realtime" if paced else "--no-realtime"
    return ("--source", "demo", pace, "--loop", "--emit", "changes", "--model", model)


@contextmanager
def within(folder: Path, model: str, paced: bool) -> Iterator[Daemon]:
    """A daemon with a house around it, asleep. Raises AssertionError where a part of the house gets nothing."""
    with ExitStack() as stack:
        broker = stack.enter_context(Mosquitto(folder / "broker"))
        hook = stack.enter_context(receiver())
        config = folder / "house.toml"
        config.write_text(_RULE.format(url=hook.url))
        own = (*_options(model, paced), "--config", str(config))
        running = stack.enter_context(
            daemon(*own, **settings_of(broker, "house"), XDG_STATE_HOME=str(folder / "housed"))
        )
        running.wait_for("ok")
        scrapes = folder / "prometheus.yml"
        scrapes.write_text(_SCRAPES.format(target=running.url.removeprefix("http://")))
        asks = stack.enter_context(prometheus(scrapes, folder / "series"))
        assert eventually(lambda: _is_busy(running, hook, asks), every_s=0.2), running.errors()
        heard = len(hook.bodies)
        running.process.send_signal(signal.SIGSTOP)
        yield running
        running.process.send_signal(signal.SIGCONT)
        print(f"\nwebhooks meanwhile: {len(hook.bodies) - heard}; MQTT: {running.state()['mqtt']}")


def _is_busy(running: Daemon, hook: Receiver, asks: Prometheus) -> bool:
    scraped = answers(asks) and asks.query("vitcam_frames_total")
    return bool(running.state()["mqtt"]["connected"] and hook.bodies and scraped)


def ms_per_frame(sleeping: Daemon, seconds: float) -> tuple[float]:
    """Time of the processor that a frame takes while the daemon is awake; it is put to sleep again."""
    sleeping.process.send_signal(signal.SIGCONT)
    time.sleep(_AWAKE_S)
    before, count = usage(sleeping.process.pid).cpu_s, sleeping.state()["frames"]["classified"]
    time.sleep(seconds)
    took_s = usage(sleeping.process.pid).cpu_s - before
    frames = sleeping.state()["frames"]["classified"] - count
    sleeping.process.send_signal(signal.SIGSTOP)
    return (1000 * took_s / max(1, frames),)


def _rate(sleeping: Daemon, seconds: float) -> tuple[float]:
    return (daemon_rate(sleeping, seconds),)


def main() -> None:
    """Print a table; old is without, new is with."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.house")
    options.add_argument("--turns", type=int, default=40)
    options.add_argument("--seconds", type=float, default=1.0)
    options.add_argument("--model", default="everyday")
    options.add_argument("--paced", action="store_true", help="At the film's own pace: processor's time of a frame.")
    o = options.parse_args()
    name, measure = ("processor, ms a frame", ms_per_frame) if o.paced else ("frames/s", _rate)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        alone = stack.enter_context(without(Path(folder), o.model, o.paced))
        housed = stack.enter_context(within(Path(folder), o.model, o.paced))
        print(f"{o.turns} turns\n\n| | without | with | with / without, 95 % interval |\n|---|---|---|---|")
        (pairs,) = in_turns(o.turns, partial(measure, alone, o.seconds), partial(measure, housed, o.seconds))
        show(name, pairs)


if __name__ == "__main__":
    main()
