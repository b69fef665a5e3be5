"""The two tables of trainings, on digits and on CIFAR-10, and the page of both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from vitcam_training.data.catalogue import open_dataset
from vitcam_training.study.ablation.sweep import Sweep
from vitcam_training.study.mistakes.cifar10 import CIRCULATING, StepsResult, circulating
from vitcam_training.study.mistakes.digits import MistakeResult
from vitcam_training.study.mistakes.findings import mistake_findings, so_far
from vitcam_training.study.mistakes.page import digits_part
from vitcam_training.study.mistakes.rows import Mistake, base, with_right
from vitcam_training.study.mistakes.steps_page import cifar10_part, draw_curves, draw_steps
from vitcam_training.study.seeds import check_seeds

TITLE = "# What each mistake costs"
PACKAGE = "vitcam_training.study.mistakes"

Digits: TypeAlias = Sweep[Mistake, MistakeResult]
Steps: TypeAlias = Sweep[Mistake, StepsResult]


def plan_digits(rows: Sequence[str], seeds: int, folder: Path) -> Digits:
    """Every mistake on digits, checked before the first run.

    raises  UsageError for an unknown row, a number of seeds without a spread, or data that are not there
    """
    check_seeds(seeds)
    recipe, chosen = base(), with_right(rows)
    open_dataset(recipe.data)
    return Sweep(recipe, (), chosen, seeds, folder / "digits", MistakeResult, f"{PACKAGE}.digits")


def plan_cifar10(folder: Path) -> Steps:
    """The run that stays at 2.32, and its repairs. Raises UsageError if CIFAR-10 is not there."""
    recipe = circulating()
    open_dataset(recipe.data)
    return Sweep(recipe, (), CIRCULATING, 1, folder / "cifar10", StepsResult, f"{PACKAGE}.cifar10")


def write_mistakes(page: Path, on_digits: Digits, on_cifar10: Steps, command: str) -> list[Path]:
    """The page and its plots, from all runs that are there. Returns what was written."""
    results, steps = on_digits.found, on_cifar10.found
    found = mistake_findings(on_digits.rows, results, on_digits.seeds)
    page.parent.mkdir(parents=True, exist_ok=True)
    plot, steps_plot = page.with_suffix(".svg"), page.with_name(f"{page.stem}-cifar10.svg")
    parts, written = [TITLE], [page]
    begun = so_far(on_digits.rows, results, found, on_digits.seeds)
    parts += digits_part(found, begun, on_digits.conditions(command, results), plot.name)
    if any(not finding.row.is_right for finding in found.values()):
        draw_curves(plot, found)
        written.append(plot)
    if steps:
        draw_steps(steps_plot, steps)
        written.append(steps_plot)
    parts += cifar10_part(steps, on_cifar10.conditions(command, steps) if steps else None, steps_plot.name)
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return written
