"""The runs that circulate: what others state of them, what is wrong with them, and what is run of them here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from vitcam.errors import UsageError
from vitcam_training.recipes.recipe import Recipe, read_recipe

Version = Literal["as-stated", "corrected"]
VERSIONS: tuple[Version, ...] = ("as-stated", "corrected")


@dataclass(frozen=True)
class SourceRun:
    """One training that circulates."""

    name: str
    title: str
    stated: str
    """Its figures, as others give them."""
    slips: tuple[str, ...]
    """What is wrong with it; empty: nothing."""
    expected: str
    """What theory, or another study of vitcam, lets one expect of it."""
    differs: tuple[str, ...]
    """In what the run here is not the stated one."""
    stated_by_epoch: dict[int, float] = field(default_factory=dict)
    """Accuracy that others give after an epoch, a fraction of 1."""
    stated_losses: tuple[float, ...] = ()
    """Mean training loss of each epoch that others give."""
    seeds: int = 1
    is_dry: bool = False
    """It needs weights that are no part of the data here, and a GPU: a few steps say how long the whole would take."""

    def recipe(self, version: Version, seed: int) -> Recipe:
        """With exactly its settings, or the corrected ones."""
        return replace(read_recipe(Path(__file__).with_name(f"{self.name}-{version}.toml")), seed=seed)


_ORDER = "the order of the photos and the random numbers of the start are others"
_LAST_BATCH = "the last 16 photos of an epoch, which do not fill a batch, are left out"

RUNS: tuple[SourceRun, ...] = (
    SourceRun(
        "digits", "A shallow ViT on MNIST, from scratch",
        "training accuracy 47.76 % in the first epoch, 88.35 % in the last; test 90.65 %",
        (
            '"positions" are a second projection of the pixels, so that no token knows its place',
            "scores are divided by √32, the whole width, where a head has 8 channels",
            "the loss gets probabilities where it expects logits: it cannot fall below 1.46",
            "`drop_last` on the test photos: the last 16 of the 10,000 are not tested",
        ),
        "each slip alone costs up to a few points (see the page of mistakes)",
        (_ORDER, "all 10,000 test photos are tested"),
        stated_by_epoch={20: 0.9065}, seeds=3,
    ),
    SourceRun(
        "photos", "A ViT from scratch in PyTorch on CIFAR-10, 24.4 M parameters",
        "mean loss of the five epochs 2.8157, 2.3300, 2.3229, 2.3198, 2.3186",
        (
            "attention runs across the batch: no patch sees another one of its photo, and the head reads a token that "
            "saw no patch at all",
            "a learning rate of 1e-3 without a warm-up, no norm before the head, pixels in 0 to 1",
        ),
        "chance: ln 10 = 2.303, and a little more, as the steps are large",
        (_ORDER, _LAST_BATCH),
        stated_losses=(2.8157, 2.3300, 2.3229, 2.3198, 2.3186),
    ),
    SourceRun(
        "timm", "timm's ViT-B/16, fine-tuned on CIFAR-10",
        "96.77 % after epoch 8 of up to 10",
        (
            "the network was made for pixels in -1 to 1, and gets them by ImageNet's mean and deviation",
            "the test photos chose the epoch",
        ),
        "98 to 99 % with the right pixels and a smaller rate, by the papers on these weights (arXiv 2106.10270)",
        (_ORDER, _LAST_BATCH),
        is_dry=True,
    ),
    SourceRun(
        "in21k", "ViT-B/16 of ImageNet-21k, fine-tuned on CIFAR-10",
        "training loss 0.3619, 0.0580; test 98.5 %",
        (),
        "98.5 %: nothing is wrong with it",
        (_ORDER, _LAST_BATCH),
        stated_losses=(0.3619, 0.0580), is_dry=True,
    ),
    SourceRun(
        "lite", "ViT-Lite on CIFAR-10, from scratch, 3.20 M parameters",
        "43.84, 49.20, 50.04, 54.49, 55.71 % after epochs 1 to 5; 71.14 % after epoch 30",
        (
            "class token and positions begin as large as the patches' own tokens, and hide them at first",
            "the learning rate is planned for 50 epochs, of which 30 are run, so that it never gets small",
        ),
        "more with a higher rate that falls to its end; ViT-Lite's own paper has 90 % and more after 200 epochs",
        (_ORDER,),
        stated_by_epoch={1: 0.4384, 2: 0.4920, 3: 0.5004, 4: 0.5449, 5: 0.5571, 30: 0.7114}, seeds=3,
    ),
)  # fmt: skip


def runs_of(names: Sequence[str]) -> tuple[SourceRun, ...]:
    """The runs of these names; all without a name. Raises UsageError for a name that there is not."""
    known = {run.name: run for run in RUNS}
    for name in names:
        if name not in known:
            raise UsageError(f"no run is called {name!r}; allowed: {', '.join(known)}")
    return tuple(run for run in RUNS if not names or run.name in names)
