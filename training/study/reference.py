"""The Vision Transformer in NumPy, an equation a function: what the tests hold the Keras model and the graphs against.

Everything is float64, nothing is fast, and nothing but the sizes comes from elsewhere in vitcam: a mistake there cannot
hide here. Weights go by timm's names and layouts, a projection's matrix being (out, in).

Letters: B images, H x W pixels, C channels, P patch size, N = HW / P² patches, T tokens (N + 1 with a class token),
D width, h heads, d channels of a head, D / h unless said otherwise, M channels inside an MLP, K classes, L blocks.

[ViT] Dosovitskiy et al. 2021, arXiv 2010.11929      [AIAYN] Vaswani et al. 2017, arXiv 1706.03762
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam_training.config import ViTConfig

Array = NDArray[np.float64]
Weights = Mapping[str, NDArray[Any]]

# --- from pixels to tokens --------------------------------------------------------------------------------------------


def normalise(images: NDArray[Any], net: ViTConfig) -> Array:
    """Camera bytes (B, H, W, 3) -> (bytes / 255 - mean) / std, (B, H, W, 3), or its luma (B, H, W, 1)."""
    x: Array = (images / 255 - np.array(net.mean)) / np.array(net.std)
    return x if net.channels == 3 else x @ np.array([[0.299], [0.587], [0.114]])


def patches(images: Array, side: int) -> Array:
    """Cut (B, H, W, C) into squares, row by row, each flattened to P²·C values: (B, N, P²·C). [ViT] section 3.1"""
    _, height, width, _ = images.shape
    squares = [
        images[:, top : top + side, left : left + side].reshape(len(images), -1)
        for top in range(0, height, side)
        for left in range(0, width, side)
    ]
    return np.stack(squares, axis=1)


def patch_matrix(convolution: NDArray[Any]) -> Array:
    """A strided convolution's weights (D, C, P, P) as the matrix E of [ViT] eq. 1, (P²·C, D): the same function."""
    return convolution.astype(np.float64).transpose(2, 3, 1, 0).reshape(-1, len(convolution))


