"""`python -m vitcam_training.study.reproduce`: train what is left to train, then write the page."""

from __future__ import annotations

import datetime
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from vitcam.errors import UsageError
from vitcam_training.progress import with_progress
from vitcam_training.study.program import as_given, program, start, write_markdown
from vitcam_training.study.reproduce.sources import RUNS, VERSIONS, Version, runs_of

PACKAGE = "vitcam_training.study.reproduce"


@dataclass(frozen=True)
class ReproduceJob:
    """One training with one seed."""

    run: str
    version: Version
    seed: int

    @property
    def name(self) -> str:
        """Distinct for each."""
        return "-".join(self.words)

    @property
    def words(self) -> tuple[str, ...]:
        """What `work` gets after the folder."""
        return self.run, self.version, str(self.seed)


def reproduce(
    only: Annotated[
        str,
        typer.Option(
            "--only", help="Train these alone, with commas between, or `none` to write the page. Default: all."
        ),
    ] = "",
    version: Annotated[
        str, typer.Option("--version", help="Train `as-stated` or `corrected` alone. Default: both.")
    ] = "",
    seeds: Annotated[
        int, typer.Option("--seeds", help="Train each with this many seeds. Default: as many as its row says.")
    ] = 0,
    out: Annotated[Path, typer.Option("--out", "-o", help="Keep the runs in this folder.")] = Path("runs/reproduce"),
    page: Annotated[Path | None, typer.Option("--page", help="Write this page. Default: OUT/reproduce.md.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each run that ends.")] = False,
) -> None:
    """Train what circulates, as it circulates and corrected. The same command continues an interrupted run."""
    from vitcam_training.study.reproduce.measure import ReproducedRun  # imports Keras
    from vitcam_training.study.reproduce.page import reproduced_page
    from vitcam_training.study.reproduce.results import found_in, unfinished
    from vitcam_training.study.runs import add_result, side_by_side

    if version not in ("", *VERSIONS):
        raise UsageError(f"--version is {version!r}; allowed: {', '.join(VERSIONS)}")
    if not 0 <= seeds <= 10:
        raise UsageError(f"--seeds is {seeds}; 1 to 10 is allowed")
    runs = () if only == "none" else runs_of([name for name in only.split(",") if name])
    wanted = [
        ReproduceJob(run.name, each, seed)
        for run in runs
        for seed in range(1, (seeds or run.seeds) + 1)
        for each in VERSIONS
        if version in ("", each)
    ]
    left = unfinished(wanted, out)
    for _, line in with_progress(side_by_side(left, f"{PACKAGE}.measure", out), "runs", len(left)):
        result = ReproducedRun(**line)
        add_result(out / "runs.jsonl", result)
        in_words = f"{result.run}, {result.version}, seed {result.seed}: {result.hours:.2f} h"
        typer.echo(json.dumps(asdict(result)) if as_json else in_words)
    target = page or out / "reproduce.md"
    command = f"python -m {PACKAGE} --page {target}" if only == "none" else as_given(PACKAGE)
    conditions = f"{datetime.date.today().isoformat()}. Each section says what its runs were trained on."
    write_markdown(target, reproduced_page(command, conditions, found_in(RUNS, out)))
    if not as_json:
        typer.echo(f"wrote {target}")


app = program(reproduce)
if __name__ == "__main__":
    start(app, "reproduce")
