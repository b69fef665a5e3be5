"""What `fit` and `finetune` have in common: their options, and the training."""

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.errors import UsageError
from vitcam_training.cli.options import DataOption, say, warn

if TYPE_CHECKING:
    from vitcam_training.fit.session import Session
    from vitcam_training.recipes.recipe import Recipe
    from vitcam_training.weights.normalisation import Normalisation

RecipeArgument = Annotated[
    str, typer.Argument(help="Train by this recipe: the name of one that comes with vitcam, or a TOML file.")
]


@dataclass(frozen=True, slots=True)
class FitOptions:
    """A group: what is trained on, how long, and what is kept of it."""

    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Keep the run in this folder. Default: runs/RECIPE, or runs/DATA."),
    ] = None
    data: DataOption = None
    teacher: Annotated[
        Path | None,
        typer.Option(
            "--teacher",
            help="Learn from this network, too: a checkpoint of vitcam-train with the same labels, or with WordNet "
            "ids. With a folder of photos without labels: learn from it alone.",
        ),
    ] = None
    epochs: Annotated[
        int | None,
        typer.Option("--epochs", metavar="N", min=1, help="Train this many epochs. Default: as the recipe says."),
    ] = None
    budget: Annotated[str | None, typer.Option("--budget", hidden=True, help="It went: give --epochs.")] = None
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Try a few steps, print the time and memory of the whole training, and end."),
    ] = False
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="Make the model file as well, measured on the held-out photos."),
    ] = None
    save_every: Annotated[
        float,
        typer.Option(
            "--save-every", metavar="MINUTES", min=0, help="Save the run this often: a killed run loses no more."
        ),
    ] = 5.0
    stop_after: Annotated[
        float | None,
        typer.Option(
            "--stop-after", metavar="MINUTES", min=0, help="Save and end after this time; the same command continues."
        ),
    ] = None
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Write event files for TensorBoard, too.")] = False
    hosts: Annotated[
        str | None,
        typer.Option("--hosts", metavar="HOST:PORT,…", help="Train on several machines together, on JAX."),
    ] = None
    host_index: Annotated[
        int | None, typer.Option("--host-index", help="Take this place in the list of hosts, from 0.")
    ] = None

    def session(self) -> "Session":
        """What one call may choose. It is made before Keras is imported: these seconds count, too.

        raises  UsageError for options that exclude each other, and for one of earlier versions
        """
        from vitcam_training.fit.session import Session, Stop

        if self.budget is not None:
            raise UsageError(
                "--budget is no option any more: give --epochs; the first steps, and --dry-run, say how long an epoch "
                "takes"
            )
        if self.hosts and self.dry_run:
            raise UsageError("--dry-run is for one machine; leave it out, or --hosts")
        minutes = math.inf if self.stop_after is None else self.stop_after
        return Session(save_every_s=60 * self.save_every, tensorboard=self.tensorboard, stop=Stop(minutes))


