"""From a checkpoint and photos of labels that it lacks to a checkpoint that has them; what it knew stays as it was."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from vitcam.errors import UsageError
from vitcam_training.data.dataset import BASE, CHOOSE, USUAL, Dataset, Sample
from vitcam_training.evaluation.alike import alike, best_alike
from vitcam_training.evaluation.calibration import fit_temperature
from vitcam_training.model_card.commands import TRAINED_BY
from vitcam_training.model_card.page import LIMITS
from vitcam_training.plots import ACCENT, CURVES, PLAIN, figure
from vitcam_training.provenance import machine, revision
from vitcam_training.recipes.recipe import Recipe, RowsRecipe, fingerprint
from vitcam_training.rows.choose import Head, Trial, Tried, best, out_of_fold, try_offsets
from vitcam_training.rows.features import Features, read_features
from vitcam_training.rows.logistic import Floats, Lesson, Rows, fit_rows
from vitcam_training.weights.checkpoints import Weights, read_network, save_weights
from vitcam_training.weights.metadata import CALIBRATED_ON, Metadata, read_metadata

WEIGHTS = "weights.safetensors"

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class _Photos:
    """Photos and what the network makes of them."""

    samples: Sequence[Sample]
    features: Features

    @property
    def right(self) -> list[frozenset[int]]:
        return [sample.right for sample in self.samples]

    def where(self, chosen: Sequence[bool]) -> _Photos:
        places = np.flatnonzero(np.array(chosen, bool))
        return _Photos([self.samples[int(place)] for place in places], self.features.of(places))


def add_rows(recipe: Recipe, weights: Path, folder: Path, dataset: Dataset, command: str = "") -> Trial:
    """Fit the rows of the labels that a checkpoint lacks, choose their offset, and write it all as a checkpoint.

    weights  a checkpoint whose labels have WordNet ids that the data set knows
    folder   where `weights.safetensors` and a plot of the offsets are written
    dataset  its part `train` has photos of every label that is added, `base` photos of labels that stay, and `choose`
             photos of both
    raises   UsageError if a part or the photos of a label are missing, or the checkpoint's labels are strange
    """
    started_s, settings = time.monotonic(), recipe.rows or RowsRecipe()
    about = read_metadata(weights)
    head = head_of(about, weights, dataset)
    _check_photos(head, dataset)
    spec = replace(recipe.spec, height=about.input.height, width=about.input.width)
    train, base, choose = (
        _Photos(dataset.part(part), read_features(weights, dataset.part(part), spec))
        for part in ("train", BASE, CHOOSE)
    )
    lesson = _lesson(head, train, base, settings)
    rows = fit_rows(lesson, settings.l2)
    kept = len(train.samples) + np.arange(len(base.samples))
    again = out_of_fold(lesson, kept, settings.l2, rows, recipe.seed)
    trials = _tried(head, rows, base, again, choose)
    chosen = best(trials)
    _log(trials, chosen)
    usual = choose.where([sample in dataset.parts.get(USUAL, choose.samples) for sample in choose.samples])
    temperature = _temperature(head, rows, chosen.offset, usual, base, again)
    fitted = {"temperature": temperature, CALIBRATED_ON: len(usual.samples) + len(base.samples)}
    hours = (time.monotonic() - started_s) / 3600
    made = _metadata(recipe, about, weights, head, dataset, chosen, fitted, hours, command)
    save_weights(folder / WEIGHTS, _with_rows(weights, Rows(rows.weight, rows.bias + chosen.offset)), made)
    _draw(trials, chosen, folder / CURVES)
    return chosen


def head_of(about: Metadata, weights: Path, dataset: Dataset) -> Head:
    """The labels of a checkpoint's rows in a data set, and the labels that it lacks."""
    strange = [synset for synset in about.synsets if synset not in dataset.synsets]
    if strange or not about.synsets:
        found = f"{dataset.name} has no label for {strange[0]}" if strange else "its labels have no WordNet ids"
        raise UsageError(f"rows cannot be added to {weights}: {found}; import weights with --labels synset_words.txt")
    stays = tuple(dataset.synsets[synset] for synset in about.synsets)
    return Head(stays, tuple(sorted(set(range(len(dataset.labels))) - set(stays))))


def _check_photos(head: Head, dataset: Dataset) -> None:
    count = Counter(sample.label for sample in dataset.part("train"))
    if missing := [dataset.labels[label] for label in head.added if not count[label]]:
        raise UsageError(
            f"{dataset.name} has no photos of {missing[0]!r} to train on, and the weights do not know it; leave out "
            "the label, or add photos"
        )


def _lesson(head: Head, train: _Photos, base: _Photos, settings: RowsRecipe) -> Lesson:
    """A photo of an added label is one for its row alone, also where a label that stays would be right as well."""
    samples = [*train.samples, *base.samples]
    place = {label: 1 + i for i, label in enumerate(head.added)}
    right = np.zeros((len(samples), 1 + len(place)), bool)
    for row, sample in zip(right, samples, strict=True):
        row[[place[label] for label in {sample.label, *sample.also} if label in place] or [0]] = True
    count = Counter(sample.label for sample in train.samples)
    of_train = [min(1.0, settings.per_label / count[sample.label]) for sample in train.samples]
    weights = np.array([*of_train, *[1.0] * len(base.samples)])
    logits = np.concatenate([train.features.logits, base.features.logits])
    return Lesson(
        np.concatenate([train.features.embedding, base.features.embedding]),
        logsumexp(logits, axis=1),
        right,
        np.where(right[:, 0], settings.base_weight, 1.0) * weights,
    )


