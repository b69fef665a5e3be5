"""The weights of the patches, and how much of an answer their evidence makes up."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError

LEAST_MARGIN = 1e-3  # below, all labels are as likely, so there is no answer that evidence could be a share of


def evidence_share(outputs: dict[str, NDArray[Any]], above: float = 0.0) -> float | None:
    """The sum of `evidence` (1, N) as a part of `margin` (1, 1); None without these outputs, or without a margin.

    above  what was added to all logits that count, which is no evidence
    """
    if "margin" not in outputs or "evidence" not in outputs:
        return None
    margin = float(outputs["margin"].sum()) - above
    return float(outputs["evidence"].sum()) / margin if margin > LEAST_MARGIN else None


def weights_on_grid(
    path: Path, grid: tuple[int, int], weights: NDArray[np.float32] | None, *axes: int
) -> NDArray[np.float32] | None:
    """Weights of the patches in rows and columns; None stays None.

    path, grid  of the model
    weights     as many numbers as axes and grid have places, such as (heads, N)
    axes        before the grid, such as the number of heads
    returns     (*axes, rows, columns)
    raises      ModelError if there are not as many weights
    """
    try:
        return None if weights is None else weights.reshape(*axes, *grid)
    except ValueError as error:
        raise ModelError(
            f"{path} gives attention of another size than its description says; export the model again"
        ) from error
