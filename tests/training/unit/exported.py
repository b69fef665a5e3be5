"""A network through rewrites, converter and quantiser, held against the NumPy reference.

`python -m tests.training.unit.exported 200` does it for that many random networks and prints what it found.
"""

import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.training.unit.choices import CONFIGS
from tests.training.unit.nets import photos, small_vit
from vitcam.model.runtime import open_interpreter
from vitcam_training.config import ViTConfig
from vitcam_training.export.attribution import evidence_blocks
from vitcam_training.export.flatbuffer import only
from vitcam_training.export.folded import Rewrites
from vitcam_training.export.graph import SIGNATURES, to_float
from vitcam_training.export.quantise import allow_float16, delegate_input, quantise
from vitcam_training.export.rewrites import fold
from vitcam_training.study import reference
from vitcam_training.weights.checkpoints import Weights, to_timm

Outputs = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Exported:
    """A network with random weights and the two files made of it."""

    config: ViTConfig
    weights: Weights
    floats: bytes
    int8: bytes

    @classmethod
    def of(cls, config: ViTConfig, seed: int = 0, rewrites: Rewrites | None = None) -> "Exported":
        weights = to_timm(small_vit(config, seed))
        floats = to_float(fold(config, weights, rewrites=rewrites or Rewrites()))
        return cls(config, weights, floats, quantise(allow_float16(delegate_input(floats))))

    def errors(self, seed: int = 1) -> dict[str, float]:
        """How far each output of the float file's `explain` is from the reference, at worst, on two photos."""
        images = photos(2, self.config, seed)
        expected = [expected_outputs(self.config, self.weights, image) for image in images]
        found = [answer(self.floats, image, "explain") for image in images]
        return {
            name: max(float(np.abs(f[name][0] - e[name]).max()) for f, e in zip(found, expected, strict=True))
            for name in expected[0]
        }


def expected_outputs(config: ViTConfig, weights: Weights, image: NDArray[np.uint8]) -> Outputs:
    """What both signatures must say of an image, by `reference.py` alone."""
    logits, taps = reference.vit(image[None], weights, config)
    attentions = [taps[f"block{i:02}/attention"] for i in range(config.depth)]  # (1, h, T, T) each
    rows = np.concatenate([reference.pooled_attention(each, config) for each in attentions])  # (L, h, N)
    tokens = attentions[0].shape[-1]
    answer = reference.softmax(logits)[0]
    read = tokens if config.pooling == "mean" else config.rows_read
    start = np.where(np.arange(tokens) < read, 1 / read, 0)
    carried = reference.rollout_row([each[0] for each in attentions], start, config.residual)  # (T,)
    return {
        "probabilities": reference.softmax(logits)[0],
        "attention": rows[-1],
        "embedding": taps["embedding"][0],
        "evidence": evidence(config, weights, taps, answer),
        **({"margin": np.array([reference.margin(logits[0], answer)])} if config.margin_is_sum else {}),
        "rollout": carried[config.prefix :],
        "rows": rows,
    }


def evidence(config: ViTConfig, w: Weights, taps: dict[str, NDArray[Any]], probabilities: NDArray[Any]) -> NDArray[Any]:
    """What each patch wrote in the last blocks for the likely labels, (N,)."""
    towards = reference.direction(taps, w, config, probabilities)
    blocks = range(config.depth - evidence_blocks(config), config.depth)
    return np.asarray(np.sum([reference.direct_evidence(taps, w, config, i, towards) for i in blocks], axis=0))


def answer(model: bytes, image: NDArray[np.uint8], signature: str = "classify") -> Outputs:
    """What a file says of one image, a batch of 1."""
    graph = Interpreter(model_content=model)
    return dict(graph.get_signature_runner(signature)(image=image[None]))


def pieces(model: bytes) -> dict[str, tuple[int, int]]:
    """Of each signature: delegate partitions, and operators outside them."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for signature in SIGNATURES:
            path = Path(folder, signature)
            path.write_bytes(only(signature, model))
            runtime = open_interpreter(path, threads=1).info
            found[signature] = (runtime.partitions, runtime.outside)
    return found


def sweep(count: int) -> None:
    """Try random networks; stdout gets what was found, also where it is not as it should be."""
    worst: dict[str, float] = defaultdict(float)
    cut: Counter[str] = Counter()
    tried: Counter[str] = Counter()

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(config=CONFIGS, seed=st.integers(0, 2**32 - 1))
    def one(config: ViTConfig, seed: int) -> None:
        exported = Exported.of(config, seed)
        for name, error in exported.errors(seed).items():
            worst[name] = max(worst[name], error)
        for signature, found in pieces(exported.int8).items():
            cut[f"{signature}: {found[0]} partitions, {found[1]} operators outside"] += 1
        tried.update((f"{config.norm}-norm", config.pooling, config.position, config.activation))

    one()
    for title, found in (("networks", tried), ("largest error of the float file", worst), ("int8 files", cut)):
        print(title, *(f"  {name}: {value:.3g}" for name, value in sorted(found.items())), sep="\n")


if __name__ == "__main__":
    sweep(int(sys.argv[1]))
