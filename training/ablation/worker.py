"""One run of the ablation in a process of its own: `python -m vitcam_training.ablation.worker FOLDER RECIPE ROW SEED`.

In: its arguments, and the core that `taskset` or its parent gave it. Out: its result, one JSON object on stdout.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

from vitcam.errors import VitcamError

from ..data.catalogue import open_dataset
from ..data.dataset import Dataset
from ..finetune import prepare
from ..presets import count_parameters
from ..recipe import read_recipe
from .result import PHOTOS, Job, Result
from .rows import chosen
from .shuffle import shuffled


def run(job: Job, folder: Path, dataset: Dataset) -> Result:
    """Train, or go on where the run in `folder` stopped, and measure. Patches are shuffled in the test alone."""
    started = time.monotonic()
    few = replace(dataset, parts=dataset.parts | {"train": dataset.part("train")[:PHOTOS]})
    trained = prepare(job.recipe, None, folder, few)
    if not job.row.scaled:
        for block in trained.vit.blocks:
            block.attention.score_factor = 1.0
    trained.train(quiet=True)
    heldout, config = dataset.part("heldout"), trained.vit.config
    score = trained.score(heldout)
    return Result(
        row=job.row.name,
        seed=job.recipe.seed,
        settings=job.settings,
        parameters=count_parameters(config),
        train_accuracy=float(trained.log()[-1]["train_accuracy"]),
        accuracy=score.accuracy,
        loss=score.loss,
        shuffled_accuracy=trained.score(shuffled(heldout, config.patch_size)).accuracy,
        seconds=round(time.monotonic() - started, 1),
    )


def main(folder: str, recipe: str, row: str, seed: str) -> None:
    """Train one row with one seed below `folder` and print what was found."""
    job = next(Job(found, found.recipe(read_recipe(recipe), int(seed))) for found in chosen([row]) if found.name == row)
    result = run(job, Path(folder, job.name), open_dataset(job.recipe.data))
    print(json.dumps(asdict(result)))  # noqa: T201


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except VitcamError as error:
        sys.exit(str(error))
