"""The page that people read of the runs that circulate: stated, as stated here, corrected here."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

from vitcam_training.study.reproduce.measure import ReproducedRun
from vitcam_training.study.reproduce.sources import RUNS, VERSIONS, SourceRun, Version

Found = Mapping[tuple[str, Version], Sequence[ReproducedRun]]

_INTRO = """These trainings circulate: in articles, notebooks and courses. Each is a recipe here, with exactly its
settings, its slips included, beside a twin without them. Nothing was chosen on the test photos, and no figure of others
was checked in another way.

    {command}

The same command goes on after an interruption, and waits while `make bench` measures. `--only NAME` takes one run.
{conditions}"""


def reproduced_page(command: str, conditions: str, found: Found) -> list[str]:
    """The parts of the page."""
    return [
        "# Runs that circulate, and their corrected twins",
        _INTRO.format(command=command, conditions=conditions),
        "## All runs",
        _table(found),
        *(part for run in RUNS for part in _section(run, found)),
    ]


def _table(found: Found) -> str:
    rows = [
        "| run | stated by others | as stated, here | corrected, here | seeds | hours each |",
        "|---|---|---|---|--:|--:|",
    ]
    for run in RUNS:
        both = [found.get((run.name, version), ()) for version in VERSIONS]
        seeds = ", ".join(str(len(runs)) for runs in both)
        hours = ", ".join(_hours(run, runs) for runs in both)
        cells = " | ".join(_outcome(run, runs) for runs in both)
        rows.append(f"| [{run.title}](#{_anchor(run.title)}) | {run.stated} | {cells} | {seeds} | {hours} |")
    return "\n".join(rows)


def _outcome(run: SourceRun, runs: Sequence[ReproducedRun]) -> str:
    """What was found, in a cell."""
    if run.is_dry:
        return "not measured here: its weights were not at hand"
    if not any(each.train_losses for each in runs):
        return "not measured here"
    whole = [each for each in runs if len(each.train_losses) == each.epochs]
    used = whole or runs
    epochs = "" if whole else f" after {min(len(each.train_losses) for each in runs)} of {runs[0].epochs} epochs"
    parts = []
    last = [each.accuracies[max(each.accuracies)] for each in used if each.accuracies]
    if last:
        parts.append(f"test {_spread([100 * value for value in last])} %")
    if any(each.train_accuracies for each in used):
        parts.append(f"training accuracy {_spread([100 * each.train_accuracies[-1] for each in used])} %")
    parts.append(f"loss {_spread([each.train_losses[-1] for each in used], 3)}")
    return ", ".join(parts) + epochs


def _spread(values: Sequence[float], digits: int = 2) -> str:
    mean = f"{statistics.mean(values):.{digits}f}"
    return f"{mean} ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else mean


def _hours(run: SourceRun, runs: Sequence[ReproducedRun]) -> str:
    if not runs:
        return "–"
    mean = statistics.mean(each.hours for each in runs)
    hours = f"{mean:.2g}" if mean < 10 else f"{mean:.0f}"
    return f"{hours} (estimated)" if run.is_dry else hours


def _section(run: SourceRun, found: Found) -> list[str]:
    parts = [f"## {run.title}", f"Others state: {run.stated}."]
    if run.slips:
        parts.append("What is wrong with it:")
        parts.append(_listed(run.slips))
    else:
        parts.append("Nothing is wrong with it.")
    parts.append(f"Expected: {run.expected}.")
    parts.append("Where the run here is another one:")
    parts.append(_listed(run.differs))
    parts += _machines(
        "Measured" if run.is_dry else "Trained",
        [each for version in VERSIONS for each in found.get((run.name, version), ())],
    )
    tables = [_epochs(run, found)] if not run.is_dry else [_dry(run, found)]
    return parts + [table for table in tables if table]


def _machines(what: str, runs: Sequence[ReproducedRun]) -> list[str]:
    """A sentence on what trained them."""
    counts = Counter(each.machine for each in runs if each.machine)
    named = [f"{machine} ({count} run{'s' * (count > 1)})" for machine, count in sorted(counts.items())]
    return [f"{what} on: {'; '.join(named)}."] if named else []


def _listed(sentences: Sequence[str]) -> str:
    *others, last = sentences
    return "\n".join([*(f"- {sentence};" for sentence in others), f"- {last}."])


def _epochs(run: SourceRun, found: Found) -> str:
    """A line for each epoch of which there is anything to say."""
    both = [found.get((run.name, version), ()) for version in VERSIONS]
    trained = max((len(each.train_losses) for runs in both for each in runs), default=0)
    if not trained:
        return ""
    stated = [*run.stated_by_epoch, *range(1, len(run.stated_losses) + 1)]
    shown = [epoch for epoch in range(1, trained + 1) if epoch in stated or epoch in (1, trained) or trained <= 10]
    rows = [
        "| epoch | stated | as stated, here: loss; test | corrected, here: loss; test |",
        "|--:|---|---|---|",
    ]
    rows += [
        " | ".join([f"| {epoch}", _stated(run, epoch), *(_at(runs, epoch) for runs in both)]) + " |" for epoch in shown
    ]
    return "\n".join(rows)


def _stated(run: SourceRun, epoch: int) -> str:
    said = [f"test {100 * run.stated_by_epoch[epoch]:.2f} %"] if epoch in run.stated_by_epoch else []
    if epoch <= len(run.stated_losses):
        said.append(f"loss {run.stated_losses[epoch - 1]:.4f}")
    return ", ".join(said)


def _at(runs: Sequence[ReproducedRun], epoch: int) -> str:
    reached = [each for each in runs if len(each.train_losses) >= epoch]
    if not reached:
        return ""
    text = _spread([each.train_losses[epoch - 1] for each in reached], 3)
    scored = [100 * each.accuracies[epoch] for each in reached if epoch in each.accuracies]
    return f"{text}; {_spread(scored)} %" if scored else text


def _dry(run: SourceRun, found: Found) -> str:
    rows = ["| version | a step of 32 photos, s | all steps, hours | memory, MB |", "|---|--:|--:|--:|"]
    rows += [
        f"| {version} | {each.step_s:.1f} | {each.hours:.0f} | {each.memory_mb:,.0f} |"
        for version in VERSIONS
        for each in found.get((run.name, version), ())
    ]
    if len(rows) == 2:
        return ""
    return "A few steps with random weights, in processor time of one core of the machine above:\n\n" + "\n".join(rows)


def _anchor(title: str) -> str:
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -")
    return kept.replace(" ", "-")
