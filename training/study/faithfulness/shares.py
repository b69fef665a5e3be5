"""How much of the answer patches wrote directly: `python -m vitcam_training.study.faithfulness.shares NET DATA`.

The share of the last k blocks is what their attention wrote from the patches into the token that the head reads, as a
part of the margin: the winner's logit less the mean of all logits. The rest is the token's own: what it was before
these blocks, its attention to itself, biases and MLPs. Shares are for pre-norm networks whose head reads one token.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.pictures.resize import to_model_size
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import photo_of
from vitcam_training.evaluation.intervals import bootstrap_means
from vitcam_training.study.faithfulness.model_file import stratified
from vitcam_training.study.program import program, start
from vitcam_training.weights.metadata import read_metadata

BLOCKS = (1, 4, 12)


def patch_shares(evidence: Sequence[float], margin: float, blocks: Sequence[int]) -> NDArray[np.floating[Any]]:
    """The share of the margin that patches wrote in the last k blocks, for each k of `blocks`, (len(blocks),).

    evidence  (L,): what patches wrote in each block, summed over the patches
    """
    return np.array([sum(evidence[max(0, len(evidence) - k) :]) for k in blocks]) / margin


def measure_shares(checkpoint: Path, data: str, split: str, count: int, seed: int = 0) -> NDArray[np.floating[Any]]:
    """The shares on photos, (n, k), a column for each of `BLOCKS`.

    raises  UsageError for a network whose margin is not such a sum
    """
    from vitcam_training.study.faithfulness.float_maps import FloatMaps  # imports Keras

    network, spec = FloatMaps(checkpoint), read_metadata(checkpoint).input
    if not network.config.margin_is_sum:
        raise UsageError(
            f"{checkpoint} is post-norm or reads the mean of all tokens, so its margin is not a sum of writes"
        )
    samples = stratified(open_dataset(data).part(split), count, seed)
    images = (to_model_size(photo_of(sample), spec) for sample in samples)
    return np.stack([patch_shares(*network.written_by_block(image), BLOCKS) for image in images])


def show_shares(
    checkpoint: Annotated[Path, typer.Argument(help="Measure this .safetensors file.")],
    data: Annotated[str, typer.Argument(help="Take photos from this data set, folder or CSV file.")],
    split: Annotated[str, typer.Option("--split", help="Take this part of the data.")] = "calibration",
    photos: Annotated[int, typer.Option("--photos", help="Take this many photos.")] = 100,
) -> None:
    """Measure the share of the margin that patches wrote: a line for each number of last blocks."""
    shares = measure_shares(checkpoint, data, split, photos)
    typer.echo(f"{len(shares)} photos of the part {split} of {data}: mean, 95 % interval; quartiles")
    for k, mean, column in zip(BLOCKS, bootstrap_means(shares, 0), shares.T, strict=True):
        low, middle, high = np.quantile(column, (0.25, 0.5, 0.75))
        typer.echo(
            f"last {k:2} blocks: {mean.value:.1%} ({mean.low:.1%} to {mean.high:.1%}); "
            f"{low:.1%}, {middle:.1%}, {high:.1%}"
        )


app = program(show_shares)
if __name__ == "__main__":
    start(app, "shares")
