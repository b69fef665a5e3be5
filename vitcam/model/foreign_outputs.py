"""What the outputs of a model are that does not say it: probabilities, logits, or each label by itself."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.model.card import ModelCard, Outputs
from vitcam.model.foreign_inputs import input_values
from vitcam.model.runtime import Interpreter

MEANING: dict[Outputs, str] = {
    "probabilities": "probabilities that sum to 1",
    "logits": "no probabilities, so vitcam takes their softmax",
    "independent": "a probability of each label by itself; they do not sum to 1",
}
_GREYS = (0, 128, 255)
_SUM = 0.05  # a softmax in float16 over a thousand labels is off by less
_BEYOND = 1e-3

log = logging.getLogger(__name__)


def outputs_of(path: Path, graph: Interpreter, card: ModelCard) -> Outputs:
    """What a graph gives, by its answers to a black, a grey and a white picture. The log says what is unusual.

    path  is only named there
    card  of a foreign model
    """
    answers, position, size = [], card.outputs["probabilities"], (card.input.height, card.input.width, 3)
    for grey in _GREYS:
        graph.set_input(input_values(np.full(size, grey, np.uint8), graph.inputs[0], card.mean, card.std))
        graph.invoke()
        answers.append(graph.get_real(position))
    found = outputs_by(answers, graph.outputs[position].scale, graph.made_by(position))
    if found != "probabilities":
        log.warning("the outputs of %s are %s", path, MEANING[found])
    return found


def outputs_by(answers: Sequence[NDArray[Any]], step: float, made_by: str) -> Outputs:
    """What the answers to blank pictures are, (C,) in real numbers each.

    step     between two values of a quantised output, by half of which each is rounded; 0: it is not quantised
    made_by  the operator that computes them, such as `SOFTMAX`
    """
    beyond = step + _BEYOND
    if not all(-beyond <= float(answer.min()) and float(answer.max()) <= 1 + beyond for answer in answers):
        return "logits"
    if made_by == "LOGISTIC":
        return "independent"
    is_one = all(abs(float(answer.sum()) - 1) <= _SUM + len(answer) * step / 2 for answer in answers)
    return "probabilities" if is_one else "logits"


def softmax(logits: NDArray[Any]) -> NDArray[np.float32]:
    """(C,) to (C,): probabilities that sum to 1."""
    raised = np.exp(logits.astype(np.float32) - np.float32(logits.max()))
    return np.asarray(raised / raised.sum(), np.float32)
