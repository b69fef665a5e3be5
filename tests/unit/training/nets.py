"""Small networks with random weights, and a second implementation of the ViT to compare ours with."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vitcam_training.about import About
from vitcam_training.checkpoints import Weights, load_into, to_timm
from vitcam_training.vit import ViT, ViTConfig

from vitcam.resize import InputSpec

SMALL = ViTConfig(classes=5, image_size=(32, 32), patch_size=8, width=128, depth=3, heads=2)

Floats = NDArray[Any]


def small_vit(config: ViTConfig = SMALL, seed: int = 0) -> ViT:
    """Every weight random, norms and biases too, so that no term can vanish unseen."""
    vit = ViT(config)
    rng = np.random.default_rng(seed)
    weights = {}
    for name, array in to_timm(vit).items():
        noise = rng.normal(0, 0.3 if array.ndim == 1 else array.shape[-1] ** -0.5, array.shape)
        weights[name] = (noise + (1.0 if "norm" in name and name.endswith("weight") else 0.0)).astype(np.float32)
    load_into(vit, weights)
    return vit


def small_about(labels: int = 5, side: int = 32) -> About:
    return About("small", "five things", tuple(f"thing {i}" for i in range(labels)), InputSpec(side, side))


def photos(count: int, config: ViTConfig = SMALL, seed: int = 1) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (count, *config.image_size, 3)).astype(np.uint8)


def reference_vit(weights: Weights, images: NDArray[np.uint8], heads: int) -> tuple[Floats, Floats, Floats]:
    """The network as timm computes it, from timm's own layouts: fused qkv, a strided convolution, float64.

    returns  logits (B, C), last block's attention (B, h, T, T), class token after the final norm (B, D)
    """
    w: Weights = {name: array.astype(np.float64) for name, array in weights.items()}
    kernel = w["patch_embed.proj.weight"]
    side = kernel.shape[-1]
    x = (images / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    rows, columns = x.shape[1] // side, x.shape[2] // side
    tokens = [
        np.einsum("bijc,dcij->bd", x[:, r * side : (r + 1) * side, c * side : (c + 1) * side], kernel)
        for r in range(rows)
        for c in range(columns)
    ]
    x = np.stack(tokens, 1) + w["patch_embed.proj.bias"]
    x = np.concatenate([np.repeat(w["cls_token"], len(x), 0), x], 1) + w["pos_embed"]
    attention = np.zeros(0)
    for i in range(sum(name.endswith("norm1.weight") for name in w)):
        name = f"blocks.{i}"
        b, t, d = x.shape
        qkv = linear(norm(x, w, f"{name}.norm1"), w, f"{name}.attn.qkv")
        q, k, v = qkv.reshape(b, t, 3, heads, d // heads).transpose(2, 0, 3, 1, 4)
        attention = np.exp(q @ k.swapaxes(-1, -2) / math.sqrt(d // heads))
        attention /= attention.sum(-1, keepdims=True)
        x = x + linear((attention @ v).transpose(0, 2, 1, 3).reshape(b, t, d), w, f"{name}.attn.proj")
        hidden = linear(norm(x, w, f"{name}.norm2"), w, f"{name}.mlp.fc1")
        hidden = hidden * 0.5 * (1 + np.vectorize(math.erf)(hidden / math.sqrt(2)))
        x = x + linear(hidden, w, f"{name}.mlp.fc2")
    embedding = norm(x[:, 0], w, "norm")
    return linear(embedding, w, "head"), attention, embedding


def norm(x: Floats, w: Weights, name: str) -> Floats:
    scaled = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)
    return np.asarray(scaled * w[f"{name}.weight"] + w[f"{name}.bias"])


def linear(x: Floats, w: Weights, name: str) -> Floats:
    return np.asarray(x @ w[f"{name}.weight"].T + w[f"{name}.bias"])
