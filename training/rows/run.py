"""From a checkpoint and photos of labels that it lacks to a checkpoint that has them; what it knew stays as it was."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path

import keras
import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.model.groups import Groups
from vitcam.model.out_of_distribution import familiarity
from vitcam_training.data.dataset import BASE, CHOOSE, SHOWN, USUAL, Dataset, Sample
from vitcam_training.data.no_thing import no_thing
from vitcam_training.evaluation.alike import alike, best_alike
from vitcam_training.evaluation.calibration import fit_gate, fit_temperature, scaled
from vitcam_training.evaluation.displayed import groups_of, name_is_right, names
from vitcam_training.model_card.commands import TRAINED_BY
from vitcam_training.model_card.page import LIMITS
from vitcam_training.plots import ACCENT, CURVES, PLAIN, figure
from vitcam_training.provenance import machine, revision
from vitcam_training.recipes.recipe import Recipe, RowsRecipe, fingerprint
from vitcam_training.rows.choose import Head, Trial, Tried, best, out_of_fold, try_offsets
from vitcam_training.rows.features import read_features
from vitcam_training.rows.lesson import TRAIN, Photos, lesson_of, lesson_of_one, parts_of, same_photo
from vitcam_training.rows.logistic import Floats, Rows, fit_rows
from vitcam_training.weights.checkpoints import Weights, read_network, save_weights
from vitcam_training.weights.metadata import CALIBRATED_ON, Metadata, read_metadata

WEIGHTS = "weights.safetensors"
MOST_NOTHING = 0.25
"""Pictures that show nothing, for each photo of the calibration, at most."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class _CalibrationSet:
    """What temperature and gate are fitted to. No probability is from rows that were fitted to its photo."""

    samples: Sequence[Sample]
    probabilities: NDArray[np.float32]
    """(n, C) of these photos."""
    nothing: NDArray[np.float32]
    """(m, C) of pictures that show nothing, so that every name is wrong."""

    def temperature(self) -> float:
        """The one with which probabilities say how often a name is right. Pictures of nothing are left to the gate."""
        guesses = self.probabilities.argmax(1).tolist()
        right = np.array([guess in each.right for guess, each in zip(guesses, self.samples, strict=True)], bool)
        same = alike([each.label for each in self.samples], [each.accepted for each in self.samples])
        found = fit_temperature(self.probabilities, right, best_alike(self.probabilities, same))
        log.info("temperature %g, fitted to %d photos", found, len(self.samples))
        return found

    def gate(self, temperature: float, groups: Groups | None) -> float:
        """The familiarity below which no name is displayed, because most names there are wrong."""
        named, of_nothing = (
            names(scaled(rows, temperature).astype(np.float32), groups) for rows in (self.probabilities, self.nothing)
        )
        judged = zip(named.labels, self.samples, strict=True)
        wrong = [not name_is_right(name, each.accepted | {each.label}, each.also) for name, each in judged]
        hideable = np.array([*named.displayed, *of_nothing.displayed], bool)
        scores = np.array([familiarity(row) for row in (*self.probabilities, *self.nothing)])[hideable]
        is_wrong = np.array([*wrong, *[True] * len(self.nothing)], bool)[hideable]
        found = round(fit_gate(scores, is_wrong), 4) if len(scores) else 0.0
        hidden = scores < found
        log.info(
            "below a familiarity of %g lie %d wrong names, %d of them of pictures of nothing, and %d right ones",
            found, is_wrong[hidden].sum(), hidden[np.flatnonzero(hideable) >= len(wrong)].sum(),
            (~is_wrong[hidden]).sum(),
        )  # fmt: skip
        return found