def train(
    recipe: str,
    options: FitOptions,
    weights: Path | None = None,
    blocks: int | None = None,
    normalisation: "Normalisation | None" = None,
) -> None:
    """Train, or continue where the same command stopped.

    weights        pretrained ones; None: from scratch
    blocks         how many learn, besides the head; None: as many as the recipe says
    normalisation  of the pixels of foreign weights, which do not tell it
    """
    session = options.session()
    from vitcam_training.data import catalogue
    from vitcam_training.recipes.recipe import on_photos, read_recipe
    from vitcam_training.weights import metadata

    chosen, teacher = read_recipe(recipe), options.teacher
    if options.data:
        chosen = on_photos(chosen, options.data)
    catalogue.check_there(chosen.data)
    for given in filter(None, (weights, teacher)):
        metadata.check_there(given)
    from vitcam_training.fit.data_parallel import is_first, join

    warn(f"loading Keras on {os.environ['KERAS_BACKEND']}")  # takes seconds
    join(options.hosts, options.host_index)  # before Keras computes anything

    from vitcam_training.fit.effort import effort
    from vitcam_training.fit.logs import LOG
    from vitcam_training.fit.loop import WEIGHTS
    from vitcam_training.fit.prepare import check_teacher, last_blocks, lasting, opened
    from vitcam_training.fit.prepare import train as train_stages
    from vitcam_training.fit.session import Stopped
    from vitcam_training.fit.unlabelled import ANSWERS, taught_alone
    from vitcam_training.model_card.commands import training
    from vitcam_training.plots import CURVES, draw_curves

    place = options.out or Path("runs") / chosen.model_name
    if chosen.rows:
        base = _alone(chosen.name, options, weights, blocks, normalisation)
        _add_rows(chosen, base, place, options, training(recipe, base, place, options.data, None))
        return
    if blocks is not None and weights:
        chosen = last_blocks(chosen, weights, blocks, normalisation)
    chosen = lasting(chosen, options.epochs)
    check_teacher(chosen, teacher)  # before photos are read, which takes a while
    photos = _unlabelled(options)
    if photos and teacher:
        chosen, dataset = taught_alone(chosen, photos, teacher, place / ANSWERS)
    else:
        dataset = opened(chosen)
    if options.dry_run:
        say(effort(chosen, weights, dataset, teacher, normalisation).text)
        return
    epochs = chosen.train.epochs
    if weights and options.data:
        warn(
            f"fine-tuning changes the whole network in {epochs} epoch{'s' * (epochs != 1)}: the first steps say how "
            "long that takes, and --epochs sets another number; `vitcam teach` learns the same labels in seconds"
        )
    command = training(recipe, weights, place, options.data, teacher, normalisation, blocks, options.epochs)
    try:
        runs = train_stages(chosen, weights, place, dataset, session, teacher, command, normalisation)
    except Stopped as stopped:
        warn(str(stopped))
        raise typer.Exit(stopped.exit_code) from None
    folder = runs[-1].stage.folder
    if not is_first():
        return
    draw_curves([run.stage.folder / LOG for run in runs], folder / CURVES)
    say(f"wrote {folder / WEIGHTS} and {CURVES}")
    _then_export(options, folder / WEIGHTS, chosen)


def _then_export(options: FitOptions, checkpoint: Path, recipe: "Recipe") -> None:
    """Make the model file, or say how to."""
    from vitcam_training.cli.export import export as make_model_file
    from vitcam_training.model_card.commands import exporting

    if options.export:
        make_model_file(checkpoint, options.export, recipe.data)
    else:
        say(f"next: {exporting(checkpoint, Path(f'{recipe.model_name}.tflite'), recipe.data)}")


def _add_rows(recipe: "Recipe", weights: Path, place: Path, options: FitOptions, command: str) -> None:
    from vitcam_training.fit.prepare import opened
    from vitcam_training.plots import CURVES
    from vitcam_training.rows.run import WEIGHTS, add_rows

    trial = add_rows(recipe, weights, place, opened(recipe), command)
    say(f"wrote {place / WEIGHTS} and {CURVES}; the offset of the added rows is {trial.offset:g}")
    _then_export(options, place / WEIGHTS, recipe)


def _alone(
    name: str, options: FitOptions, weights: Path | None, blocks: int | None, normalisation: "Normalisation | None"
) -> Path:
    """The weights that rows are added to. Raises UsageError without any, and for options that train something else."""
    if weights is None:
        raise UsageError(
            f"the recipe {name} adds labels to a trained network; use finetune, and name one with --weights"
        )
    given = {
        "--teacher": options.teacher, "--epochs": options.epochs, "--dry-run": options.dry_run or None,
        "--hosts": options.hosts, "--stop-after": options.stop_after, "--blocks": blocks,
        "--mean and --std": normalisation,
    }  # fmt: skip
    if used := [option for option, value in given.items() if value is not None]:
        raise UsageError(
            f"the recipe {name} only adds labels, in minutes, and trains nothing else; leave out {used[0]}"
        )
    from vitcam_training.weights.metadata import read_metadata

    read_metadata(weights)  # before photos are read, which takes a while
    return weights


def _unlabelled(options: FitOptions) -> list[Path]:
    """The photos of a folder that has no folders of labels, where a teacher can say what they show."""
    from vitcam_training.data.catalogue import DATASETS
    from vitcam_training.data.folder import unlabelled_photos

    if not (options.teacher and options.data) or options.data in DATASETS or not Path(options.data).is_dir():
        return []
    return unlabelled_photos(Path(options.data))
