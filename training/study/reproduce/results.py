"""What the runs have left in their folder: a line for each that ended, a log for each that is under way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from vitcam_training.fit.logs import read_log
from vitcam_training.recipes.recipe import fingerprint
from vitcam_training.study.reproduce.measure import ReproducedRun, place, summary_of
from vitcam_training.study.reproduce.sources import VERSIONS, SourceRun, Version, runs_of
from vitcam_training.study.runs import read_results


class Wanted(Protocol):
    """A training that is asked for."""

    @property
    def run(self) -> str:
        """The name of the run."""

    @property
    def version(self) -> Version:
        """As stated, or corrected."""

    @property
    def seed(self) -> int:
        """With which it runs."""


W = TypeVar("W", bound=Wanted)


def unfinished(wanted: Iterable[W], folder: Path) -> list[W]:
    """Those without a line of their settings."""
    done = {(line.run, line.version, line.seed, line.settings) for line in _lines(folder)}
    return [job for job in wanted if (job.run, job.version, job.seed, _settings(job)) not in done]


def found_in(runs: Sequence[SourceRun], folder: Path) -> dict[tuple[str, Version], list[ReproducedRun]]:
    """What ended, and what is under way, by run and version; lines of other settings are left out."""
    found: dict[tuple[str, Version], list[ReproducedRun]] = defaultdict(list)
    lines = {(line.run, line.version, line.seed): line for line in _lines(folder)}
    for run in runs:
        for version in VERSIONS:
            for seed in range(1, 11):
                recipe = run.recipe(version, seed)
                line = lines.get((run.name, version, seed))
                log = read_log(place(folder, recipe))
                if line is not None and line.settings == fingerprint(recipe):
                    found[run.name, version].append(line)
                elif log and not run.is_dry:
                    found[run.name, version].append(summary_of(run, version, recipe, log))
    return found


def _settings(job: Wanted) -> str:
    (run,) = runs_of([job.run])
    return fingerprint(run.recipe(job.version, job.seed))


def _lines(folder: Path) -> list[ReproducedRun]:
    return [
        # JSON has texts for keys
        ReproducedRun(**{**vars(line), "accuracies": {int(epoch): v for epoch, v in line.accuracies.items()}})
        for line in read_results(folder / "runs.jsonl", ReproducedRun)
    ]
