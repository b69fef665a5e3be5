"""`finetune` and `fit`: to train a network."""

import math
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.errors import UsageError
from vitcam_training.cli.options import DataOption, MeanOption, StdOption, say, warn

if TYPE_CHECKING:
    from vitcam_training.fit.session import Session
    from vitcam_training.weights.normalisation import Normalisation

RunOption = Annotated[
    Path | None, typer.Option("--out", "-o", help="Keep the run in this folder. Default: runs/RECIPE, or runs/DATA.")
]
RecipeArgument = Annotated[
    str, typer.Argument(help="Train by this recipe: the name of one that comes with vitcam, or a TOML file.")
]
SaveOption = Annotated[
    float,
    typer.Option("--save-every", metavar="MINUTES", min=0, help="Save the run this often: a killed run loses no more."),
]
BoardOption = Annotated[bool, typer.Option("--tensorboard", help="Write event files for TensorBoard, too.")]
TeacherOption = Annotated[
    Path | None,
    typer.Option(
        "--teacher",
        help="Learn from this network, too: a checkpoint of vitcam-train with the same labels, or with WordNet ids. "
        "With a folder of photos without labels: learn from it alone.",
    ),
]
StopOption = Annotated[
    float | None,
    typer.Option(
        "--stop-after", metavar="MINUTES", min=0, help="Save and end after this time; the same command continues."
    ),
]
BudgetOption = Annotated[
    str | None,
    typer.Option(
        "--budget", metavar="TIME", help="Train as many epochs as fit into this time here, such as 90s, 10m or 2h."
    ),
]
ExportOption = Annotated[
    Path | None,
    typer.Option("--export", metavar="FILE", help="Make the model file as well, measured on the held-out photos."),
]
BlocksOption = Annotated[
    int | None,
    typer.Option(
        "--blocks",
        metavar="K",
        min=0,
        help="Train the head and the last K blocks; the others keep their weights, and steps take less time. 0: the "
        "head alone. Default: as the recipe says.",
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Try two steps, print the time and memory of the whole training, and end.")
]
HostsOption = Annotated[
    str | None, typer.Option("--hosts", metavar="HOST:PORT,…", help="Train on several machines together, on JAX.")
]
HostIndexOption = Annotated[
    int | None, typer.Option("--host-index", help="Take this place in the list of hosts, from 0.")
]


def finetune(
    weights: Annotated[
        Path,
        typer.Option(
            "--weights", help="Begin with these weights: a ViT under timm's names, as .npz, .safetensors or .pth."
        ),
    ],
    recipe: RecipeArgument = "folder",
    out: RunOption = None,
    data: DataOption = None,
    teacher: TeacherOption = None,
    blocks: BlocksOption = None,
    budget: BudgetOption = None,
    dry_run: DryRunOption = False,
    export: ExportOption = None,
    save_every: SaveOption = 5.0,
    stop_after: StopOption = None,
    tensorboard: BoardOption = False,
    hosts: HostsOption = None,
    host_index: HostIndexOption = None,
    mean: MeanOption = None,
    std: StdOption = None,
) -> None:
    """Train a pretrained network on photos of your own labels. The same command continues an interrupted run."""
    session, budget_s = _session(save_every, stop_after, tensorboard), _seconds(budget)
    from vitcam_training.weights.normalisation import parse_normalisation

    asked = _Asked(
        recipe, weights, out, data, teacher, parse_normalisation(mean, std), budget_s, dry_run, export, blocks
    )
    _train(asked, session, hosts, host_index)


def fit(
    recipe: RecipeArgument = "scratch",
    out: RunOption = None,
    data: DataOption = None,
    teacher: TeacherOption = None,
    budget: BudgetOption = None,
    dry_run: DryRunOption = False,
    export: ExportOption = None,
    save_every: SaveOption = 5.0,
    stop_after: StopOption = None,
    tensorboard: BoardOption = False,
    hosts: HostsOption = None,
    host_index: HostIndexOption = None,
) -> None:
    """Train a network from scratch. The same command continues an interrupted run."""
    session = _session(save_every, stop_after, tensorboard)
    asked = _Asked(recipe, None, out, data, teacher, None, _seconds(budget), dry_run, export)
    _train(asked, session, hosts, host_index)


def _session(save_every: float, stop_after: float | None, tensorboard: bool) -> "Session":
    """Before Keras is imported: its seconds count, too."""
    from vitcam_training.fit.session import Session, Stop

    minutes = math.inf if stop_after is None else stop_after
    return Session(save_every_s=60 * save_every, tensorboard=tensorboard, stop=Stop(minutes))


def _seconds(budget: str | None) -> float | None:
    from vitcam_training.fit.session import parse_budget

    return None if budget is None else parse_budget(budget)


@dataclass(frozen=True)
class _Asked:
    """What one call is to train, on what, and how long."""

    recipe: str
    weights: Path | None
    out: Path | None
    data: str | None
    teacher: Path | None
    normalisation: "Normalisation | None"
    budget_s: float | None
    dry_run: bool
    export: Path | None
    blocks: int | None = None
    """None: as many as the recipe says."""


def _train(asked: _Asked, session: "Session", hosts: str | None, host_index: int | None) -> None:
    started_s = time.monotonic()
    if hosts and (asked.budget_s is not None or asked.dry_run):
        raise UsageError("--budget and --dry-run are for one machine; leave them out, or --hosts")
    from vitcam_training.fit.data_parallel import is_first, join

    warn(f"loading Keras on {os.environ['KERAS_BACKEND']}")  # takes seconds
    join(hosts, host_index)  # before Keras computes anything

    from vitcam_training.cli.export import export as make_model_file
    from vitcam_training.fit.budget import effort, within_budget
    from vitcam_training.fit.loop import WEIGHTS
    from vitcam_training.fit.prepare import check_teacher, last_blocks, opened, train
    from vitcam_training.fit.progress.csv_log import LOG
    from vitcam_training.fit.session import Stopped
    from vitcam_training.fit.unlabelled import ANSWERS, taught_alone
    from vitcam_training.model_card.commands import exporting, training
    from vitcam_training.model_card.curves import CURVES, draw_curves
    from vitcam_training.recipes.recipe import on_photos, read_recipe

    chosen, begun, normalisation = read_recipe(asked.recipe), asked.weights, asked.normalisation
    if asked.data:
        chosen = on_photos(chosen, asked.data)
    place = asked.out or Path("runs") / chosen.model_name
    if asked.blocks is not None and begun:
        chosen = last_blocks(chosen, begun, asked.blocks, normalisation)
    check_teacher(chosen, asked.teacher)  # before photos are read, which takes a while
    photos = _unlabelled(asked)
    if photos and asked.teacher:
        chosen, dataset = taught_alone(chosen, photos, asked.teacher, place / ANSWERS)
    else:
        dataset = opened(chosen)
    if asked.dry_run:
        say(effort(chosen, begun, dataset, asked.teacher, normalisation).text)
        return
    if asked.budget_s is not None:
        deadline_s = started_s + asked.budget_s
        chosen, deadline = within_budget(chosen, begun, place, dataset, deadline_s, asked.teacher, normalisation)
        session = replace(session, deadline=deadline)
    command = training(
        asked.recipe, begun, place, asked.data, asked.teacher, normalisation, asked.budget_s, asked.blocks
    )
    try:
        runs = train(chosen, begun, place, dataset, session, asked.teacher, command, normalisation)
    except Stopped as stopped:
        warn(str(stopped))
        raise typer.Exit(stopped.exit_code) from None
    folder = runs[-1].stage.folder
    if not is_first():
        return
    draw_curves([run.stage.folder / LOG for run in runs], folder / CURVES)
    again = exporting(folder / WEIGHTS, Path(f"{chosen.model_name}.tflite"), chosen.data)
    took = "" if asked.budget_s is None else f" after {(time.monotonic() - started_s) / 60:.1f} minutes"
    say(f"wrote {folder / WEIGHTS} and {CURVES}{took}")
    if asked.export:
        make_model_file(folder / WEIGHTS, asked.export, chosen.data)
    else:
        say(f"next: {again}")


def _unlabelled(asked: _Asked) -> list[Path]:
    """The photos of a folder that has no folders of labels, where a teacher can say what they show."""
    from vitcam_training.data.catalogue import DATASETS
    from vitcam_training.data.folder import unlabelled_photos

    if not (asked.teacher and asked.data) or asked.data in DATASETS or not Path(asked.data).is_dir():
        return []
    return unlabelled_photos(Path(asked.data))
