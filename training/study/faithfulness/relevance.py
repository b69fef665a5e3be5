"""Gradient × attention through all blocks, in float64: the expensive yardstick for cheaper maps. NumPy only.

R ← R + mean over heads of (∇A ⊙ A)₊ R, from R = 1 and the first block on, with ∇A the gradient of the answer's logit by
the attention weights. Chefer, Gur & Wolf 2021, "Generic Attention-model Explainability", arXiv 2103.15679, eq. 5 and 6.
The gradients are written out, so the map needs no backend that can differentiate. Letters as in `vit.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.special import erf

from vitcam_training.config import ViTConfig
from vitcam_training.study.reference import Array, Weights, layer_norm, linear, relu, shared


def relevance(taps: Mapping[str, Array], w: Weights, net: ViTConfig, label: int) -> Array:
    """How much each patch mattered for the logit of a label, (N,). Without residual connections nothing passes by.

    taps  of one picture, a batch of 1
    """
    seen = np.eye(net.tokens)
    for weights, gradient in zip(_attention(taps, net), attention_gradients(taps, w, net, label), strict=True):
        seen = net.residual * seen + relu(gradient * weights).mean(axis=0) @ seen
    read = seen if net.pooling == "mean" else seen[: net.rows_read]
    return np.asarray(read.mean(axis=0)[net.prefix :])


def attention_gradients(taps: Mapping[str, Array], w: Weights, net: ViTConfig, label: int) -> list[Array]:
    """The gradient of a label's logit by the attention weights of each block, (h, T, T) each.

    taps  of one picture, a batch of 1
    """
    entering = [
        np.asarray(taps["embeddings" if i == 0 else f"block{i - 1:02}/output"], float)[0] for i in range(net.depth)
    ]
    last = np.asarray(taps[f"block{net.depth - 1:02}/output"], float)[0]  # (T, D)
    g = np.zeros_like(last)
    pooled = _by_pooled(last, w, net, label)
    g[: len(g) if net.pooling == "mean" else net.rows_read] = pooled.reshape(net.rows_read, -1)
    g = g / len(g) if net.pooling == "mean" else g
    g = _through_norm(g, last, w, net, "norm") if net.final_norm else g
    found = []
    for i in reversed(range(net.depth)):
        gradient, g = _through_block(g, entering[i], _attention(taps, net)[i], w, net, f"blocks.{i}")
        found.append(gradient)
    return found[::-1]


def _by_pooled(last: Array, w: Weights, net: ViTConfig, label: int) -> Array:
    """The gradient of a label's logit by what the head reads, (D,) or (2 D,); last (T, D): what left the last block."""
    g = w["head.weight"].astype(float)[label]
    if not net.shared_width and not net.head_hidden:
        return np.asarray(g)
    read = layer_norm(last, w, "norm", net.norm_epsilon) if net.final_norm else last
    read = read.mean(axis=0, keepdims=True) if net.pooling == "mean" else read[: net.rows_read].reshape(1, -1)
    if net.head_hidden:
        return _back(g * (1 - np.tanh(linear(read[0], w, "pre_logits")) ** 2), w, "pre_logits")
    unit, length = shared(read, w)
    return np.asarray(((g - unit[0] * (g @ unit[0])) / length[0]) @ w["shared.weight"].astype(float))


def _attention(taps: Mapping[str, Array], net: ViTConfig) -> list[Array]:
    return [np.asarray(taps[f"block{i:02}/attention"], float)[0] for i in range(net.depth)]


