"""What patches wrote into the token that the head reads, and what that token has of itself: together the margin."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.training.unit.nets import SMALL, photos, small_vit
from vitcam_training.config import ViTConfig
from vitcam_training.study import reference
from vitcam_training.study.reference import Array, Weights
from vitcam_training.weights.checkpoints import to_timm

NETS = {
    "class token": SMALL,
    "first patch": replace(SMALL, pooling="first", position="sincos"),
    "layer scale": replace(SMALL, layer_scale=0.1),
    "no final norm": replace(SMALL, final_norm=False),
    "one block": replace(SMALL, depth=1),
    "no LayerNorm, no biases of q, k, v, wide heads": replace(SMALL, norm="none", qkv_bias=False, head_width=96),
}


@pytest.mark.parametrize("blocks", [1, 2, 3])
@pytest.mark.parametrize("net", NETS.values(), ids=NETS.keys())
def test_what_patches_wrote_and_the_tokens_own_part_make_the_margin(net: ViTConfig, blocks: int) -> None:
    w = {name: array.astype(np.float64) for name, array in to_timm(small_vit(net)).items()}
    logits, taps = reference.vit(photos(1, net), w, net)
    winner = np.eye(net.classes)[logits[0].argmax()]
    towards, first = reference.direction(taps, w, net, winner), max(0, net.depth - blocks)

    patches = sum(reference.direct_evidence(taps, w, net, index, towards).sum() for index in range(first, net.depth))
    own = own_part(taps, w, net, first, towards) + constant(w, net, winner)

    assert patches + own == pytest.approx(reference.margin(logits[0], winner), abs=1e-9)
    assert abs(patches) > 1e-6, "neither part is empty"
    assert abs(own) > 1e-6


def test_the_direction_is_the_gradient_of_the_margin_but_for_the_norms_length() -> None:
    w = to_timm(small_vit())
    logits, taps = reference.vit(photos(1), w, SMALL)
    answer = reference.softmax(logits)[0]
    towards = reference.direction(taps, w, SMALL, answer)
    x = taps[f"block{SMALL.depth - 1:02}/output"][0, 0]
    step = np.random.default_rng(3).normal(size=SMALL.width)
    step -= step.mean() + (x - x.mean()) * (step @ (x - x.mean())) / ((x - x.mean()) ** 2).sum()  # keeps the length
    moved = reference.linear(reference.layer_norm(x + 1e-6 * step, w, "norm", SMALL.norm_epsilon), w, "head")

    gained = (reference.margin(moved, answer) - reference.margin(logits[0], answer)) / 1e-6
    assert gained == pytest.approx(towards @ step, rel=1e-4)


def own_part(taps: dict[str, Array], w: Weights, net: ViTConfig, first: int, towards: Array) -> float:
    """What the token that the head reads had before block `first`, and wrote into itself from there on."""
    x = taps["embeddings" if first == 0 else f"block{first - 1:02}/output"][0]  # (T, D)
    own = float(x[0] @ towards)
    for index in range(first, net.depth):
        name = f"blocks.{index}"
        gamma1, gamma2 = (w.get(f"{name}.ls{i}.gamma", np.ones(net.width)) for i in (1, 2))
        norm1, norm2 = (normed_by(f"{name}.norm{i}", w, net) for i in (1, 2))
        normed = norm1(x)
        branch, weights = reference.multi_head(normed[None], w, f"{name}.attn", net)
        between = x + gamma1 * branch[0]
        mlp = gamma2 * reference.mlp(norm2(between), w, f"{name}.mlp", net.activation)
        own += float((mlp[0] + gamma1 * w[f"{name}.attn.proj.bias"]) @ towards)
        if net.has_cls_token:  # it is no patch: what it sees of itself is its own
            values = reference.linear(normed[0], w, f"{name}.attn.qkv")[2 * net.attention_width :]
            seen = np.repeat(weights[0, :, 0, 0], net.d_k) * values  # (h*d,)
            own += float((w[f"{name}.attn.proj.weight"] @ seen * gamma1) @ towards)
        x = between + mlp
    return own


def normed_by(name: str, w: Weights, net: ViTConfig) -> Callable[[Array], Array]:
    """A norm of a block; without one, what it is given."""
    return (lambda x: x) if net.norm == "none" else partial(reference.layer_norm, w=w, name=name, epsilon=1e-6)


def constant(w: Weights, net: ViTConfig, answer: Array) -> float:
    """What the biases of head and final norm add to the margin of every picture."""
    read = np.zeros(net.width) if not net.final_norm else w["norm.bias"].astype(np.float64)
    return reference.margin(reference.linear(read, w, "head"), answer)
