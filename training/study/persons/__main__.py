"""`python -m vitcam_training.study.persons`: how often `person` is right, on scenes and sources it did not learn from.

Rows are fitted as the recipe says, five times without a fifth of the scenes, and once without each source. Photos of
one scene stay together. What is left out is asked by those rows alone, at each offset. The float network is asked: the
file of int8 gives the same answer on 98 of 100 photos.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from vitcam.interval import wilson
from vitcam_training.study.program import program, start

SOURCES = ("oi", "coco", "room")


def persons(
    weights: Annotated[Path, typer.Option("--weights", help="The checkpoint that the rows are added to.")],
    run: Annotated[
        Path, typer.Option("--run", help="Where `finetune everyday` kept what the network makes of the photos.")
    ] = Path("runs/everyday"),
) -> None:
    """Print how often photos with people are called `person`, and how often scenes and depictions are, by offset."""
    from vitcam_training.data.catalogue import open_dataset
    from vitcam_training.data.dataset import SHOWN, data_root
    from vitcam_training.data.published.persons import source_of
    from vitcam_training.recipes.recipe import RowsRecipe, read_recipe
    from vitcam_training.rows.choose import OFFSETS
    from vitcam_training.rows.features import read_features
    from vitcam_training.rows.lesson import Photos, lesson_of, lesson_of_one, parts_of
    from vitcam_training.rows.logistic import fit_rows
    from vitcam_training.rows.run import head_of
    from vitcam_training.study.persons.folds import FOLDS, Refits, folds_of, scenes_of, unaltered
    from vitcam_training.weights.metadata import read_metadata

    recipe = read_recipe("everyday")
    settings, dataset = recipe.rows or RowsRecipe(), open_dataset(recipe.data)
    head = head_of(read_metadata(weights), weights, dataset)
    photos = {
        part: Photos(dataset.part(part), read_features(weights, dataset.part(part), recipe.spec, run / f"{part}.npz"))
        for part in parts_of(settings)
    }
    rows, person = fit_rows(lesson_of(head, photos, settings), settings.l2), photos[SHOWN].samples[0].label
    lesson = lesson_of_one(head, person, photos, rows, settings)
    names = np.array([sample.path.name.split("#")[0] for part in parts_of(settings) for sample in photos[part].samples])
    refits = Refits(head.with_further(person, 2), person, lesson, names, rows, settings.l2)
    plain = unaltered(photos)
    files = np.array([sample.path.name for sample in plain.samples])
    shows = np.array([sample.label == refits.person for sample in plain.samples])
    with (data_root() / "people" / "SOURCES.tsv").open(encoding="utf-8", newline="") as lines:
        listed = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        what_of = {Path(row["file"]).name: row["what"] for row in listed}
    what = np.array([what_of[file] for file in files])
    depicted = what == "depiction"
    scenes = scenes_of(plain.features.embedding)
    fold, lead = folds_of(scenes), np.zeros(len(files))
    for part in range(FOLDS):
        held = fold == part
        lead[held] = refits.lead(refits.without(files[held]), plain.where(held.tolist()))
    typer.echo(f"{shows.sum()} photos with people, {(~shows & ~depicted).sum()} scenes, {depicted.sum()} depictions")
    kinds = {"person": shows} | {kind: shows & (what == kind) for kind in ("whole", "part", "several")}
    kinds |= {"scenes": ~shows & ~depicted, "depictions": depicted}
    for offset in OFFSETS:
        told = ", ".join(f"{kind} {_share(lead[chosen] + offset > 0)}" for kind, chosen in kinds.items())
        typer.echo(f"offset {offset:4.1f}: {told}")
    source = np.array([source_of(file) for file in files])
    for left in SOURCES:
        held = source == left
        lead[held] = refits.lead(refits.without(files[held]), plain.where(held.tolist()))
        for kind in ("person", "scenes", "depictions"):
            if (chosen := kinds[kind] & held).any():
                told = ", ".join(f"{offset:g}: {_share(lead[chosen] + offset > 0)}" for offset in OFFSETS)
                typer.echo(f"without {left}, {kind} ({chosen.sum()}): {told}")


def _share(called: NDArray[np.bool_]) -> str:
    low, high = wilson(int(called.sum()), len(called))
    return f"{called.mean():.1%} ({low:.1%} to {high:.1%})"


app = program(persons)
if __name__ == "__main__":
    start(app, "persons")
