"""One stage of a training: the network, the photos, the recipe and the folder. Nothing here changes while it trains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from vitcam.errors import UsageError
from vitcam_training.data.batches import BatchPlan
from vitcam_training.data.dataset import BLANK, CHOOSE, REPLAY, Dataset, Sample
from vitcam_training.fit.data_parallel import share
from vitcam_training.fit.distil import Teacher
from vitcam_training.fit.remaining import StageWork, photo_cost
from vitcam_training.recipes.recipe import Recipe, fingerprint
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import Weights, to_timm
from vitcam_training.weights.metadata import Metadata


@dataclass(frozen=True, eq=False)
class Stage:
    """What is trained, on what, how and where."""

    vit: ViT
    """Or another network whose outputs and `config.depth` are like a ViT's."""
    dataset: Dataset
    recipe: Recipe
    folder: Path
    metadata: Metadata
    """Of the network, as known before this stage."""
    teacher: Teacher | None = None
    later: tuple[StageWork, ...] = ()
    """The stages that follow this one."""
    origin: Weights | None = None
    """What the whole training began with, under timm's names: the shipped weights keep a share of it."""
    named: Callable[[Any], Weights] = to_timm
    """Gives the weights of the network by the names that they are saved under."""

    @property
    def tested(self) -> str:
        """The part that the curve shows."""
        return tested(self.dataset)

    @cached_property
    def plan(self) -> BatchPlan:
        """How this process makes batches. Raises UsageError if a batch cannot be divided among the devices."""
        train = self.recipe.train
        return BatchPlan(
            self.recipe.spec, len(self.dataset.labels), train.batch_size, self.recipe.seed, train.loader_threads,
            share(train.batch_size),
        )  # fmt: skip

    @property
    def others(self) -> list[tuple[Sequence[Sample], float]]:
        """The pictures of an epoch that have no labels, and their shares of it."""
        train, parts = self.recipe.train, self.dataset.parts
        return [(parts.get(REPLAY, ()), train.replay), (parts.get(BLANK, ()), train.blank)]

    @cached_property
    def work(self) -> StageWork:
        """How much there is to do."""
        return work(self.recipe, self.dataset)

    @cached_property
    def settings(self) -> str:
        """Fingerprint of the recipe. The place of the photos is left out: they may have moved."""
        return fingerprint(replace(self.recipe, data=""))

    def check_photos(self) -> None:
        """Raise UsageError if the photos do not fill a batch, or lack a part that the recipe needs."""
        if self.work.steps == 0:
            raise UsageError(
                f"{len(self.dataset.parts['train'])} photos to train on do not fill a batch of "
                f"{self.recipe.train.batch_size}; give more, or a smaller batch_size"
            )
        if self.recipe.train.replay and not (self.dataset.parts.get(REPLAY) and self.teacher):
            raise UsageError(
                f"replay trains on a part '{REPLAY}' with the answers of a teacher; {self.dataset.name} has "
                f"{len(self.dataset.parts.get(REPLAY, ()))} photos in it, and a teacher is "
                f"{'given' if self.teacher else 'missing (--teacher)'}"
            )
        if self.recipe.train.start_share and not self.origin:
            raise UsageError("a share of the start (start_share) is kept of pretrained weights only; give --weights")
        if self.recipe.train.blank and not self.dataset.parts.get(BLANK):
            raise UsageError(f"{self.dataset.name} has no part '{BLANK}' of pictures that show nothing; give blank = 0")
        if self.recipe.train.patience and not self.dataset.parts.get("calibration"):
            raise UsageError(
                f"patience stops by the loss on a part 'calibration', which {self.dataset.name} does not have; split "
                "one off (heldout is only for figures), or give patience = 0"
            )


def tested(dataset: Dataset) -> str:
    """The part that the curve of a training shows: the one that chooses, where there is one of that name."""
    return CHOOSE if dataset.parts.get(CHOOSE) else "heldout"


def work(recipe: Recipe, dataset: Dataset) -> StageWork:
    """What a stage has to do with these photos."""
    train, labels, parts = recipe.train, len(dataset.labels), dataset.parts
    present = len({sample.label for sample in parts["train"]})  # labels without photos have no share in an epoch
    photos = train.per_label * present or len(parts["train"])
    scored = [tested(dataset), "calibration"] if train.patience else [tested(dataset)]
    return StageWork(
        train.epochs,
        round(photos / (1 - train.replay - train.blank)) // train.batch_size,
        train.batch_size,
        sum(len(parts.get(part, ())) for part in scored),
        train.score_every,
        photo_cost(recipe.model.config(labels)),
    )
