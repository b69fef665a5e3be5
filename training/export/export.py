"""From a checkpoint to the files that ship: `NAME.tflite`, and `NAME.safetensors` in float16.

The steps are those of the design: rewrite exactly, quantise, calibrate, write, then measure the very file that was
written, and write the figures into it. `publish.py` puts them in place, with their card.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from vitcam.errors import UsageError
from vitcam.model import bundle
from vitcam.model.card import ModelCard
from vitcam.model.groups import Groups
from vitcam_training.config import ViTConfig
from vitcam_training.data.dataset import Dataset
from vitcam_training.evaluation.alike import best_alike
from vitcam_training.evaluation.answers import (
    CHOSEN,
    KEPT,
    Answers,
    calibration,
    chosen_by,
    comparison,
    displayed,
    figures,
    surely,
)
from vitcam_training.evaluation.calibration import fit_temperature, fit_threshold, scaled
from vitcam_training.evaluation.displayed import SURE_FROM, groups_of, sure_from
from vitcam_training.evaluation.float_network import ask_float
from vitcam_training.evaluation.model_file import ask_model, open_model
from vitcam_training.export.bank import make_bank
from vitcam_training.export.blank import blank_images, least_contrast
from vitcam_training.export.folded import Rewrites
from vitcam_training.export.golden import golden_images, warn_of_untrue
from vitcam_training.export.kept import knowledge_kept
from vitcam_training.export.network import TrainedNetwork, check_partitions
from vitcam_training.export.no_word import least_familiarity
from vitcam_training.export.quantise import SHIPPED, Quantisation, find_scheme
from vitcam_training.export.sensitivity import ALLOWED_LOSS, loses_too_much, spare
from vitcam_training.export.spare_rows import spare_width
from vitcam_training.export.trial import Trial
from vitcam_training.plots import CURVES
from vitcam_training.weights.checkpoints import read_network, read_weights, save_weights
from vitcam_training.weights.metadata import CALIBRATED_ON, Metadata, read_metadata

log = logging.getLogger(__name__)


def export_model(
    checkpoint: Path,
    out: Path,
    dataset: Dataset | None = None,
    golden: Path | None = None,
    rewrites: Rewrites = Rewrites(),  # noqa: B008 - frozen
    side_px: int | None = None,
    how: Quantisation = Quantisation(),  # noqa: B008 - frozen
    began: Path | None = None,
    spare_rows: int = 0,
    banked: Sequence[Dataset] = (),
) -> ModelCard:
    """Write model and weights and return the card with the figures measured; the run's curves, too, if it has any.

    checkpoint  `.safetensors` of vitcam-train
    out         `NAME.tflite`; the others are written beside it
    dataset     its part `heldout` gives the figures, its part `calibration`, where it has one, temperature and
                threshold, its part `train` the least contrast of a photo, both together what is familiar; None: neither
    golden      a folder of a few photos that may be given away: they go into the file, to check it wherever it runs,
                with a few images that show nothing. Its `true.csv` says what they show
    rewrites    which are made; all of them make the fastest file
    side_px     height and width of the input; positions are interpolated. None: as it was trained
    how         what becomes of the layers. As it is by default, and where that loses more than 0.2 points of top-1, the
                layers that suffer most stay in float
    began       the checkpoint that its training began with, to measure what was kept of its knowledge; a network with
                added rows needs none
    spare_rows  for how many labels that a device adds there is to be room
    banked      data sets; of photos of their parts `train` the file keeps what a device that learns a label needs
    raises      UsageError if the checkpoint cannot be used, the network can have no spare rows, or the finished graph
                is not one XNNPACK partition, which only what ships has to be
    """
    about = resized(checkpoint, side_px)
    shipped = out.with_suffix(".safetensors")  # all else is made from it, so anybody can make it again
    save_weights(shipped, read_weights(checkpoint), about, "float16")
    config, weights = read_network(shipped, (about.input.height, about.input.width))
    if spare_rows:
        _check_spare(config, how)
    temperature, threshold = calibrate(shipped, dataset)
    network = TrainedNetwork(about, config, weights, temperature, threshold, rewrites, row_capacity=spare_rows)
    card = _write(network, out, shipped, dataset, golden, how, began, banked)
    if how.ships and dataset and loses_too_much(chosen_by(card.accuracy)):
        card = _write(network, out, shipped, dataset, golden, _spared(network, shipped, dataset), began, banked)
    curves = checkpoint.with_name(CURVES)
    if curves.exists():
        shutil.copy(curves, out.with_suffix(curves.suffix))
    return card


def _check_spare(config: ViTConfig, how: Quantisation) -> None:
    if not spare_width(config):
        raise UsageError("--spare-rows needs a class token and a linear head, which this network has not; leave it out")
    if find_scheme(how.scheme).needs_photos:
        raise UsageError(f"a file of `{how.scheme}` takes nothing but pictures; leave out --spare-rows")


def _write(
    network: TrainedNetwork, out: Path, shipped: Path, dataset: Dataset | None, golden: Path | None,
    how: Quantisation, began: Path | None, banked: Sequence[Dataset],
) -> ModelCard:  # fmt: skip
    """Make the file, measure it, and write the figures into it."""
    tflite, labels = network.tflite(how), list(network.about.labels)
    card = network.card(tflite, how)
    if how.scheme == SHIPPED:
        check_partitions(tflite)
    grouped = _groups(network.about, dataset)
    bundle.write(out, tflite, card, labels, [], grouped)
    card = replace(card, least_contrast=least_contrast(card.input, dataset))
    least = network.about.least_familiarity
    if least is None:
        least = least_familiarity(out, dataset, card.temperature)
    card = replace(card, least_familiarity=least, familiarity_temperature=card.temperature, score=2)
    card = bundle.write(out, tflite, card, labels, [], grouped)
    if dataset:
        card = replace(card, accuracy=measure(out, shipped, dataset, began))
    blank = blank_images(out) if golden else []
    bank = make_bank(out, banked) if banked else None
    card = bundle.write(out, tflite, card, labels, golden_images(out, golden), grouped, blank, banked=bank)
    warn_of_untrue(out)
    return card


def _spared(network: TrainedNetwork, shipped: Path, dataset: Dataset) -> Quantisation:
    """What to keep in float, found on photos that give no figures; everything is int8 where there are none."""
    parts = [part for part in ("calibration", "train") if dataset.parts.get(part)]
    if not parts:
        log.warning("int8 loses too much; %s has no other photos to find the layers that lose it", dataset.name)
        return Quantisation()
    log.warning("int8 loses more than %.1f points: looking for the layers that lose most", 100 * ALLOWED_LOSS)
    with tempfile.TemporaryDirectory() as folder:
        return spare(Trial(network, shipped, dataset, dataset.choosing, Path(folder)), parts[0])


def resized(checkpoint: Path, side_px: int | None) -> Metadata:
    """What a checkpoint says of itself, with an input of `side_px`. Raises UsageError for a size it cannot have."""
    about = read_metadata(checkpoint)
    if side_px is None:
        return about
    patch = read_network(checkpoint)[0].patch_size
    if side_px < patch or side_px % patch:
        raise UsageError(f"{side_px} px cannot be cut into patches of {patch} px; give a multiple of {patch}")
    return replace(about, input=replace(about.input, height=side_px, width=side_px))


def calibrate(checkpoint: Path, dataset: Dataset | None) -> tuple[float, float]:
    """Temperature and threshold, from the float network; without photos to fit them on, what it says, and 0.

    The temperature of a network with added rows stays: it was fitted with them, by rows that had not seen the photos.
    """
    about = read_metadata(checkpoint)
    if dataset is None or not dataset.parts.get("calibration"):
        return about.temperature, 0.0
    answers = ask_float(checkpoint, dataset, "calibration")
    fitted = CALIBRATED_ON in about.provenance
    temperature = (
        about.temperature
        if fitted
        else fit_temperature(answers.probabilities, answers.right, best_alike(answers.probabilities, answers.same))
    )
    return temperature, round(fit_threshold(scaled(answers.probabilities, temperature).max(-1)), 3)


def _groups(about: Metadata, dataset: Dataset | None) -> Groups | None:
    """Those of the data set, or else those that a network says itself."""
    own = Groups(about.groups, len(about.labels)) if about.groups else None
    return groups_of(about.labels, dataset) or own


def measure(model: Path, checkpoint: Path, dataset: Dataset, began: Path | None = None) -> dict[str, Any]:
    """The figures of a model file on the held-out photos, beside those of the float network it came from.

    With `CHOSEN`: the same on the photos by which one of several networks or files is chosen, where there are others,
    and the probability from which on nearly all that is displayed there is right. With `KEPT`: what became of the
    knowledge of the network that its training began with.

    began  that network; None: a head with added rows tells it, others do not
    """
    classifier = open_model(model, dataset)

    def measured(part: str) -> tuple[Answers, dict[str, Any]]:
        answers = ask_model(classifier, dataset, part)
        compared = comparison(answers, ask_float(checkpoint, dataset, part, classifier.labels))
        return answers, {"data": dataset.name, "split": part, **figures(answers), **compared, **displayed(answers)}

    answers, found = measured("heldout")
    found |= calibration(answers) | {"labels": len(classifier.labels)}
    if dataset.choosing != "heldout":
        chosen_on, chosen = measured(dataset.choosing)
        found[CHOSEN] = chosen | {SURE_FROM: sure_from(chosen_on.names, chosen_on.judge)}
        found |= surely(answers, found)
    kept = knowledge_kept(classifier, checkpoint, dataset, began)
    return found | ({KEPT: kept} if kept else {})