def sincos(tokens: int, width: int) -> Array:
    """PE(pos, 2i) = sin(pos / 10000^(2i / D)), PE(pos, 2i + 1) = cos of the same angle; (T, D). [AIAYN] section 3.5"""
    encoding = np.zeros((tokens, width))
    for pos in range(tokens):
        for i in range(width // 2):
            angle = pos / 10000 ** (2 * i / width)
            encoding[pos, 2 * i], encoding[pos, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return encoding


def embed(images: NDArray[Any], w: Weights, net: ViTConfig) -> Array:
    """z_0 = [x_class; x_p¹E; ...; x_pᴺE] + E_pos, (B, T, D). [ViT] eq. 1; class token and position are optional.

    A distillation token follows the class token (DeiT, arXiv 2012.12877, section 4). Registers, which have no
    position, stand before the patches (Darcet et al. 2023, arXiv 2309.16588).
    """
    x = patches(normalise(images, net), net.patch_size) @ patch_matrix(w["patch_embed.proj.weight"])
    x = x + w["patch_embed.proj.bias"]  # (B, N, D)
    tokens = {"cls_token": ["cls_token"], "distilled": ["cls_token", "dist_token"]}.get(net.pooling, [])
    x = np.concatenate([*(np.repeat(w[name], len(x), axis=0) for name in tokens), x], axis=1)  # (B, N + 1, D)
    if net.position in ("learned", "random"):
        x = x + w["pos_embed"]
    elif net.position == "sincos":
        x = x + sincos(x.shape[1], net.width)
    if not net.registers:
        return np.asarray(x)
    registers = np.repeat(w["reg_token"], len(x), axis=0)
    return np.concatenate([x[:, : len(tokens)], registers, x[:, len(tokens) :]], axis=1)


# --- the parts of a block ---------------------------------------------------------------------------------------------


def softmax(x: Array) -> Array:
    """exp(x_i) / Σ_j exp(x_j) along the last axis of (..., n). The largest x is subtracted first: nothing overflows."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


def attention(q: Array, k: Array, v: Array) -> tuple[Array, Array]:
    """A = softmax(QKᵀ / √d_k), (..., T, T), and what it mixes, A·V. d_k is the width of *one head*. [AIAYN] eq. 1"""
    weights = softmax(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]))
    return weights @ v, weights


def multi_head(x: Array, w: Weights, name: str, net: ViTConfig) -> tuple[Array, Array]:
    """MSA(x) = [A_1V_1; ...; A_hV_h] U, with Q, K, V projected from x: (B, T, D); and A (B, h, T, T). [ViT] eq. 5-8

    With `qk_norm`, softmax(LN(Q) LN(K)ᵀ / √d_k) head by head. Dehghani et al. 2023, arXiv 2302.05442, section 2.1
    """
    q, k, v = (np.split(part, net.heads, axis=-1) for part in np.split(linear(x, w, f"{name}.qkv"), 3, axis=-1))
    if net.qk_norm:  # (B, T, d) each
        q = [layer_norm(each, w, f"{name}.q_norm", net.norm_epsilon) for each in q]
        k = [layer_norm(each, w, f"{name}.k_norm", net.norm_epsilon) for each in k]
    parts = [attention(*qkv) for qkv in zip(q, k, v, strict=True)]
    mixed = np.concatenate([mixed for mixed, _ in parts], axis=-1)  # (B, T, D)
    return linear(mixed, w, f"{name}.proj"), np.stack([weights for _, weights in parts], axis=1)


def layer_norm(x: Array, w: Weights, name: str, epsilon: float) -> Array:
    """γ (x - mean) / √(var + ε) + β over the channels of each token, (..., T, D). Ba et al. 2016, arXiv 1607.06450"""
    normed = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon)
    return np.asarray(normed * w[f"{name}.weight"] + w[f"{name}.bias"])


def linear(x: Array, w: Weights, name: str) -> Array:
    """xWᵀ + b, (..., D) -> (..., M). Without `qkv_bias`, queries, keys and values have no b."""
    return np.asarray(x @ w[f"{name}.weight"].astype(np.float64).T + w.get(f"{name}.bias", 0.0))


def gelu(x: Array) -> Array:
    """x Φ(x) = x/2 (1 + erf(x / √2)), (..., M) -> same. Hendrycks & Gimpel 2016, arXiv 1606.08415"""
    # NumPy has no erf; Python's is the C library's, right to the last bit or two of a float64
    return np.asarray(0.5 * x * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))))


def gelu_tanh(x: Array) -> Array:
    """x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))), (..., M) -> same: within 5e-4 of `gelu`. Same paper."""
    return np.asarray(0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))


def relu(x: Array) -> Array:
    """max(x, 0), (..., M) -> same."""
    return np.maximum(x, 0)


def quick_gelu(x: Array) -> Array:
    """x σ(1.702 x), (..., M) -> same: CLIP's. Hendrycks & Gimpel 2016, arXiv 1606.08415, section 2"""
    return np.asarray(x / (1 + np.exp(-1.702 * x)))


def mlp(x: Array, w: Weights, name: str, activation: str) -> Array:
    """W_2 act(W_1 x + b_1) + b_2, each token by itself: (B, T, D) -> same, M channels inside. [ViT] section 3.1"""
    act = {"gelu": gelu, "quick_gelu": quick_gelu, "relu": relu}[activation]
    return linear(act(linear(x, w, f"{name}.fc1")), w, f"{name}.fc2")