def add_rows(recipe: Recipe, weights: Path, folder: Path, dataset: Dataset, command: str = "") -> Trial:
    """Fit the rows of the labels that a checkpoint lacks, choose their offset, and write it all as a checkpoint.

    weights  a checkpoint whose labels have WordNet ids that the data set knows
    folder   where `weights.safetensors` and a plot of the offsets are written, and what the network makes of the
             photos: a further run with other weights of the parts takes seconds
    dataset  its part `train` has photos of every label that is added, `base` photos of labels that stay, and `choose`
             photos of both
    raises   UsageError if a part or the photos of a label are missing, or the checkpoint's labels are strange
    """
    started_s, settings = time.monotonic(), recipe.rows or RowsRecipe()
    about = read_metadata(weights)
    head = head_of(about, weights, dataset)
    _check_photos(head, dataset)
    spec = replace(recipe.spec, height=about.input.height, width=about.input.width)
    photos = {
        part: Photos(dataset.part(part), read_features(weights, dataset.part(part), spec, folder / f"{part}.npz"))
        for part in (*parts_of(settings), CHOOSE)
    }
    base, choose = photos[BASE], photos[CHOOSE]
    lesson = lesson_of(head, photos, settings)
    rows = fit_rows(lesson, settings.l2)
    of_base = len(photos[TRAIN].samples) + np.arange(len(base.samples))
    held_out = out_of_fold(lesson, of_base, settings.l2, rows, recipe.seed)
    if settings.one:
        label = photos[SHOWN].samples[0].label
        lesson = lesson_of_one(head, label, photos, rows, settings)
        further = fit_rows(lesson, settings.l2)
        same = same_photo(photos, settings)
        further_held_out = out_of_fold(lesson, of_base, settings.l2, further, recipe.seed, same)
        rows, held_out = rows.and_then(further), np.concatenate([held_out, further_held_out], axis=1)
        head = head.with_further(label, len(further.bias))
    trials = _tried(head, rows, base, held_out, choose)
    chosen = best(trials)
    _log(trials, chosen)
    usual = choose.where([sample in dataset.parts.get(USUAL, choose.samples) for sample in choose.samples])
    nothing = read_features(weights, no_thing().part(CHOOSE), spec, folder / "no-thing.npz")
    calibration = _CalibrationSet(
        [*usual.samples, *base.samples],
        np.concatenate(
            [
                head.probabilities(usual.features.logits, rows.logits(usual.features.embedding), chosen.offset),
                head.probabilities(base.features.logits, held_out, chosen.offset),
            ]
        ),
        head.probabilities(nothing.logits, rows.logits(nothing.embedding), chosen.offset)[
            : int(MOST_NOTHING * (len(usual.samples) + len(base.samples)))
        ],
    )
    temperature = calibration.temperature()
    fitted = {
        "temperature": temperature,
        "least_familiarity": calibration.gate(temperature, groups_of(dataset.labels, dataset)),
        CALIBRATED_ON: len(calibration.samples),
    }
    hours = (time.monotonic() - started_s) / 3600
    made = _metadata(recipe, about, weights, head, dataset, chosen, fitted, hours, command)
    save_weights(
        folder / WEIGHTS, _with_rows(weights, Rows(rows.weight, rows.bias + head.offsets(chosen.offset))), made
    )
    _draw(trials, chosen, folder / CURVES)
    return chosen


def head_of(about: Metadata, weights: Path, dataset: Dataset) -> Head:
    """The labels of a checkpoint's rows in a data set, and the labels that it lacks."""
    strange = [synset for synset in about.synsets if synset not in dataset.synsets]
    if strange or not about.synsets:
        found = f"{dataset.name} has no label for {strange[0]}" if any(strange) else "its labels have no WordNet ids"
        if "" in strange and any(about.synsets):
            found = "rows were added to it before"
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


def _tried(head: Head, rows: Rows, base: Photos, again: Floats, choose: Photos) -> list[Trial]:
    """The offsets, tried on the photos that choose, and on those of labels that stay by rows fitted without them."""
    is_added = [sample.label in head.added for sample in choose.samples]
    known, new = choose.where([not each for each in is_added]), choose.where(is_added)
    stays = Tried(
        np.concatenate([known.features.logits, base.features.logits]),
        np.concatenate([rows.logits(known.features.embedding), again]),
        [*known.right, *base.right],
    )
    return try_offsets(head, stays, Tried(new.features.logits, rows.logits(new.features.embedding), new.right))


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
        "rows_added": len(head.rows) - len(head.stays),
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
        synsets=(*about.synsets, *[""] * (len(head.rows) - len(head.stays))),
        rows=head.rows,
        temperature=fitted["temperature"],
        least_familiarity=fitted["least_familiarity"],
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
