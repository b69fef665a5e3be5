"""A plain `.tflite` classifier without vitcam's description: what its graph says about it."""

from pathlib import Path

import numpy as np

from vitcam.errors import ModelError
from vitcam.model.bundle import ModelCard
from vitcam.model.runtime import Interpreter
from vitcam.pictures.resize import InputSpec


def card_of_graph(path: Path, graph: Interpreter) -> ModelCard:
    """A card with what can be read from the graph.

    raises  ModelError unless the graph takes one uint8 RGB picture and gives one row of scores
    """
    shape, dtype = graph.inputs[0].shape, graph.inputs[0].dtype
    if len(graph.inputs) != 1 or len(shape) != 4 or shape[0] != 1 or shape[3] != 3 or dtype != np.uint8:
        raise ModelError(
            f"{path} takes {_shape(shape)} {dtype} and carries no description; "
            "allowed is one uint8 picture 1×H×W×3: export it with vitcam-train"
        )
    scores = [i for i, out in enumerate(graph.outputs) if len(out.shape) == 2 and out.shape[0] == 1]
    if len(scores) != 1:
        raise ModelError(
            f"{path} has {len(graph.outputs)} outputs of which {len(scores)} are one row of scores; "
            "exactly one is needed"
        )
    return ModelCard(
        name=path.stem,
        description="a TensorFlow Lite classifier without a description",
        input=InputSpec(shape[1], shape[2]),
        outputs={"probabilities": scores[0]},
        patch_size=0,
        grid=(0, 0),
        heads=0,
        layers=0,
        width=0,
        parameters=0,
        pooling="",
    )


def _shape(shape: tuple[int, ...]) -> str:
    return "×".join(str(side) for side in shape)