def block(x: Array, w: Weights, name: str, net: ViTConfig) -> tuple[Array, Array]:
    """One encoder block, (B, T, D) -> the same, and A (B, h, T, T).

    pre-norm   x' = x + MSA(LN(x));  x'' = x' + MLP(LN(x'))     [ViT] eq. 2, 3
    post-norm  x' = LN(x + MSA(x));  x'' = LN(x' + MLP(x'))     [AIAYN] section 3.1
    no norm    x' = x + MSA(x);      x'' = x' + MLP(x');        no residual: nothing is added to MSA(·) and MLP(·)

    With layer scale, MSA(·) and MLP(·) are multiplied by γ_1, γ_2, a factor a channel. CaiT, arXiv 2103.17239, eq. 3
    """
    gamma1, gamma2 = (w.get(f"{name}.ls{i}.gamma", np.ones(net.width)) for i in (1, 2))
    norm1, norm2 = (partial(layer_norm, w=w, name=f"{name}.norm{i}", epsilon=net.norm_epsilon) for i in (1, 2))
    branch, weights = multi_head(norm1(x) if net.norm == "pre" else x, w, f"{name}.attn", net)
    x = net.residual * x + gamma1 * branch
    x = norm1(x) if net.norm == "post" else x
    x = net.residual * x + gamma2 * mlp(norm2(x) if net.norm == "pre" else x, w, f"{name}.mlp", net.activation)
    return norm2(x) if net.norm == "post" else x, weights


# --- the whole --------------------------------------------------------------------------------------------------------


def vit(images: NDArray[Any], w: Weights, net: ViTConfig) -> tuple[Array, dict[str, Array]]:
    """Logits (B, K) and every value on the way, named as the Keras model names its taps. [ViT] eq. 1-4"""
    taps: dict[str, Array] = {}
    x = embed(images, w, net)
    x = taps["embeddings"] = layer_norm(x, w, "norm_pre", net.norm_epsilon) if net.first_norm else x
    for i in range(net.depth):
        x, taps[f"block{i:02}/attention"] = block(x, w, f"blocks.{i}", net)
        taps[f"block{i:02}/output"] = x
    x = layer_norm(x, w, "norm", net.norm_epsilon) if net.final_norm else x
    x = x.mean(axis=1) if net.pooling == "mean" else x[:, : net.rows_read].reshape(len(x), -1)  # (B, D)
    x = taps["embedding"] = shared(x, w)[0] if net.shared_width else x
    return pretraining_head(x, w) if net.head_hidden else linear(x, w, "head"), taps


def shared(x: Array, w: Weights) -> tuple[Array, Array]:
    """u = Px / |Px|, the place in the space that pictures share with words: (B, D) -> (B, S); and |Px|, (B, 1).

    Radford et al. 2021, arXiv 2103.00020, figure 3
    """
    x = x @ w["shared.weight"].astype(np.float64).T
    length = np.sqrt((x**2).sum(axis=-1, keepdims=True))
    return np.asarray(x / length), np.asarray(length)


def pretraining_head(x: Array, w: Weights) -> Array:
    """The head with one hidden layer and tanh that ViT was pretrained with, (B, D) -> (B, K). [ViT] section 3.1"""
    return linear(np.tanh(linear(x, w, "pre_logits")), w, "head")


def pooled_attention(weights: Array, net: ViTConfig) -> Array:
    """Where what the head reads looked: A (B, h, T, T) -> (B, h, N). Row 0, or the mean over the rows that it reads."""
    rows = weights if net.pooling == "mean" else weights[:, :, : net.rows_read]
    return np.asarray(rows.mean(axis=2)[..., net.prefix :])


def rollout(blocks: list[Array], residual: bool = True) -> Array:
    """R = Ā_L ... Ā_1 with Ā = ½(mean of A over heads + I); A (h, T, T) a block, R (T, T), rows sum to 1.

    Abnar & Zuidema 2020, arXiv 2005.00928, section 3: the half that passes by each block is its residual connection.
    Without residual connections Ā is the mean of A alone.
    """
    result, passing = np.eye(blocks[0].shape[-1]), 0.5 * residual
    for weights in blocks:
        result = ((1 - passing) * weights.mean(axis=0) + passing * np.eye(len(result))) @ result
    return result


