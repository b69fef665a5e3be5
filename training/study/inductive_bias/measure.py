"""What is left to run, and the page, whose figures stay fresh while it runs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vitcam.errors import UsageError
from vitcam.model.bundle import read
from vitcam.model.files import find_model
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam_training.backend import DEFAULT, VARIABLE
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import read_photo
from vitcam_training.study.inductive_bias.findings import FoundByRuns
from vitcam_training.study.inductive_bias.page import (
    attention_block,
    curve_block,
    moved_block,
    parts_block,
)
from vitcam_training.study.inductive_bias.runs import (
    FINETUNED,
    FOLDER,
    PACKAGE,
    SECTIONS,
    SEEDS,
    VIT,
    BiasJob,
    BiasResult,
    Section,
    jobs_of,
    pretrained_weights,
    results_of,
    unfinished,
)
from vitcam_training.study.marked import fill
from vitcam_training.study.runs import add_result, read_results, side_by_side
from vitcam_training.study.seeds import check_seeds
from vitcam_training.weights.checkpoints import read_network

PHOTOS = 128
"""On which attention is looked at, as many as in the paper."""
SHIPPED, SCRATCH, LARGE = "cifar10", "cifar10-scratch", "everyday"
GOLDEN = ("bird.jpg", "cat.jpg", "coffee.jpg", "dog.jpg")
"""Photos that travel with vitcam: errors of equality need no others."""


@dataclass(frozen=True)
class BiasMeasurement:
    """What is to be measured, and where it is kept."""

    sections: tuple[Section, ...]
    seeds: int
    folder: Path
    page: Path

    @property
    def results(self) -> Path:
        """One line a run."""
        return self.folder / "runs.jsonl"

    @property
    def left(self) -> list[BiasJob]:
        """The runs without a line yet, one seed of all before the next."""
        jobs = [job for section in self.sections for job in jobs_of(section, self.seeds)]
        return sorted(unfinished(jobs, self._kept()), key=lambda job: job.seed)

    def run(self) -> Iterator[BiasResult]:
        """Run what has no line yet. Each result is kept, and the page written, before it is handed out."""
        if any(job.contestant is FINETUNED for job in self.left):
            pretrained_weights()
        self._write_what_needs_no_training()
        self._write_what_was_trained()
        for _, said in side_by_side(self.left, f"{PACKAGE}.worker", self.folder):
            add_result(self.results, result := BiasResult(**said))
            self._write_what_was_trained()
            yield result

    def _kept(self) -> list[BiasResult]:
        return read_results(self.results, BiasResult)

    def _command(self, section: Section) -> str:
        words = ["python", "-m", PACKAGE, "--page", str(self.page), "--only", section]
        words += [] if self.seeds == SEEDS else ["--seeds", str(self.seeds)]
        words += [] if self.folder == FOLDER else ["--out", str(self.folder)]
        backend = os.environ.get(VARIABLE, DEFAULT)
        before = "" if backend == DEFAULT or section == "attention" else f"{VARIABLE}={backend} "
        return before + shlex.join(words)

    def _plot(self, name: str) -> Path:
        self.page.parent.mkdir(parents=True, exist_ok=True)
        return self.page.with_name(f"{self.page.stem}-{name}.svg")

    def _found(self, section: Section) -> FoundByRuns:
        return FoundByRuns(tuple(results_of(jobs_of(section, self.seeds), self._kept())))

    def _write_what_was_trained(self) -> None:
        from vitcam_training.study.inductive_bias.plots import draw_curve, draw_moved

        blocks = {}
        if "shift" in self.sections and (found := self._found("shift")).results:
            draw_moved(plot := self._plot("moved"), found)
            blocks["moved"] = moved_block(found, plot, self._command("shift"))
        if "curve" in self.sections and (found := self._found("curve")).results:
            draw_curve(plot := self._plot("curve"), found, shipped := shipped_accuracy())
            blocks["curve"] = curve_block(found, shipped, plot, self._command("curve"))
        fill(self.page, blocks)

    def _write_what_needs_no_training(self) -> None:
        from vitcam_training.study.inductive_bias.distance import attention_distances
        from vitcam_training.study.inductive_bias.plots import draw_distances

        blocks = {}
        if "attention" in self.sections:
            ordinary = open_dataset("ordinary").part("choose")[:PHOTOS]
            small = open_dataset(VIT.recipe.data).part("calibration")[:PHOTOS]
            networks = [
                attention_distances(pretrained_weights(), "DeiT-Tiny, as published", ordinary),
                attention_distances(_weights_of(LARGE), f"{LARGE}, made of AugReg", ordinary),
                attention_distances(_weights_of(SCRATCH), f"{SCRATCH}", small),
            ]
            draw_distances(plot := self._plot("distance"), networks)
            blocks["distance"] = attention_block(networks, plot, self._command("attention"))
        if "shift" in self.sections:
            blocks["parts"] = self._parts()
        fill(self.page, blocks)

    def _parts(self) -> str:
        from vitcam_training.study.inductive_bias.parts import layer_errors, part_errors, reach

        checkpoint = _weights_of(LARGE)
        config, weights = read_network(checkpoint)
        photos = [read_photo(checkpoint.parent / "golden" / name) for name in GOLDEN]
        large, small = (
            np.stack([to_model_size(photo, InputSpec(*size)) for photo in photos])
            for size in (config.image_size, VIT.recipe.model.image_size)
        )
        errors = [*part_errors(large, weights, config), *layer_errors(small)]
        return parts_block(errors, reach(large[:1], weights, config), config.tokens, self._command("shift"))


def _weights_of(model: str) -> Path:
    return find_model(model).with_suffix(".safetensors")


def shipped_accuracy() -> float | None:
    """Of the shipped fine-tuned model on CIFAR-10's test photos, in percent, as its file says; None: it does not."""
    bundle = read(find_model(SHIPPED))
    return 100 * float(bundle.card.accuracy["top1"]) if bundle and bundle.card.accuracy else None


def plan(only: Sequence[str], seeds: int, folder: Path, page: Path) -> BiasMeasurement:
    """Check everything before the first run.

    raises  UsageError for an unknown part or a number of seeds without a spread
    """
    for name in only:
        if name not in SECTIONS:
            raise UsageError(f"no part is called {name!r}; allowed: {', '.join(SECTIONS)}")
    check_seeds(seeds)
    chosen = tuple(section for section in SECTIONS if not only or section in only)
    return BiasMeasurement(chosen, seeds, folder, page)
