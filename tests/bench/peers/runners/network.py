"""The network as most people write it in PyTorch: what the peers' own tools are given to work on.

A Vision Transformer with one fused q, k, v projection and `scaled_dot_product_attention`, under timm's names. Nothing
of vitcam's rewrites is in it. Source: Dosovitskiy et al. 2021 (arXiv 2010.11929), sizes read from the weights.
"""

from __future__ import annotations

import re
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

NORM_EPSILON = 1e-6


class Attention(nn.Module):  # type: ignore[misc]
    """Multi-head self-attention, (B, T, D) -> (B, T, D)."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, width * 3)
        self.proj = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, tokens, width = x.shape
        qkv = self.qkv(x).reshape(batch, tokens, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)  # (B, h, T, d) each
        x = functional.scaled_dot_product_attention(q, k, v)  # (B, h, T, d)
        return self.proj(x.transpose(1, 2).reshape(batch, tokens, width))  # (B, T, D)


class Mlp(nn.Module):  # type: ignore[misc]
    """Two linear layers with an exact GELU between them."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(width, hidden)
        self.fc2 = nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(functional.gelu(self.fc1(x)))


class Block(nn.Module):  # type: ignore[misc]
    """One pre-norm encoder block, (B, T, D) -> (B, T, D)."""

    def __init__(self, width: int, heads: int, hidden: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=NORM_EPSILON)
        self.attn = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width, eps=NORM_EPSILON)
        self.mlp = Mlp(width, hidden)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class PatchEmbed(nn.Module):  # type: ignore[misc]
    """(B, 3, H, W) -> (B, N, D): a convolution whose stride is its size."""

    def __init__(self, width: int, patch: int) -> None:
        super().__init__()
        self.proj = nn.Conv2d(3, width, patch, patch)

    def forward(self, images: Tensor) -> Tensor:
        return self.proj(images).flatten(2).transpose(1, 2)


class VisionTransformer(nn.Module):  # type: ignore[misc]
    """(B, 3, H, W) normalised floats -> probabilities (B, C)."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__()
        width, _, patch, _ = weights["patch_embed.proj.weight"].shape
        hidden = len(weights["blocks.0.mlp.fc1.weight"])
        depth = len({name for name in weights if re.fullmatch(r"blocks\.\d+\.norm1\.weight", name)})
        self.patch_embed = PatchEmbed(width, patch)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, width))
        self.pos_embed = nn.Parameter(torch.zeros(weights["pos_embed"].shape))
        self.blocks = nn.Sequential(*(Block(width, width // 64, hidden) for _ in range(depth)))
        self.norm = nn.LayerNorm(width, eps=NORM_EPSILON)
        self.head = nn.Linear(width, len(weights["head.weight"]))
        self.load_state_dict(weights)

    def forward(self, images: Tensor) -> Tensor:
        x = self.patch_embed(images)  # (B, N, D)
        x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], dim=1) + self.pos_embed  # (B, T, D)
        x = self.norm(self.blocks(x))[:, 0]  # (B, D)
        return functional.softmax(self.head(x), dim=-1)  # (B, C)


def load_network(checkpoint: Path) -> VisionTransformer:
    """The network with the weights of a `.safetensors` checkpoint, ready to answer."""
    network = VisionTransformer(load_file(checkpoint))
    network.eval()
    return network