def rollout_row(blocks: list[Array], row: Array, residual: bool = True) -> Array:
    """`row @ rollout(blocks)` without a product of matrices: r ← ½(rA + r), from the last block back; (T,).

    row  (T,) what the head reads: 1 for its token and 0 else, 1/2 for each of two, or 1/T for mean pooling
    """
    passing = 0.5 * residual
    for weights in reversed(blocks):
        row = (1 - passing) * (row @ weights.mean(axis=0)) + passing * row
    return row


# --- where the answer comes from --------------------------------------------------------------------------------------


def margin(logits: Array, answer: Array) -> float:
    """Σ_k a_k (z_k - mean of z) for logits (K,) and weights of the labels a (K,), such as 1 for the winner."""
    return float(answer @ (logits - logits.mean()))


def direction(taps: Mapping[str, Array], w: Weights, net: ViTConfig, answer: Array) -> Array:
    """What a step along each axis of the stream adds to the margin: the gradient without that of the norm's length.

    Σ_k a_k (z_k - mean of z) = <x, g> + terms of no x, for the token x that the head reads after the last block, (D,):
    g = γ a(W - mean of W), less its mean, over √(var(x) + ε). In a shared space, a(W - mean of W) P / |Px| takes the
    place of a(W - mean of W). Without a final norm, g = a(W - mean of W). Of a mean of tokens, each divided by a length
    of its own, the mean of 1 / √(var(x) + ε) is taken, and the sum is not exact. With a hidden layer in the head, its
    slope and matrix come behind a(W - mean of W), and the sum is not exact. Two tokens that are read side by side have
    a g each, (2 D,) together.
    """
    head = w["head.weight"].astype(np.float64)
    step: Array = answer @ (head - head.mean(axis=0))
    x = _entering(taps, net.depth)[: None if net.pooling == "mean" else net.rows_read]
    if net.head_hidden:
        hidden = np.tanh(linear(taps["embedding"][0], w, "pre_logits"))
        step = step * (1 - hidden**2) @ w["pre_logits.weight"].astype(np.float64)
    if net.shared_width:
        read = layer_norm(x, w, "norm", net.norm_epsilon) if net.final_norm else x
        step = step @ w["shared.weight"].astype(np.float64) / shared(read.mean(axis=0, keepdims=True), w)[1][0]
    if not net.final_norm:
        return step
    lengths = np.sqrt(x.var(axis=-1) + net.norm_epsilon)
    shares = [np.mean(1 / part) for part in np.split(lengths, net.rows_read)]
    steps = [part * w["norm.weight"] for part in np.split(step, net.rows_read)]
    return np.concatenate([(part - part.mean()) * share for part, share in zip(steps, shares, strict=True)])


def direct_evidence(taps: Mapping[str, Array], w: Weights, net: ViTConfig, index: int, towards: Array) -> Array:
    """What the attention of a block wrote from each patch into the token that the head reads, along `towards`: (N,).

    e_j = <Σ_h A_h[0, j] V_h[j] U_h γ_1, g>. The stream is a sum of what was written into it: the sum of e over patches
    and blocks, and what the token has of itself (its start, its own attention, biases, MLPs), make the margin exactly.
    That holds for pre-norm and a head that reads one token, or each of two by itself.
    Elhage et al. 2021, A Mathematical Framework for Transformer Circuits

    taps     of one picture, a batch of 1
    towards  (D,), or (2 D,) for two tokens, as `direction` gives it
    """
    name = f"blocks.{index}"
    x = _entering(taps, index)
    x = layer_norm(x, w, f"{name}.norm1", net.norm_epsilon) if net.norm == "pre" else x
    v = np.split(linear(x, w, f"{name}.attn.qkv"), 3, axis=-1)[2]  # (T, D)
    u = w[f"{name}.attn.proj.weight"].astype(np.float64).T * w.get(f"{name}.ls1.gamma", np.ones(net.width))  # (D, D)
    parts = zip(np.split(v, net.heads, axis=-1), np.split(u, net.heads), strict=True)  # (T, d), (d, D) a head
    written = np.stack([v_h @ u_h for v_h, u_h in parts])[:, net.prefix :]  # (h, N, D)
    seen = taps[f"block{index:02}/attention"]
    if net.rows_read == 1:
        return np.asarray((pooled_attention(seen, net)[0] * (written @ towards)).sum(axis=0))
    rows = zip(np.split(towards, net.rows_read), seen[0].swapaxes(0, 1), strict=False)  # (D,), (h, T) a token
    return np.asarray(sum((row[:, net.prefix :] * (written @ own)).sum(axis=0) for own, row in rows))


