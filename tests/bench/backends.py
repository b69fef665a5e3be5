"""How long a step of training takes on Keras' backends, and how much memory: processor time, clock, peak.

python -m tests.bench.backends [tensorflow jax torch] [--network lite] [--precision float32] [--batch 32] [--steps 8]
                               [--rounds 3]

Each backend trains the same network on the same random pictures in a process of its own; rounds take turns. The first
step compiles and is left out of the times. Processor time says the same on a busy machine; by the clock, the fastest
step counts, too. The peak is that of the whole process, with its imports and the compilation. PyTorch may be in this
environment or in that of the peers (`make .venv/peers/ready`).
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec

import numpy as np

BACKENDS = ("tensorflow", "jax", "torch")


def installed(backends: Sequence[str]) -> list[str]:
    """Those that can be measured here: JAX is an extra, and a line says that it was left out."""
    absent = [backend for backend in backends if backend != "torch" and not find_spec(backend)]
    for backend in absent:
        print(f"without {backend}, which is not installed here", file=sys.stderr)
    return [backend for backend in backends if backend not in absent]


@dataclass(frozen=True)
class Trained:
    """What the steps of one process took: seconds of processor and clock for each, and MB at the peak."""

    busy_s: list[float]
    clock_s: list[float]
    peak_mb: float


def trained(network: str, precision: str, batch: int, count: int) -> Trained:
    """Train `count` steps after the first one, on the backend that `KERAS_BACKEND` names."""
    from vitcam_training.backend import choose_backend

    choose_backend()  # as every verb does: it also sets what TensorFlow uses of the processor
    from keras.dtype_policies import DTypePolicy

    from vitcam_training.fit.learner import Learner
    from vitcam_training.recipes.presets import preset
    from vitcam_training.recipes.recipe import Recipe
    from vitcam_training.vit import ViT

    config, rng = preset(network, 10), np.random.default_rng(0)
    busy_s, clock_s = [], []
    learner = Learner(ViT(config, dtype=DTypePolicy(precision)), Recipe("bench", ""))
    images = rng.integers(0, 256, (batch, *config.image_size, 3)).astype(np.uint8)
    targets = np.eye(10, dtype=np.float32)[rng.integers(0, 10, batch)]
    for _ in range(count + 1):
        busy, clock = time.process_time(), time.monotonic()
        learner.step(images, targets, 1e-3)
        busy_s.append(time.process_time() - busy)
        clock_s.append(time.monotonic() - clock)
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # at least the parent's, which has no Keras
    return Trained(busy_s[1:], clock_s[1:], peak_kib * 1024 / 1e6)


def measured(backend: str, options: argparse.Namespace) -> Trained:
    """The same in a process of its own."""
    from tests.needs import need_torch  # it imports pytest, which the peers lack

    python = need_torch() if backend == "torch" else sys.executable
    call = [python, "-m", "tests.bench.backends", "--network", options.network, "--precision", options.precision]
    call += ["--batch", str(options.batch), "--steps", str(options.steps), "--here"]
    environment = os.environ | {"KERAS_BACKEND": backend}
    done = subprocess.run(call, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return Trained(**json.loads(done.stdout))


def main() -> None:
    """Print a line for each backend."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.backends")
    options.add_argument("backends", nargs="*", metavar="BACKEND", help=f"{', '.join(BACKENDS)} (the first two)")
    options.add_argument("--network", default="lite", help="published sizes, such as digits or vit-ti16")
    options.add_argument("--precision", default="float32", help="float32 or mixed_bfloat16")
    options.add_argument("--batch", type=int, default=32)
    options.add_argument("--steps", type=int, default=8)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    o = options.parse_args()
    if o.here:
        print(json.dumps(asdict(trained(o.network, o.precision, o.batch, o.steps))))
        return
    found: dict[str, list[Trained]] = {backend: [] for backend in installed(o.backends or BACKENDS[:2])}
    for _ in range(o.rounds):
        for backend, each in found.items():
            each.append(measured(backend, o))
    cores = len(os.sched_getaffinity(0))
    print(f"{o.network}, {o.precision}, batches of {o.batch}, {cores} cores, {o.rounds} rounds of {o.steps} steps")
    for backend, each in found.items():
        print(f"{backend:10}  {summary(each)}")


def summary(each: list[Trained]) -> str:
    """Medians over all steps and rounds, and how far the rounds lie apart."""
    rounds_s = [float(np.median(one.clock_s)) for one in each]
    clock_s = np.concatenate([one.clock_s for one in each])
    busy_s = np.median([one.busy_s for one in each])
    peak_mb = [one.peak_mb for one in each]
    return (
        f"{np.median(clock_s):.3f} s a step by the clock (rounds {min(rounds_s):.3f} to {max(rounds_s):.3f},"
        f" fastest step {clock_s.min():.3f}); {busy_s:.3f} s of processor time;"
        f" {np.median(peak_mb):,.0f} MB at the peak ({min(peak_mb):,.0f} to {max(peak_mb):,.0f})"
    )


if __name__ == "__main__":
    main()
