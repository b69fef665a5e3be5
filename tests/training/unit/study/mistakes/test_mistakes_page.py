"""A run of each part of the study, and the page of lines that are there."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.needs import need_data
from tests.training.unit.study.ablation.test_ablation import digits
from vitcam_training.study.ablation.sweep import AblationJob
from vitcam_training.study.mistakes.__main__ import plan
from vitcam_training.study.mistakes.digits import MistakeResult, run
from vitcam_training.study.mistakes.page import mistake_findings, write_page
from vitcam_training.study.mistakes.rows import MISTAKES, base

pytestmark = pytest.mark.slow("training/study/mistakes", "training/vit.py", "training/config.py", "training/fit")

ROW = {row.name: row for row in MISTAKES}


def result(row: str, seed: int, settings: str, accuracy: float = 0.9) -> MistakeResult:
    return MistakeResult(row, seed, settings, [2.0, 0.1], [0.5, 0.99], accuracy, 0.3, [0.89, 0.91], 0.9, 60.0, 50.0)


def test_the_page_has_a_line_for_each_row_with_all_its_seeds(tmp_path: Path) -> None:
    need_data("mnist")
    planned = plan(["strips", "batch"], 2, tmp_path)
    planned.results.parent.mkdir(parents=True)
    ended = [job for job in planned.jobs if (job.row.name, job.recipe.seed) != ("batch", 2)]
    lines = [json.dumps(asdict(result(job.row.name, job.recipe.seed, job.settings))) for job in ended]
    planned.results.write_text("".join(f"{line}\n" for line in lines))
    write_page(tmp_path / "mistakes.md", mistake_findings(planned.rows, planned.found, 2), "the command")
    page = (tmp_path / "mistakes.md").read_text()

    assert "| reshape instead of patches | 2.000 | 0.100 | 99.00 | 90.00 ± 0.00 | +0.00 ± 0.00 |" in page
    assert "attention across the batch |" not in page, "of two seeds it has one"
    assert "| 1 | 90.00 | 89.00 | 89.00 to 91.00 |" in page
    assert (tmp_path / "mistakes.svg").is_file()


def test_a_run_with_a_mistake_trains_and_tests_on_every_photo(tmp_path: Path) -> None:
    data = digits()
    recipe = base()
    short = replace(recipe, train=replace(recipe.train, epochs=2, batch_size=5))
    row = ROW["strips"]
    line = run(AblationJob(row, row.recipe(short, 1)), row, tmp_path, data)

    assert len(line.train_losses) == 2
    assert line.thousands == [line.accuracy], "eight photos are less than a thousand"
    assert line.whole_batches in {right / 5 for right in range(6)}