def _entering(taps: Mapping[str, Array], index: int) -> Array:
    """The tokens (T, D) of one picture that block `index` reads; of index L, those that the last block wrote."""
    return np.asarray(taps[f"block{index - 1:02}/output" if index else "embeddings"][0])


# --- what training adds -----------------------------------------------------------------------------------------------


def cross_entropy(logits: Array, labels: NDArray[np.integer[Any]], smoothing: float = 0.0) -> Array:
    """-Σ_k t_k log softmax(z)_k, (B,), for *logits* (B, K) and labels (B,); the only softmax is the one in here.

    With smoothing ε the target is t = (1 - ε) onehot + ε / K. Szegedy et al. 2016, arXiv 1512.00567, section 7
    """
    classes = logits.shape[-1]
    targets = (1 - smoothing) * np.eye(classes)[labels] + smoothing / classes
    shifted = logits - logits.max(-1, keepdims=True)
    log_softmax = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return np.asarray(-(targets * log_softmax).sum(-1))


def dropout(x: Array, kept: NDArray[np.bool_], rate: float) -> Array:
    """Inverted dropout, (B, T, D) -> same: in training, what is kept is divided by 1 - p; inference changes nothing.

    Srivastava et al. 2014, JMLR 15, section 10. `kept` is True with probability 1 - p: a value each for dropout, one
    for an image's whole branch for stochastic depth (Huang et al. 2016, arXiv 1603.09382).
    """
    return np.asarray(x * kept / (1 - rate))


@dataclass(frozen=True)
class Adam:
    """Adam's constants and what it remembers of one parameter. Kingma & Ba 2015, arXiv 1412.6980, algorithm 1."""

    rate: float
    decay: float = 0.0
    decoupled: bool = True
    """AdamW: θ shrinks by rate · decay, beside the step. False, L2: decay · θ joins the gradient, and is then divided
    by its length like the rest, so that it decays least what moves most. Loshchilov & Hutter 2019, arXiv 1711.05101."""
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-7
    steps: int = 0
    mean: Array | float = 0.0
    square: Array | float = 0.0

    def step(self, theta: Array, gradient: Array) -> tuple[Array, Adam]:
        """θ ← θ - rate · m̂ / (√v̂ + ε), after or with the decay. Returns θ, such as (D, M), and the next state."""
        if self.decoupled:
            theta = theta - self.rate * self.decay * theta
        else:
            gradient = gradient + self.decay * theta
        steps = self.steps + 1
        mean = self.beta1 * self.mean + (1 - self.beta1) * gradient
        square = self.beta2 * self.square + (1 - self.beta2) * gradient**2
        unbiased = mean / (1 - self.beta1**steps), square / (1 - self.beta2**steps)
        theta = theta - self.rate * unbiased[0] / (np.sqrt(unbiased[1]) + self.epsilon)
        return np.asarray(theta), replace(self, steps=steps, mean=mean, square=square)