def _tried(head: Head, rows: Rows, base: _Photos, again: Floats, choose: _Photos) -> list[Trial]:
    """The offsets, tried on the photos that choose, and on those of labels that stay by rows fitted without them."""
    is_added = [sample.label in head.added for sample in choose.samples]
    known, new = choose.where([not each for each in is_added]), choose.where(is_added)
    stays = Tried(
        np.concatenate([known.features.logits, base.features.logits]),
        np.concatenate([rows.logits(known.features.embedding), again]),
        [*known.right, *base.right],
    )
    return try_offsets(head, stays, Tried(new.features.logits, rows.logits(new.features.embedding), new.right))


def _temperature(head: Head, rows: Rows, offset: float, usual: _Photos, base: _Photos, again: Floats) -> float:
    """Of photos such as a camera sees, and of those of labels that stay by rows fitted without them."""
    found: list[tuple[NDArray[Any], ...]] = []
    for photos, added in ((usual, rows.logits(usual.features.embedding)), (base, again)):
        probabilities = head.probabilities(photos.features.logits, added, offset)
        guesses = probabilities.argmax(1).tolist()
        right = [guess in each.right for guess, each in zip(guesses, photos.samples, strict=True)]
        same = alike([each.label for each in photos.samples], [each.accepted for each in photos.samples])
        found.append((probabilities, np.array(right, bool), best_alike(probabilities, same)))
    temperature = fit_temperature(*(np.concatenate(column) for column in zip(*found, strict=True)))
    log.info("temperature %g, fitted to %d photos", temperature, len(usual.samples) + len(base.samples))
    return temperature


def _log(trials: Sequence[Trial], chosen: Trial) -> None:
    for trial in trials:
        log.info(
            "offset %4.1f: %.1f%% of the photos of labels that stay are right (%.1f%% before), %.1f%% of those of "
            "added ones; %.0f%% of the added answers are wrong%s",
            trial.offset, 100 * trial.stays, 100 * trial.before, 100 * trial.added, 100 * trial.wrong,
            ": chosen" if trial is chosen else "",
        )  # fmt: skip


def _with_rows(weights: Path, rows: Rows) -> Weights:
    """The weights under timm's names, with further rows in the head."""
    _, given = read_network(weights)
    return given | {
        "head.weight": np.concatenate([given["head.weight"], rows.weight.astype(np.float32)]),
        "head.bias": np.concatenate([given["head.bias"], rows.bias.astype(np.float32)]),
    }


def _metadata(
    recipe: Recipe, about: Metadata, weights: Path, head: Head, dataset: Dataset, chosen: Trial,
    fitted: dict[str, float], hours: float, command: str,
) -> Metadata:  # fmt: skip
    config, _ = read_network(weights)
    backend = keras.backend.backend()
    known = {
        "recipe": recipe.name,
        "fingerprint": fingerprint(recipe),
        "data": recipe.data,
        "began_with": weights.name,
        "seed": recipe.seed,
        "versions": {package: import_module(package).__version__ for package in ("keras", backend, "numpy", "scipy")},
        "revision": revision(),
        "machine": machine(),
        "hours": round(hours, 2),
        "rows_added": len(head.added),
        "offset": chosen.offset,
        CALIBRATED_ON: fitted[CALIBRATED_ON],
        LIMITS: recipe.about.limits,
    }
    return replace(
        about,
        name=recipe.model_name,
        description=recipe.about.description,
        labels=dataset.labels,
        input=replace(recipe.spec, height=about.input.height, width=about.input.width),
        trained_on=recipe.about.trained_on,
        licence=recipe.about.licence or about.licence,
        provenance=known | ({TRAINED_BY: command} if command else {}),
        network=asdict(replace(config, classes=len(head.rows))),
        synsets=(*about.synsets, *[""] * len(head.added)),
        rows=head.rows,
        temperature=fitted["temperature"],
    )


def _draw(trials: Sequence[Trial], chosen: Trial, out: Path) -> None:
    """What each offset does, as SVG."""
    with figure(out, 6, 3.4) as axes:
        offsets = [trial.offset for trial in trials]
        axes.plot(offsets, [100 * trial.stays for trial in trials], color=PLAIN, label="labels that stay")
        axes.axhline(100 * chosen.before, color=PLAIN, linestyle=":", label="the same, without added rows")
        axes.plot(offsets, [100 * trial.added for trial in trials], color=ACCENT, label="added labels")
        axes.axvline(chosen.offset, color=ACCENT, linewidth=0.8)
        axes.set_xlabel("offset of the added rows")
        axes.set_ylabel("right answers, %")
        axes.legend(frameon=False)