def _through_block(g: Array, x: Array, weights: Array, w: Weights, net: ViTConfig, name: str) -> tuple[Array, Array]:
    """From the gradient by what leaves a block, (T, D), to those by its attention weights and by what enters it."""
    scale1, scale2 = (w.get(f"{name}.ls{i}.gamma", np.ones(net.width)) for i in (1, 2))
    read = layer_norm(x, w, f"{name}.norm1", net.norm_epsilon) if net.norm == "pre" else x
    q0, k0, v = (_heads(part, net) for part in np.split(linear(read, w, f"{name}.attn.qkv"), 3, axis=-1))  # (h, T, d)
    q, k = (_normed(part, w, net, f"{name}.attn.{norm}") for part, norm in ((q0, "q_norm"), (k0, "k_norm")))
    mixed = (weights @ v).swapaxes(0, 1).reshape(len(x), -1)
    between = net.residual * x + scale1 * linear(mixed, w, f"{name}.attn.proj")  # (T, D)
    g = _through_second_half(g, between, scale2, w, net, name)

    g_mixed = _heads(_back(g * scale1, w, f"{name}.attn.proj"), net)  # (h, T, d)
    g_weights = g_mixed @ v.swapaxes(-1, -2)  # (h, T, T)
    g_scores = weights * (g_weights - (g_weights * weights).sum(-1, keepdims=True)) / math.sqrt(q.shape[-1])
    g_q, g_k = g_scores @ k, g_scores.swapaxes(-1, -2) @ q
    if net.qk_norm:
        g_q = _through_norm(g_q, q0, w, net, f"{name}.attn.q_norm")
        g_k = _through_norm(g_k, k0, w, net, f"{name}.attn.k_norm")
    parts = (g_q, g_k, weights.swapaxes(-1, -2) @ g_mixed)
    joined = np.concatenate([part.swapaxes(0, 1).reshape(len(x), -1) for part in parts], axis=-1)  # (T, 3 D)
    g_read = _back(joined, w, f"{name}.attn.qkv")
    g_read = _through_norm(g_read, x, w, net, f"{name}.norm1") if net.norm == "pre" else g_read
    return g_weights, net.residual * g + g_read


def _through_second_half(g: Array, between: Array, scale: Array, w: Weights, net: ViTConfig, name: str) -> Array:
    """From the gradient by what leaves a block to that by the sum after its attention, `between`, (T, D) each."""
    if net.norm == "pre":
        normed = layer_norm(between, w, f"{name}.norm2", net.norm_epsilon)
        inner = _through_mlp(g * scale, normed, w, net, f"{name}.mlp")
        return net.residual * g + _through_norm(inner, between, w, net, f"{name}.norm2")
    if net.norm == "none":
        return net.residual * g + _through_mlp(g * scale, between, w, net, f"{name}.mlp")
    normed = layer_norm(between, w, f"{name}.norm1", net.norm_epsilon)
    mlp = linear(_act(linear(normed, w, f"{name}.mlp.fc1"), net)[0], w, f"{name}.mlp.fc2")
    g = _through_norm(g, net.residual * normed + scale * mlp, w, net, f"{name}.norm2")
    g = net.residual * g + _through_mlp(g * scale, normed, w, net, f"{name}.mlp")
    return _through_norm(g, between, w, net, f"{name}.norm1")


def _heads(x: Array, net: ViTConfig) -> Array:
    """(T, D) -> (h, T, d)."""
    return x.reshape(len(x), net.heads, -1).swapaxes(0, 1)


def _normed(x: Array, w: Weights, net: ViTConfig, name: str) -> Array:
    """Queries or keys, (h, T, d), as their product reads them."""
    return layer_norm(x, w, name, net.norm_epsilon) if net.qk_norm else x


def _back(g: Array, w: Weights, name: str) -> Array:
    """Through a dense layer."""
    return np.asarray(g @ w[f"{name}.weight"].astype(float))


def _through_norm(g: Array, x: Array, w: Weights, net: ViTConfig, name: str) -> Array:
    """Through a layer norm that read x, (T, D)."""
    g = g * w[f"{name}.weight"]
    length = np.sqrt(x.var(-1, keepdims=True) + net.norm_epsilon)
    normed = (x - x.mean(-1, keepdims=True)) / length
    return np.asarray((g - g.mean(-1, keepdims=True) - normed * (g * normed).mean(-1, keepdims=True)) / length)


def _through_mlp(g: Array, x: Array, w: Weights, net: ViTConfig, name: str) -> Array:
    slope = _act(linear(x, w, f"{name}.fc1"), net)[1]
    return _back(_back(g, w, f"{name}.fc2") * slope, w, f"{name}.fc1")


def _act(x: Array, net: ViTConfig) -> tuple[Array, Array]:
    """The activation and its slope, both (T, M)."""
    if net.activation == "relu":
        return relu(x), (x > 0).astype(float)
    if net.activation == "quick_gelu":
        share = 1 / (1 + np.exp(-1.702 * x))
        return x * share, share + 1.702 * x * share * (1 - share)
    below = 0.5 * (1 + erf(x / math.sqrt(2)))  # Φ(x)
    return x * below, below + x * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
