"""What is said of the mistakes follows from the figures of the runs, and from nothing else."""

import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from tests.needs import need_data
from tests.training.unit.study.ablation.test_ablation import digits
from tests.unit.docs.pages import ROOT
from vitcam.errors import UsageError
from vitcam_training.study.ablation.sweep import AblationJob
from vitcam_training.study.mistakes import cifar10
from vitcam_training.study.mistakes.cifar10 import StepsResult
from vitcam_training.study.mistakes.digits import MistakeResult, run
from vitcam_training.study.mistakes.findings import (
    SHOWN,
    STAYS,
    TOO_HIGH,
    MistakeFinding,
    cost,
    mistake_findings,
    symptom,
)
from vitcam_training.study.mistakes.page import TESTS
from vitcam_training.study.mistakes.rows import MISTAKES, base
from vitcam_training.study.mistakes.sweeps import plan_cifar10, plan_digits, write_mistakes

pytestmark = pytest.mark.slow("training/study/mistakes", "training/vit.py", "training/config.py", "training/fit")

ROW = {row.name: row for row in MISTAKES}


def found(row: str, accuracies: tuple[float, ...], last: float = 0.1, trained: float = 99.0) -> MistakeFinding:
    curves = tuple((2.0, last + step) for step in (0.0, 0.001, 0.002))
    return MistakeFinding(ROW[row], accuracies, curves, (trained,) * 3, ((90.0, 95.0),) * 3, accuracies)


RIGHT = found("base", (94.0, 94.1, 94.2))


def result(row: str, seed: int, settings: str, accuracy: float = 0.9) -> MistakeResult:
    return MistakeResult(row, seed, settings, [2.0, 0.1], [0.5, 0.99], accuracy, 0.3, [0.89, 0.91], 0.9, 60.0, 50.0)


def test_a_loss_that_has_not_fallen_is_named_first_whatever_the_test_says() -> None:
    assert symptom(found("batch", (11.0, 11.1, 11.2), last=2.28, trained=12.0), RIGHT) == STAYS
    assert symptom(found("batch", (40.0, 40.1, 40.2), last=1.8, trained=40.0), RIGHT) == SHOWN["above", "below"]


def test_a_high_loss_with_right_answers_is_told_from_one_with_wrong_answers() -> None:
    assert symptom(found("softmax", (93.0, 93.1, 93.2), last=1.5, trained=95.0), RIGHT) == TOO_HIGH
    assert symptom(found("softmax", (30.0, 30.1, 30.2), last=1.9, trained=31.0), RIGHT) == SHOWN["above", "below"]


def test_a_row_within_the_spread_of_the_seeds_says_so() -> None:
    same = found("norm-plain", (94.0, 94.1, 94.3))

    assert symptom(same, RIGHT) == "Nothing shows"
    assert (
        cost(same, RIGHT)
        == "within the spread of 3 seeds (+0.03 ± 0.29 points): no difference was expected, and none showed."
    )


def test_a_row_below_its_right_network_says_by_how_much_and_what_was_expected() -> None:
    worse = found("unadded", (88.0, 88.1, 88.2))

    assert symptom(worse, RIGHT) == "The loss falls as ever, the test is worse"
    assert cost(worse, RIGHT) == "6.00 ± 0.23 points below the right network: as expected."
    assert cost(replace(worse, row=ROW["norm-plain"]), RIGHT).endswith("worse, against the expectation.")


def test_a_row_is_reported_only_with_all_its_seeds_and_its_right_network() -> None:
    runs = [result(row, seed, "x") for row in ("base", "strips", "dropout-on") for seed in (2, 1)]
    whole = mistake_findings(MISTAKES, [*runs, result("l2", 1, "x")], seeds=2)

    assert list(whole) == ["base", "strips"], "of dropout-on the right network is missing, of l2 a seed"
    assert whole["strips"].curve == (2.0, 0.1)


def test_a_number_of_seeds_without_a_spread_is_refused_before_any_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="1 seeds were given; 2 to 10 are allowed"):
        plan_digits([], 1, tmp_path)


