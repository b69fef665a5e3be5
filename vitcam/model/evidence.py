"""How much of an answer the evidence of the patches makes up."""

from typing import Any

from numpy.typing import NDArray

LEAST_MARGIN = 1e-3  # below, all labels are as likely, so there is no answer that evidence could be a share of


def evidence_share(outputs: dict[str, NDArray[Any]], above: float = 0.0) -> float | None:
    """The sum of `evidence` (1, N) as a part of `margin` (1, 1); None without these outputs, or without a margin.

    above  what was added to all logits that count, which is no evidence
    """
    if "margin" not in outputs or "evidence" not in outputs:
        return None
    margin = float(outputs["margin"].sum()) - above
    return float(outputs["evidence"].sum()) / margin if margin > LEAST_MARGIN else None
