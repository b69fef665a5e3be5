"""The networks that are compared, which trainings there are, and what each found: a line a run.

A ViT and a CNN of equal size from scratch, the ViT without positions, and DeiT-Tiny.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from vitcam_training.data.dataset import data_root, missing_data
from vitcam_training.recipes.recipe import Recipe, chosen, digits, read_recipe
from vitcam_training.study.convolution.config import ConvolutionRecipe

PACKAGE = "vitcam_training.study.inductive_bias"
SEEDS = 3
FOLDER = Path("runs/bias")
PRETRAINED = "deit_tiny/deit_tiny_patch16_224.npz"
PRETRAINED_SOURCE = "github.com/facebookresearch/deit"

SHARES = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Of the photos to train on."""
SHIFTS = (1, 2, 3, 4, 6, 8)
"""In px; patches are 4 px wide."""
CHANGED_PHOTOS = 2000
"""Held-out photos that are moved and shuffled, the first ones."""

Section = Literal["attention", "shift", "curve"]
SECTIONS: tuple[Section, ...] = get_args(Section)


@dataclass(frozen=True)
class Contestant:
    """One network and how it is trained."""

    name: str
    title: str
    recipe_name: str = "bias"
    """Of a TOML file beside this one."""
    model: dict[str, Any] = field(default_factory=dict)
    """Changes of the recipe's [model]."""
    convolution: ConvolutionRecipe | None = None
    """The layers of a convolutional network that takes the ViT's place."""
    pretrained: bool = False
    """It begins with DeiT-Tiny's weights."""

    @property
    def recipe(self) -> Recipe:
        """For any seed."""
        base = read_recipe(Path(__file__).with_name(f"{self.recipe_name}.toml"))
        return replace(base, model=replace(base.model, **self.model))


LAYERS = ConvolutionRecipe(widths=(32, 48, 64, 64), strides=(1, 2, 2, 1))

VIT = Contestant("vit", "ViT from scratch")
CNN = Contestant("cnn", "CNN from scratch", convolution=LAYERS)
BARE = Contestant("vit-no-position", "ViT from scratch, no positions", model={"position": "none"})
FINETUNED = Contestant("finetuned", "DeiT-Tiny, fine-tuned", "bias-finetuned", pretrained=True)

CONTESTANTS = {each.name: each for each in (VIT, CNN, BARE, FINETUNED)}


def pretrained_weights() -> Path:
    """DeiT-Tiny's weights. Raises UsageError if they are not there."""
    path = data_root() / PRETRAINED
    if not path.is_file():
        raise missing_data(path, PRETRAINED_SOURCE)
    return path


@dataclass(frozen=True)
class BiasJob:
    """One network, trained on one share of the photos with one seed."""

    contestant: Contestant
    share: float
    seed: int

    @property
    def name(self) -> str:
        """Distinct for each run; the settings are in it, so that others never pass for these."""
        return f"{self.contestant.name}-{self.share:g}-{self.seed}-{self.settings}"

    @property
    def recipe(self) -> Recipe:
        """Of this run."""
        return replace(self.contestant.recipe, seed=self.seed)

    @property
    def changes_pictures(self) -> bool:
        """Whether it is tested on photos that are moved and shuffled: networks from scratch on all photos."""
        return self.share == 1.0 and not self.contestant.pretrained

    @property
    def words(self) -> tuple[str, ...]:
        """What its process is called with, after the folder."""
        return self.contestant.name, f"{self.share:g}", str(self.seed)

    @property
    def settings(self) -> str:
        """Fingerprint of what decides the outcome."""
        layers = chosen(self.contestant.convolution) if self.contestant.convolution else []
        return digits([chosen(self.contestant.recipe), layers, SHIFTS, CHANGED_PHOTOS])


@dataclass(frozen=True)
class BiasResult:
    """One line. Accuracies are fractions of 1, on held-out photos after the last step."""

    network: str
    share: float
    seed: int
    settings: str
    parameters: int
    photos: int
    steps: int
    train_accuracy: float
    """Of the last epoch, while it trained."""
    accuracy: float
    shuffled_accuracy: float | None
    """On the first of them, the patches of each in random order; None: not measured."""
    moved: dict[str, list[float]]
    """`accuracy` and `agreement` (the same answer as for the photo that stays) of the same photos, moved by nothing and
    by each of SHIFTS; empty: not measured."""
    seconds: float
    """By the clock; more than the next where other programs took the core."""
    cpu_seconds: float
    backend: str = ""
    """Of Keras; empty in lines of before."""


def jobs_of(section: Section, seeds: int) -> list[BiasJob]:
    """The trainings that a section needs; one seed of all before the next, small shares first."""
    table: dict[Section, Sequence[tuple[Contestant, Sequence[float]]]] = {
        "attention": (),
        "shift": ((VIT, (1.0,)), (CNN, (1.0,)), (BARE, (1.0,))),
        "curve": ((VIT, SHARES), (CNN, SHARES), (FINETUNED, SHARES[:-1])),
    }
    found = [
        BiasJob(contestant, share, seed)
        for seed in range(1, seeds + 1)
        for share in SHARES
        for contestant, shares in table[section]
        if share in shares
    ]
    return sorted(found, key=lambda job: (job.seed, job.contestant.pretrained))


def unfinished(wanted: Iterable[BiasJob], found: Iterable[BiasResult]) -> list[BiasJob]:
    """The jobs that no result is of, settings and all; each once."""
    done = {(result.network, result.share, result.seed, result.settings) for result in found}
    left = [job for job in wanted if (job.contestant.name, job.share, job.seed, job.settings) not in done]
    return list({job.name: job for job in left}.values())


def results_of(jobs: Iterable[BiasJob], found: Iterable[BiasResult]) -> list[BiasResult]:
    """Those of the results that are of these jobs."""
    wanted = {(job.contestant.name, job.share, job.seed, job.settings) for job in jobs}
    return [result for result in found if (result.network, result.share, result.seed, result.settings) in wanted]
