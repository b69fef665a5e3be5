"""What a second look costs: its time beside the first look's, and frames/s with one a second, against without.

python -m tests.bench.second [--turns 24] [--seconds 3] [--model everyday]

Both daemons play the demo from memory, as a camera that is faster than the model. One asks a model of birds about
everything that the first model names, so about once in each second. Only one daemon at a time is awake, and who begins
changes from turn to turn. The model of birds lies below `VITCAM_DATA`.
"""

import argparse
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from tests.bench.throughput import daemon_rate
from tests.bench.turns import Pair, in_turns, show
from tests.daemon import Daemon, daemon
from tests.needs import need_data
from vitcam.model.classifier import Classifier
from vitcam.model.foreign_card import Given, write_described
from vitcam.model.labels import read_labels
from vitcam.sources import SourceOptions, open_source

_FPS = 120  # as a camera that is faster than the model
_RULE = '[[second]]\nwhen = "{label}"\nmodel = "{model}"\n'


def names_in_demo(model: str) -> set[str]:
    """What is displayed of the demo."""
    classifier = Classifier(model)
    with open_source("demo", SourceOptions(input=classifier.input, realtime=False, loop=False)) as frames:
        found = {classifier(frame).shown.label for frame in frames}
    return {name for name in found if name is not None}


def rules_of(folder: Path, model: str) -> Path:
    """A configuration that asks the model of birds about all that the demo shows."""
    species, birds = need_data("species"), folder / "birds.tflite"
    write_described(species / "birds.tflite", Given("birds", read_labels(species / "birds.txt")), (), birds)
    config = folder / "second.toml"
    config.write_text("".join(_RULE.format(label=label, model=birds) for label in sorted(names_in_demo(model))))
    return config


@contextmanager
def asleep(folder: Path, model: str, *options: str) -> Iterator[Daemon]:
    """A daemon that nobody asks."""
    demo = ("--source", "demo:ram", "--set", f"camera.fps={_FPS}", "--loop", "--emit", "changes", "--model", model)
    with daemon(*demo, *options, XDG_STATE_HOME=str(folder)) as running:
        running.wait_for("ok")
        running.process.send_signal(signal.SIGSTOP)
        yield running
        running.process.send_signal(signal.SIGCONT)


def looks(running: Daemon) -> Pair:
    """The median of a first look, with the picture made ready for it, and of a second one, in ms."""
    state = running.state()
    first = state["ms"]["preprocess"]["p50"] + state["ms"]["infer"]["p50"]
    return Pair(first, state["second"]["ms"]["p50"])


def main() -> None:
    """Print a table; old is without, new is with."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.second")
    options.add_argument("--turns", type=int, default=24)
    options.add_argument("--seconds", type=float, default=3.0)
    options.add_argument("--model", default="everyday")
    o = options.parse_args()
    times: list[Pair] = []
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        config = rules_of(folder, o.model)
        alone = stack.enter_context(asleep(folder / "alone", o.model))
        asking = stack.enter_context(asleep(folder / "asking", o.model, "--config", str(config)))
        before = _asked(asking)

        def rate() -> tuple[float]:
            found = daemon_rate(asking, o.seconds)
            asking.process.send_signal(signal.SIGCONT)
            times.append(looks(asking))
            asking.process.send_signal(signal.SIGSTOP)
            return (found,)

        (pairs,) = in_turns(o.turns, partial(_rate, alone, o.seconds), rate)
        print(f"{o.turns} turns of {o.seconds:g} s, {_asked(asking) - before} second looks\n")
        print("| | without, first | with, second | ratio, 95 % interval |\n|---|---|---|---|")
        show("frames/s with one a second", pairs)
        show("ms of a look", times)


def _rate(sleeping: Daemon, seconds: float) -> tuple[float]:
    return (daemon_rate(sleeping, seconds),)


def _asked(sleeping: Daemon) -> int:
    sleeping.process.send_signal(signal.SIGCONT)
    asked = int(sleeping.state()["second"]["asked"])
    sleeping.process.send_signal(signal.SIGSTOP)
    return asked


if __name__ == "__main__":
    main()
