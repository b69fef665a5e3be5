"""The losses of the first steps of the trainings that circulate (training/study/reproduce), on TensorFlow and on JAX.

python -m tests.bench.circulating [digits photos timm in21k lite] [--steps 20] [--batch 0] [--no-dropout]

Both backends begin with the same random weights and take the same batches, in a process of their own; what dropout and
random weights draw differs. `--batch` takes smaller batches than the recipe's, since a step of ViT-B takes a minute.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from tests.bench.backends import installed
from vitcam_training.backend import VARIABLE, choose_backend
from vitcam_training.study.reproduce.sources import RUNS, runs_of

BACKENDS = ("tensorflow", "jax")


def losses(name: str, steps: int, batch: int, drops: bool, folder: Path) -> list[float]:
    """Of the first steps, on the backend of `KERAS_BACKEND`, from the weights in `folder`, or from its own if none."""
    from vitcam_training.data.catalogue import open_dataset
    from vitcam_training.study.reproduce.measure import begin, by_path

    (run,) = runs_of([name])
    recipe = run.recipe("as-stated", 1)
    recipe = replace(recipe, train=replace(recipe.train, batch_size=batch or recipe.train.batch_size))
    if not drops:
        recipe = replace(recipe, model=replace(recipe.model, dropout=0.0, attention_dropout=0.0))
    trained = begin(run, "as-stated", recipe, folder / os.environ[VARIABLE], open_dataset(recipe.data))
    weights = folder / "begin.safetensors"
    if weights.exists():
        kept = load_file(weights)
        for variable in trained.stage.vit.trainable_variables:
            variable.assign(kept[variable.path])
    else:
        save_file(by_path(trained.stage.vit), weights)
    return list(islice(trained.epoch_steps(), steps))


def main() -> None:
    """Print a row for each training."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.circulating")
    options.add_argument("runs", nargs="*", metavar="RUN", help=f"{', '.join(run.name for run in RUNS)} (all)")
    options.add_argument("--steps", type=int, default=20)
    options.add_argument("--batch", type=int, default=0, help="photos a step (0: as many as the recipe says)")
    options.add_argument("--no-dropout", action="store_true", help="train without it, so that both lose the same")
    options.add_argument("--here", type=Path, help=argparse.SUPPRESS)
    o = options.parse_args()
    if o.here:
        choose_backend()
        print(json.dumps(losses(o.runs[0], o.steps, o.batch, not o.no_dropout, o.here)))
        return
    backends = installed(BACKENDS)
    print(
        "| recipe | photos a step | backend | loss of step 1 | 5 | 10 | 20 | mean |\n|---|--:|---|--:|--:|--:|--:|--:|"
    )
    for run in runs_of(o.runs):
        name, batch = run.name, o.batch or run.recipe("as-stated", 1).train.batch_size
        with tempfile.TemporaryDirectory() as folder:
            call = [sys.executable, "-m", "tests.bench.circulating", name, "--here", folder]
            call += ["--steps", str(o.steps), "--batch", str(o.batch), *["--no-dropout"] * o.no_dropout]
            for backend in backends:
                environment = os.environ | {VARIABLE: backend}
                done = subprocess.run(call, env=environment, stdout=subprocess.PIPE, text=True, check=True)
                found = json.loads(done.stdout)
                some = " | ".join(f"{found[step - 1]:.3f}" for step in (1, 5, 10, 20) if step <= len(found))
                print(f"| `{name}-as-stated` | {batch} | {backend} | {some} | {np.mean(found):.3f} |", flush=True)


if __name__ == "__main__":
    main()
