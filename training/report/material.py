"""Everything that a report shows, measured once before the page is written."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

from vitcam.benchmark.measure import BenchPlan, Step, run_bench
from vitcam.benchmark.row import BenchRow
from vitcam.errors import UsageError
from vitcam.frames import Guess
from vitcam.model.classifier import Classifier
from vitcam_training.data.catalogue import DATASETS, open_to_measure
from vitcam_training.data.dataset import BrokenPhotoError, Dataset, Sample, photo_of
from vitcam_training.evaluation.answers import Answers, Floats, attention_cosines, comparison
from vitcam_training.evaluation.calibration import scaled
from vitcam_training.evaluation.evaluate import all_figures
from vitcam_training.evaluation.float_network import ask_float
from vitcam_training.evaluation.model_file import ask_model, open_model
from vitcam_training.evaluation.unknown import SEEDS, disjoint
from vitcam_training.model_card.commands import measured_on
from vitcam_training.progress import with_progress
from vitcam_training.provenance import machine
from vitcam_training.report.faithfulness import FaithfulnessResult, path_of, read_result
from vitcam_training.report.machine_load import MachineLoad, machine_load, now
from vitcam_training.weights.metadata import Metadata, read_metadata

BENCH_S = 1.0  # for each kind of measurement and number of threads

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class OutOfDistribution:
    """What a model said of m photos that show nothing it knows."""

    source: str
    """Name of the data set or the folder."""
    samples: tuple[Sample, ...]
    guesses: tuple[Guess, ...]
    """The best guess for each."""
    certainty: NDArray[np.float64]
    """(m,): what the threshold is held against; see `Prediction.certainty`."""
    protocol: dict[str, float] | None
    """Of `disjoint`, where thresholds are chosen on other labels than they are measured with; None: no photos to
    choose them on."""


def default_out_of_distribution(data: str) -> str | None:
    """The data set of photos that show none of another's labels, if there is one and it is there."""
    name = f"{data}-unknown"
    try:
        return name if name in DATASETS and DATASETS[name]().parts else None
    except UsageError:
        return None


def ask_out_of_distribution(
    classifier: Classifier, photos: Dataset, part: str, dataset: Dataset, held_out: Answers
) -> OutOfDistribution:
    """Classify photos of no label.

    photos    show none of the model's labels, in this part
    held_out  what the model said of the photos of its labels in `dataset`
    raises    UsageError if none of them can be read
    """
    samples, guesses, certainty = [], [], []
    words = f"asking about {photos.name}"
    for sample in with_progress(photos.part(part), words):
        try:
            prediction = classifier.classify_image(photo_of(sample))
        except BrokenPhotoError as error:
            log.warning("skipped %s", error)
            continue
        samples.append(sample)
        guesses.append(prediction.top[0])
        certainty.append(prediction.certainty)
    if not samples:
        raise UsageError(f"not one of the photos of {photos.name} can be read; give photos of no label with --unknown")
    found = np.array(certainty)
    protocol = None
    if dataset.parts.get("calibration"):
        protocol = disjoint(ask_model(classifier, dataset, "calibration"), held_out, found, range(SEEDS))
    return OutOfDistribution(photos.name, tuple(samples), tuple(guesses), found, protocol)


@dataclass(frozen=True)
class ReportRequest:
    """What a report is wanted of."""

    model: str
    """A name, or a `.tflite` file."""
    data: str | None = None
    """A data set, a folder or a list of photos; None: what the model was measured on when it was exported."""
    part: str | None = None
    checkpoint: Path | None = None
    """The float network; None: the `.safetensors` beside the model, if there is one."""
    unknown: str | None = None
    """Photos that show none of the labels; None: those that belong to the data, if there are some."""
    threads: int | None = None


