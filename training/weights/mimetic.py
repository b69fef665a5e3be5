"""A start for networks that no pretrained weights are for: attention that begins as trained attention ends.

In trained ViTs the product of query and key is nearly a multiple of the identity, so that tokens look at what
resembles them and stands near them, and the product of value and output projection nearly a negative one. Networks that
begin so learn faster from few photos. Source: Trockman and Kolter 2023, arXiv 2305.09828, section 4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vitcam_training.vit import ViT, sincos_position

QUERY_KEY = (0.7, 0.7)
"""Of W_q W_kᵀ: how much noise, how much identity."""
VALUE_OUTPUT = (0.4, -0.4)
"""Of W_v W_o."""

Matrix = NDArray[np.float64]


def start_mimetic(vit: ViT, seed: int) -> None:
    """Set the attention's matrices of every block, and learned positions, if there are any, to waves.

    seed  of the noise
    """
    rng = np.random.default_rng(seed)
    width, heads, all_heads = vit.config.width, vit.config.heads, vit.config.attention_width
    for block in vit.blocks:
        attention = block.attention
        pairs = [factors(near_identity(width, *QUERY_KEY, rng), vit.config.d_k, rng) for _ in range(heads)]
        attention.query.kernel.assign(np.hstack([query for query, _ in pairs]))
        attention.key.kernel.assign(np.hstack([key.T for _, key in pairs]))
        value, output = factors(near_identity(width, *VALUE_OUTPUT, rng), all_heads, rng)
        attention.value.kernel.assign(value)
        attention.output_projection.kernel.assign(output)
    if vit.config.position == "learned":
        vit.position.assign(waves(vit)[None])


def near_identity(width: int, noise: float, identity: float, rng: np.random.Generator) -> Matrix:
    """noise · Z + identity · I, (D, D), with Z of mean 0 and variance 1 / D."""
    return noise * rng.normal(0, width**-0.5, (width, width)) + identity * np.eye(width)


def factors(product: Matrix, rank: int, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    """(D, rank) and (rank, D), whose product is nearest to `product` (D, D): its singular values, shared evenly.

    rng  turns the product's channels among the others where `rank` is above D: channels of zeros would never learn
    """
    left, values, right = np.linalg.svd(product)
    root = np.sqrt(values[:rank])
    first, second = left[:, :rank] * root, root[:, None] * right[:rank]
    if rank <= len(product):
        return first, second
    turn = np.linalg.qr(rng.normal(size=(rank, len(product))))[0]  # (rank, D), orthonormal columns
    return first @ turn.T, turn @ second


def waves(vit: ViT) -> Matrix:
    """Positions in two dimensions, (T, D): half the channels tell the row, half the column; none for class tokens."""
    (rows, columns), width = vit.config.grid, vit.config.width
    y, x = np.divmod(np.arange(rows * columns), columns)
    half = width // 2
    patches = np.hstack([sincos_position(rows, half)[y], sincos_position(columns, width - half)[x]])
    return np.vstack([np.zeros((vit.config.placed, width)), patches])