def test_the_page_shows_every_row_that_was_run_and_names_those_that_were_not(tmp_path: Path) -> None:
    need_data("mnist")
    on_digits, on_cifar10 = plan_digits(["strips", "batch"], 2, tmp_path), plan_cifar10(tmp_path)
    write_lines(
        on_digits.results,
        [
            result(j.row.name, j.recipe.seed, j.settings)
            for j in on_digits.jobs
            if (j.row.name, j.recipe.seed) != ("batch", 2)
        ],
    )
    steps = {row.name: row.steps for row in cifar10.CIRCULATING}
    run_rows = [j for j in on_cifar10.jobs if j.row.name in ("circulating", "rate", "circulating-long")]
    write_lines(
        on_cifar10.results,
        [
            StepsResult(j.row.name, 1, j.settings, "torch", 24_390_922, [2.31] * steps[j.row.name], 9.0, 9.0)
            for j in run_rows
        ],
    )
    written = write_mistakes(tmp_path / "mistakes.md", on_digits, on_cifar10, "the command")
    page = written[0].read_text()

    assert [path.name for path in written] == ["mistakes.md", "mistakes.svg", "mistakes-cifar10.svg"]
    assert "| Nothing shows | reshape instead of patches |" in page
    assert "| reshape instead of patches | 2.000 | 0.100 | 99.00 | 90.00 ± 0.00 | +0.00 |" in page
    assert re.search(
        r"\| attention across the batch \| .* \| So far 1 of 2 seeds, without a verdict yet: .* 90.00 %", page
    )
    assert "| One repair alone | learning rate of 1e-4 | 2.310 | 2.310 | +0.007 |" in page
    assert "| One repair alone | pixels in -1..1 | not yet run | | |" in page
    assert "| steps | 1 to 40 | 41 to 80 | 81 to 120 | 121 to 160 | 161 to 200 | 201 to 240 |" in page
    assert "| as it circulates | 2.310 | 2.310 | 2.310 | 2.310 | 2.310 | 2.310 |" in page
    assert "| all repaired | not yet run |  |  |  |  |  |" in page
    assert "The loss of 2.32 that circulates, to within 0.02, shows here with: as it circulates." in page
    assert "0 of 2 rows end more than 0.1 below ln 10, none of them with one repair alone." in page


def test_a_run_that_stands_in_the_file_twice_counts_once(tmp_path: Path) -> None:
    need_data("mnist")
    plan = plan_digits(["strips"], 2, tmp_path)
    lines = [result(job.row.name, job.recipe.seed, job.settings) for job in plan.jobs]
    write_lines(plan.results, [*lines, lines[0]])

    assert plan.found == lines
    assert list(mistake_findings(plan.rows, plan.found, plan.seeds)) == ["base", "strips"]


def test_a_page_of_nothing_that_was_run_has_no_figure_and_no_plot(tmp_path: Path) -> None:
    need_data("mnist")
    (page,) = write_mistakes(
        tmp_path / "mistakes.md", plan_digits([], 2, tmp_path), plan_cifar10(tmp_path), "the command"
    )

    assert page.read_text().count("| Not yet run. |") == len(MISTAKES)
    assert page.read_text().count("| not yet run |") == len(cifar10.CIRCULATING)
    assert "](mistakes" not in page.read_text()
    assert "24,390,922 parameters" in page.read_text()


def write_lines(path: Path, results: list[MistakeResult] | list[StepsResult]) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(asdict(line)) + "\n" for line in results))


def test_the_files_that_the_page_links_to_are_there() -> None:
    modules = {row.network.__module__.rpartition(".")[2] for row in MISTAKES if row.network.__module__.count(".") > 1}

    folder = ROOT / "training" / "study" / "mistakes"
    assert (folder / TESTS).is_file()
    assert all((folder / f"{module}.py").is_file() for module in modules)


def test_the_network_that_stays_has_the_parameters_that_circulate() -> None:
    recipe = cifar10.circulating()
    all_repaired = next(row for row in cifar10.CIRCULATING if row.name == "all-long").recipe(recipe, 1)

    assert round(recipe.model.config(10).width) == 768
    assert recipe.train.learning_rate == 1e-3
    assert (all_repaired.train.learning_rate, all_repaired.train.clip_norm) == (1e-4, 1.0)
    assert all_repaired.train.warmup_epochs * cifar10.LONG == 24, "as many steps as in the short rows"


def test_a_run_with_a_mistake_trains_and_tests_on_every_photo(tmp_path: Path) -> None:
    data = digits()
    recipe = base()
    short = replace(recipe, train=replace(recipe.train, epochs=2, batch_size=5))
    row = ROW["residual-twice"]
    line = run(AblationJob(row, row.recipe(short, 1)), row, tmp_path, data)

    assert len(line.train_losses) == 2
    assert line.thousands == [line.accuracy], "eight photos are less than a thousand"
    assert line.whole_batches in {right / 5 for right in range(6)}


def test_a_few_steps_are_taken_and_their_losses_kept(tmp_path: Path) -> None:
    row = cifar10.CIRCULATING[0]
    small: dict[str, Any] = {
        "image_size": (28, 28),
        "patch_size": 7,
        "width": 32,
        "depth": 1,
        "heads": 4,
        "mlp_width": 32,
    }
    recipe = row.recipe(cifar10.circulating(), 1)
    few = replace(recipe, model=replace(recipe.model, **small), train=replace(recipe.train, batch_size=8))
    line = cifar10.run(AblationJob(row, few), row, tmp_path, digits())

    assert len(line.losses) == 3, "24 photos in batches of 8"
    assert line.losses[0] == pytest.approx(1.386, abs=1e-3), "the head starts at zero: ln 4"
