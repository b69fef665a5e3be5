"""How long a step of training takes on each of Keras' backends: processor time, and by the clock.

python -m tests.bench.backends [--network lite] [--precision float32] [--batch 32] [--steps 8] [--rounds 3]

Each backend trains the same network on the same random pictures in a process of its own; rounds take turns. The first
step compiles and is left out. Processor time says the same on a busy machine; by the clock, the fastest step counts.
PyTorch may be in this environment or in that of the peers (`make .venv/peers/ready`).
"""

import argparse
import json
import os
import subprocess
import sys
import time

import numpy as np

BACKENDS = ("tensorflow", "jax", "torch")


def steps(network: str, precision: str, batch: int, count: int) -> list[tuple[float, float]]:
    """(processor, clock) seconds of each step, on the backend that Keras has here."""
    from keras.dtype_policies import DTypePolicy

    from vitcam_training.fit.learner import Learner
    from vitcam_training.recipes.presets import preset
    from vitcam_training.recipes.recipe import Recipe
    from vitcam_training.vit import ViT

    config, rng, found = preset(network, 10), np.random.default_rng(0), []
    learner = Learner(ViT(config, dtype=DTypePolicy(precision)), Recipe("bench", ""))
    images = rng.integers(0, 256, (batch, *config.image_size, 3)).astype(np.uint8)
    targets = np.eye(10, dtype=np.float32)[rng.integers(0, 10, batch)]
    for _ in range(count + 1):
        busy_s, clock_s = time.process_time(), time.monotonic()
        learner.step(images, targets, 1e-3)
        found.append((time.process_time() - busy_s, time.monotonic() - clock_s))
    return found[1:]


def measured(backend: str, options: argparse.Namespace) -> list[tuple[float, float]]:
    """The same in a process of its own."""
    from tests.needs import need_torch  # it imports pytest, which the peers lack

    python = need_torch() if backend == "torch" else sys.executable
    call = [python, "-m", "tests.bench.backends", "--network", options.network, "--precision", options.precision]
    call += ["--batch", str(options.batch), "--steps", str(options.steps), "--here"]
    environment = os.environ | {"KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "2"}
    done = subprocess.run(call, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [(busy_s, clock_s) for busy_s, clock_s in json.loads(done.stdout)]


def main() -> None:
    """Print a line for each backend."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.backends")
    options.add_argument("--network", default="lite", help="published sizes, such as digits or vit-ti16")
    options.add_argument("--precision", default="float32", help="float32 or mixed_bfloat16")
    options.add_argument("--batch", type=int, default=32)
    options.add_argument("--steps", type=int, default=8)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    o = options.parse_args()
    if o.here:
        print(json.dumps(steps(o.network, o.precision, o.batch, o.steps)))
        return
    found: dict[str, list[tuple[float, float]]] = {backend: [] for backend in BACKENDS}
    for _ in range(o.rounds):
        for backend, each in found.items():
            each += measured(backend, o)
    cores = len(os.sched_getaffinity(0))
    print(f"{o.network}, {o.precision}, batches of {o.batch}, {cores} cores, {o.rounds} rounds of {o.steps} steps")
    for backend, each in found.items():
        busy_s, clock_s = np.array(each).T
        print(f"{backend:10}  {np.median(busy_s):.2f} s of processor time a step; {clock_s.min():.2f} s by the clock")


if __name__ == "__main__":
    main()
