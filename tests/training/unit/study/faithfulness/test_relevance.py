"""Gradient × attention, its gradients against differences of the reference network."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from vitcam_training.config import ViTConfig
from vitcam_training.study import reference
from vitcam_training.study.faithfulness.relevance import attention_gradients, relevance
from vitcam_training.study.reference import Array, Weights

SMALL = ViTConfig(image_size=(8, 8), patch_size=4, width=8, depth=2, heads=2, mlp_width=16, classes=3)
CHOICES = [
    {}, {"norm": "post", "final_norm": False}, {"pooling": "mean"}, {"activation": "relu"}, {"layer_scale": 0.1},
    {"qk_norm": True}, {"pooling": "distilled", "registers": 1}, {"shared_width": 6},
    {"norm": "none", "final_norm": False}, {"residual": False}, {"norm": "post", "residual": False},
    {"norm": "none", "residual": False}, {"head_width": 6, "qkv_bias": False}, {"head_hidden": 5},
    {"head_hidden": 5, "pooling": "mean"}, {"head_hidden": 5, "pooling": "distilled"},
]  # fmt: skip


def weights_of(net: ViTConfig, seed: int = 0) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    d, m, a = net.width, net.hidden_width, net.attention_width
    shapes = {
        "patch_embed.proj": (d, net.patch_size**2 * 3), "norm": (d,),
        "head": (net.classes, net.head_hidden or net.embedding_width),
        **({"pre_logits": (net.head_hidden, net.embedding_width)} if net.head_hidden else {}),
        **{f"blocks.{i}.{name}": shape for i in range(net.depth) for name, shape in {
            "norm1": (d,), "norm2": (d,), "attn.qkv": (3 * a, d), "attn.proj": (d, a), "mlp.fc1": (m, d),
            "mlp.fc2": (d, m),
        }.items()},
    }  # fmt: skip
    found: dict[str, Array] = {}
    for name, shape in shapes.items():
        found[f"{name}.weight"] = rng.normal(size=shape) * 0.7 + (len(shape) == 1)
        found[f"{name}.bias"] = rng.normal(size=shape[:1]) * 0.3
    for i, part in product(range(net.depth), "qk" if net.qk_norm else ""):
        found[f"blocks.{i}.attn.{part}_norm.weight"] = 1 + 0.3 * rng.normal(size=net.d_k)
        found[f"blocks.{i}.attn.{part}_norm.bias"] = 0.3 * rng.normal(size=net.d_k)
    if not net.qkv_bias:
        found = {name: array for name, array in found.items() if not name.endswith("qkv.bias")}
    if net.shared_width:
        found["shared.weight"] = rng.normal(size=(net.shared_width, d))
    if net.layer_scale:
        found |= {f"blocks.{i}.ls{j}.gamma": rng.normal(size=d) for i, j in product(range(net.depth), (1, 2))}
    return found


def logits_after(x: Array, w: Weights, net: ViTConfig, first: int, changed: Array) -> Array:
    """The logits if block `first` mixed by these attention weights, (h, T, T)."""
    original = reference.attention
    heads = iter(changed)

    def mixing(q: Array, k: Array, v: Array) -> tuple[Array, Array]:
        given = next(heads)
        return given @ v, given

    for i in range(first, net.depth):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reference, "attention", mixing if i == first else original)
            x, _ = reference.block(x, w, f"blocks.{i}", net)
    x = reference.layer_norm(x, w, "norm", net.norm_epsilon) if net.final_norm else x
    pooled = x.mean(axis=1) if net.pooling == "mean" else x[:, : net.rows_read].reshape(1, -1)
    read = reference.shared(pooled, w)[0] if net.shared_width else pooled
    logits: Array = (reference.pretraining_head(read, w) if net.head_hidden else reference.linear(read, w, "head"))[0]
    return logits


def taps_of(w: Weights, net: ViTConfig) -> dict[str, Array]:
    taps: dict[str, Array] = {}
    x = taps["embeddings"] = np.random.default_rng(1).normal(size=(1, net.tokens, net.width))
    for i in range(net.depth):
        x, taps[f"block{i:02}/attention"] = reference.block(x, w, f"blocks.{i}", net)
        taps[f"block{i:02}/output"] = x
    return taps


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_the_gradients_are_those_that_small_changes_show(choice: dict[str, object]) -> None:
    net = replace(SMALL, **choice)  # type: ignore[arg-type]
    w = weights_of(net)
    taps = taps_of(w, net)
    found = attention_gradients(taps, w, net, label=1)
    rng, step = np.random.default_rng(2), 3e-6

    for block in range(net.depth):
        weights = taps[f"block{block:02}/attention"][0]
        entering = taps["embeddings" if block == 0 else f"block{block - 1:02}/output"]
        for _ in range(5):
            towards = rng.normal(size=weights.shape)
            up, down = (logits_after(entering, w, net, block, weights + s * step * towards)[1] for s in (1, -1))

            assert (found[block] * towards).sum() == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-8)


def test_the_map_is_that_of_the_paper_written_out() -> None:
    w = weights_of(SMALL)
    taps = taps_of(w, SMALL)
    first, second = (
        np.maximum(gradient * taps[f"block{i:02}/attention"][0], 0).mean(0)
        for i, gradient in enumerate(attention_gradients(taps, w, SMALL, 2))
    )
    one = np.eye(5)
    whole = (one + first) + second @ (one + first)

    np.testing.assert_allclose(relevance(taps, w, SMALL, 2), whole[0, 1:])