@dataclass(frozen=True, eq=False)
class Material:
    """What the sections of a report are made from; None and empty where an ingredient is missing."""

    classifier: Classifier
    dataset: Dataset
    data: str
    """What names it in a command: a data set, a folder or a list of photos."""
    part: str
    answers: Answers
    """Of the model file, with its temperature."""
    floats: Answers | None
    """Of the float network, at temperature 1."""
    about: Metadata | None
    out_of_distribution: OutOfDistribution | None
    speed: tuple[BenchRow, ...]
    machine_load: MachineLoad
    """What ran beside the measuring of its speed."""
    faithfulness: FaithfulnessResult | None
    """What was measured of the overlays, before."""
    machine: str
    date: str

    @cached_property
    def raw(self) -> Floats:
        """(n, C) the model file's probabilities as they would be without its temperature."""
        return scaled(self.answers.probabilities, 1 / self.classifier.card.temperature).astype(np.float32)

    @cached_property
    def cosines(self) -> Floats | None:
        """(n,) how alike model file and float network looked at each photo; None where one of them does not say."""
        if self.floats is None or self.answers.attention.shape != self.floats.attention.shape:
            return None
        return attention_cosines(self.answers, self.floats)

    @cached_property
    def figures(self) -> dict[str, Any]:
        """What `evaluate --json` says of the same photos."""
        compared = comparison(self.answers, self.floats) if self.floats else {}
        return all_figures(self.classifier, self.dataset, self.part, self.answers, compared)


def check_place(out: Path) -> None:
    """Raise UsageError if the file cannot be written, before minutes are spent on measuring."""
    if not out.absolute().parent.is_dir():
        raise UsageError(f"{out} is in a folder that does not exist; create {out.parent}, or name another file with -o")
    if out.is_dir():
        raise UsageError(f"{out} is a folder; name an HTML file with -o")


def gather(request: ReportRequest) -> Material:
    """Classify and measure. This takes minutes for thousands of photos.

    raises  UsageError if the model or the data are missing or do not fit together
    """
    classifier = Classifier(request.model, threads=request.threads)
    stored = classifier.card.accuracy
    trained_on = str(stored.get("data") or classifier.card.provenance.get("data") or "")
    data = request.data or measured_on(classifier.card) or trained_on
    if not data:
        raise UsageError(f"{classifier.card.name} does not say on which photos it was measured; give --data")
    dataset, part = open_to_measure(data, request.part, trained_on)
    classifier = open_model(request.model, dataset, request.threads)
    checkpoint = request.checkpoint or classifier.path.with_suffix(".safetensors")
    known = request.checkpoint is not None or checkpoint.is_file()
    about = read_metadata(checkpoint) if known else None
    strange = request.unknown or default_out_of_distribution(dataset.name)
    others = open_to_measure(strange) if strange else None
    answers = ask_model(classifier, dataset, part)
    began = now()
    rows = _measure(classifier, request.threads)
    beside = machine_load(began, now())
    return Material(
        classifier=classifier,
        dataset=dataset,
        data=data,
        part=part,
        answers=answers,
        floats=_ask_float(checkpoint, dataset, part) if known else None,
        about=about,
        out_of_distribution=ask_out_of_distribution(classifier, *others, dataset, answers) if others else None,
        speed=rows,
        machine_load=beside,
        faithfulness=read_result(path_of(classifier.path)),
        machine=machine(),
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
    )


def _ask_float(checkpoint: Path, dataset: Dataset, part: str) -> Answers:
    count = len(dataset.part(part))
    with Console(stderr=True).status(f"asking {checkpoint.name}, the float network, about {count:,} photos"):
        return ask_float(checkpoint, dataset, part)


def _measure(classifier: Classifier, threads: int | None) -> tuple[BenchRow, ...]:
    """Latency with one thread and with all, as `vitcam bench` measures it."""
    cores = len(os.sched_getaffinity(0))
    counts = (threads,) if threads else tuple(dict.fromkeys((1, min(cores, 4))))
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("measuring its speed", total=None)

        def announce(number: int, count: int, step: Step) -> None:
            progress.update(task, completed=number, total=count)

        return tuple(run_bench(BenchPlan(str(classifier.path), counts, BENCH_S), announce))
