"""`python -m vitcam_training.study.night`: do the last blocks learn to answer a dark picture as by day?

The network that is shipped answers photos by day. Its last blocks learn to give the same answers to dark, noisy,
blurred, infrared and compressed copies, and to keep those by day. No labels are used. The learned weights are mixed
with those of before (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models", arXiv 2109.01903). Each mixture is
asked about photos that choose. Those are made dark by other code than the copies (data/published/ordinary.py). The
head stays as it is, and so do the temperature and what counts as familiar.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from vitcam_training.study.program import program, start

MIXTURES = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)


def night(
    weights: Annotated[Path, typer.Option("--weights", help="The checkpoint to go on from.")] = Path(
        "models/everyday.safetensors"
    ),
    run: Annotated[Path, typer.Option("--run", help="The folder of what is kept.")] = Path("runs/night"),
    blocks: Annotated[int, typer.Option("--blocks", min=1, help="How many of the last blocks learn.")] = 4,
    per_label: Annotated[int, typer.Option("--per-label", min=1, help="Photos of a label.")] = 20,
    epochs: Annotated[int, typer.Option("--epochs", min=1)] = 4,
    share: Annotated[
        float, typer.Option("--share", min=0, max=1, help="Of the learned weights, in what is kept.")
    ] = 0.5,
) -> None:
    """Print how many choosing photos each mixture names rightly by day, at night and by infrared; keep one of them."""
    from vitcam_training.data.batches import draw
    from vitcam_training.data.catalogue import open_dataset
    from vitcam_training.data.dataset import BASE
    from vitcam_training.recipes.recipe import read_recipe
    from vitcam_training.study.night.copies import Front, in_the_dark, read_tokens
    from vitcam_training.study.night.tail import Tail, learn, mixed, right, values_of
    from vitcam_training.vit import ViT
    from vitcam_training.weights.checkpoints import load_into, read_network, save_weights, to_timm
    from vitcam_training.weights.metadata import read_metadata

    recipe, about = read_recipe("everyday"), read_metadata(weights)
    dataset = open_dataset(recipe.data)
    config, values = read_network(weights, (recipe.spec.height, recipe.spec.width))
    vit = ViT(config)
    load_into(vit, values)
    first = config.depth - blocks
    front = Front(vit, first)
    shown = list(dict.fromkeys(draw(dataset.part("train"), per_label, np.random.default_rng(recipe.seed))))
    shown += [
        sample
        for part in ("shown", "absent", "depicted")
        for sample in dataset.part(part)
        if "#" not in sample.path.name
    ]
    kept = run / f"from-block{first:02}-{per_label}-of-a-label"
    asked: dict[str, Any] = {
        name: (open_dataset(name), open_dataset(name).part("choose"))
        for name in ("ordinary", "ordinary-night", "ordinary-infrared", "everyday")
    }
    asked["base"] = (dataset, dataset.part(BASE))  # the labels that the learned photos do not show
    tested = {
        name: (read_tokens(front, samples, recipe.spec, kept, name), samples) for name, (_, samples) in asked.items()
    }
    by_day = read_tokens(front, shown, recipe.spec, kept, "by-day")
    dark = read_tokens(front, in_the_dark(shown), recipe.spec, kept, "in-the-dark")
    typer.echo(f"{len(shown)} photos, {len(dark.tokens)} dark copies")
    tail = Tail(vit, first)
    before = values_of(tail)
    learn(tail, by_day, dark, epochs, kept)
    after = values_of(tail)
    rows = np.array(about.row_labels)
    for each in MIXTURES:
        mixed(tail, before, after, each)
        told = ", ".join(f"{name} {right(tail, tokens, samples, rows)}" for name, (tokens, samples) in tested.items())
        typer.echo(f"{each:.2f} of the learned weights: {told}")
    mixed(tail, before, after, share)
    save_weights(run / "weights.safetensors", to_timm(vit), about)


app = program(night)
if __name__ == "__main__":
    start(app, "night")
