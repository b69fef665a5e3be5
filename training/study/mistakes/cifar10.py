"""A run like the one that stays at 2.32, where guessing among ten labels costs ln 10 = 2.303, and its repairs.

A from-scratch ViT that circulates for PyTorch: 24.4 M parameters (`vit-shallow`), photos of CIFAR-10 enlarged to
224 px, `nn.MultiheadAttention` without `batch_first=True`, Adam at a constant 1e-3, no warm-up, no clipping, pixels
in 0..1, no norm before the head.
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import keras

from vitcam_training.data.augment import Augment
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset
from vitcam_training.recipes.presets import preset
from vitcam_training.recipes.recipe import InputRecipe, ModelRecipe, Recipe, TrainRecipe
from vitcam_training.study.ablation.sweep import AblationJob
from vitcam_training.study.mistakes.digits import begin
from vitcam_training.study.mistakes.networks import AcrossBatchViT
from vitcam_training.study.mistakes.rows import Mistake
from vitcam_training.vit import ViT

STEPS, LONG, BATCH = 48, 240, 32
"""Steps of a row; those of the rows that show where the loss settles."""
LAST = 10
"""Steps at the end over which a loss is given, as their mean: that of one batch jumps about."""
WARM_STEPS = 24

ALONE, TOGETHER, LONGER = "One repair alone", "Repairs on top of each other", f"For {LONG} steps"

SLOW: dict[str, Any] = {"learning_rate": 1e-4}
WARM: dict[str, Any] = {"warmup_epochs": WARM_STEPS / STEPS}
CLIPPED: dict[str, Any] = {"clip_norm": 1.0}
PIXELS: dict[str, Any] = {"mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5)}


@dataclass(frozen=True)
class StepsRow(Mistake):
    """One row, which takes a few steps."""

    steps: int = STEPS

    def recipe(self, base: Recipe, seed: int) -> Recipe:
        """The recipe of one run, whose name says the steps. Raises ValueError if the network cannot be built."""
        return replace(super().recipe(base, seed), name=f"vit-shallow, {self.steps} steps")


def _row(
    name: str, question: str, title: str, repaired: bool, model: dict[str, Any], steps: int = STEPS, **train: Any
) -> StepsRow:
    network = ViT if repaired else AcrossBatchViT
    return StepsRow(
        name, question, title, "alike", "", model=model, train=train, network=network, against="circulating",
        steps=steps,
    )  # fmt: skip


CIRCULATING: tuple[StepsRow, ...] = (
    _row("circulating", "As it circulates", "as it circulates", False, {}),
    _row("rate", ALONE, "learning rate of 1e-4", False, {}, **SLOW),
    _row("warm-up", ALONE, f"warm-up over {WARM_STEPS} steps", False, {}, **WARM),
    _row("clip", ALONE, "gradients clipped to a norm of 1", False, {}, **CLIPPED),
    _row("pixels", ALONE, "pixels in -1..1", False, PIXELS),
    _row("batch-first", ALONE, "attention within each image (`batch_first=True`)", True, {}),
    _row("batch-first-rate", TOGETHER, "attention within each image, learning rate of 1e-4", True, {}, **SLOW),
    _row("batch-first-warm", TOGETHER, "… and clipped, with warm-up", True, {}, **SLOW, **CLIPPED, **WARM),
    _row("all", TOGETHER, "… and pixels in -1..1, a norm before the head", True,
         PIXELS | {"final_norm": True}, **SLOW, **CLIPPED, **WARM),
    _row("circulating-long", LONGER, "as it circulates", False, {}, LONG),
    _row("rate-long", LONGER, "learning rate of 1e-4", False, {}, LONG, **SLOW),
    _row("all-long", LONGER, "all repaired", True, PIXELS | {"final_norm": True}, LONG,
         **SLOW, **CLIPPED, warmup_epochs=WARM_STEPS / LONG),
)  # fmt: skip


def circulating() -> Recipe:
    """The settings with which it circulates. One pass over the first photos, so that every step sees new ones."""
    sizes = asdict(preset("vit-shallow", classes=1))
    del sizes["classes"]
    plain = {"mean": (0.0, 0.0, 0.0), "std": (1.0, 1.0, 1.0), "dropout": 0.1}
    train = TrainRecipe(
        epochs=1, batch_size=BATCH, learning_rate=1e-3, warmup_epochs=0.0, schedule="step", step_factor=1.0,
        weight_decay=0.0, label_smoothing=0.0, precision="mixed_bfloat16",
    )  # fmt: skip
    return Recipe(
        f"vit-shallow, {STEPS} steps", "cifar10", model=ModelRecipe(**sizes | plain), train=train,
        input=InputRecipe(interpolation="linear"), augment=Augment(crop_scale=1.0, flip=0.0, colour=0.0),
    )  # fmt: skip


@dataclass(frozen=True)
class StepsResult:
    """One line of a training of a few steps."""

    row: str
    seed: int
    settings: str
    backend: str
    """Of Keras, on which it ran."""
    parameters: int
    losses: list[float]
    """Of each step's batch, before the step."""
    seconds: float
    cpu_seconds: float


def run(job: AblationJob, row: StepsRow, folder: Path, dataset: Dataset) -> StepsResult:
    """The loss of each step."""
    started = time.monotonic()
    trained = begin(row, job.recipe, folder, dataset, photos=row.steps * job.recipe.train.batch_size)
    return StepsResult(
        row=row.name,
        seed=job.recipe.seed,
        settings=job.settings,
        backend=keras.backend.backend(),
        parameters=sum(math.prod(variable.shape) for variable in trained.stage.vit.trainable_variables),
        losses=[round(loss, 4) for loss in islice(trained.epoch_steps(), row.steps)],
        seconds=round(time.monotonic() - started, 1),
        cpu_seconds=round(time.process_time(), 1),
    )


def work(folder: str, name: str, seed: str) -> StepsResult:
    """Train one row with one seed."""
    (row,) = (known for known in CIRCULATING if known.name == name)
    job = AblationJob(row, row.recipe(circulating(), int(seed)))
    return run(job, row, Path(folder, job.name), open_dataset(job.recipe.data))
