"""The table of the runs that circulate says what the lines and logs say, and what was not measured."""

import csv
import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from vitcam.errors import UsageError
from vitcam_training.fit.logs import COLUMNS
from vitcam_training.recipes.recipe import fingerprint
from vitcam_training.study.reproduce.__main__ import ReproduceJob
from vitcam_training.study.reproduce.measure import ReproducedRun, place
from vitcam_training.study.reproduce.page import reproduced_page
from vitcam_training.study.reproduce.results import found_in, unfinished
from vitcam_training.study.reproduce.sources import RUNS, SourceRun, Version, runs_of

(DIGITS,) = runs_of(["digits"])
(LITE,) = runs_of(["lite"])
(TIMM,) = runs_of(["timm"])


def line(run: SourceRun, version: Version, seed: int, accuracy: float, epochs: int = 2) -> ReproducedRun:
    settings = fingerprint(run.recipe(version, seed))
    losses, accuracies = [2.0] * epochs, dict.fromkeys(range(1, epochs + 1), accuracy)
    return ReproducedRun(run.name, version, seed, settings, 9, losses, [0.5] * epochs, accuracies, epochs, 0, 900, 0.25)


def kept(folder: Path, *lines: ReproducedRun) -> Path:
    (folder / "runs.jsonl").write_text("".join(json.dumps(asdict(each)) + "\n" for each in lines))
    return folder


def text_of(folder: Path) -> str:
    return "\n\n".join(reproduced_page("command", "conditions", found_in(RUNS, folder)))


def test_seeds_are_told_as_mean_and_spread(tmp_path: Path) -> None:
    accuracies = (0.90, 0.91, 0.92)
    page = text_of(kept(tmp_path, *(line(DIGITS, "as-stated", seed + 1, a) for seed, a in enumerate(accuracies))))

    assert "test 91.00 ± 1.00 %, training accuracy 50.00 ± 0.00 %, loss 2.000 ± 0.000 | not measured here" in page


def test_a_line_of_other_settings_is_not_taken_for_these(tmp_path: Path) -> None:
    kept(tmp_path, replace(line(DIGITS, "corrected", 1, 0.9), settings="00000000"))

    assert found_in(RUNS, tmp_path) == {}
    assert unfinished([ReproduceJob("digits", "corrected", 1)], tmp_path) == [ReproduceJob("digits", "corrected", 1)]


def test_a_run_under_way_is_told_with_its_epochs(tmp_path: Path) -> None:
    folder = place(tmp_path, LITE.recipe("as-stated", 1))
    folder.mkdir()
    with (folder / "log.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for epoch, accuracy in ((1, 0.43), (2, 0.5)):
            writer.writerow(
                dict.fromkeys(COLUMNS, "")
                | {"epoch": epoch, "train_loss": 1.5, "train_accuracy": 0.4, "test_accuracy": accuracy, "seconds": 600}
            )
    page = text_of(tmp_path)

    assert "test 50.00 %, training accuracy 40.00 %, loss 1.500 after 2 of 30 epochs" in page
    assert "| 1 | test 43.84 % | 1.500; 43.00 % |  |" in page


def test_what_lacks_its_weights_is_told_as_not_measured_with_its_pace(tmp_path: Path) -> None:
    dry = replace(line(TIMM, "as-stated", 1, 0.0, epochs=0), step_s=21.5, hours=93.0, memory_mb=7400)
    page = text_of(kept(tmp_path, dry))

    assert "not measured here: its weights were not at hand" in page
    assert "| as-stated | 21.5 | 93 | 7,400 |" in page


def test_a_name_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="digits, photos, timm, in21k, lite"):
        runs_of(["mnist"])
