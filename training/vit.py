"""The Vision Transformer, whole, in one file (Keras 3, any backend).

In: camera bytes, (B, H, W, 3) RGB in 0..255. Out: `(logits, taps)`, taps being every value worth looking at by name.
Source: Dosovitskiy et al. 2021 (arXiv 2010.11929); the sizes and details are those of DeiT, Touvron et al. 2021
(arXiv 2012.12877): pre-norm blocks, LayerNorm with epsilon 1e-6, exact GELU, a linear head on the class token.

Letters in the shape comments: B images, H x W pixels, P patch size, N patches, T = N + 1 tokens, D width,
h heads, d = D / h channels of a head, M = mlp_ratio * D, C classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import keras
from keras import ops

Tensor = Any  # a tensor of whichever backend Keras runs on
Taps = dict[str, Tensor]

NORM_EPSILON = 1e-6
MEAN_RGB = (0.485, 0.456, 0.406)  # of ImageNet, in fractions of 255: what the pretrained weights expect
STD_RGB = (0.229, 0.224, 0.225)


@dataclass(frozen=True)
class ViTConfig:
    """Sizes of one network. The defaults are DeiT-Tiny's (5.7 M parameters)."""

    classes: int
    image_size: tuple[int, int] = (224, 224)
    """(height, width) in pixels, multiples of `patch_size`."""
    patch_size: int = 16
    width: int = 192
    depth: int = 12
    heads: int = 3
    mlp_ratio: int = 4
    drop_path: float = 0.0
    """Chance that training skips the last block for an image; earlier blocks linearly less."""

    def __post_init__(self) -> None:
        """Raises ValueError for sizes that do not divide."""
        if any(side % self.patch_size for side in self.image_size):
            raise ValueError(f"image_size {self.image_size} is not a multiple of patch_size {self.patch_size}")
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of heads {self.heads}")

    @property
    def grid(self) -> tuple[int, int]:
        """(rows, columns) of patches."""
        height, width = self.image_size
        return height // self.patch_size, width // self.patch_size


class PatchEmbedding(keras.layers.Layer):  # type: ignore[misc]
    """Camera bytes (B, H, W, 3) -> tokens (B, N, D): normalise, cut into patches, project each with one matrix.

    The same as a convolution of stride P; as a matrix product it trains faster on a CPU.
    """

    def __init__(self, config: ViTConfig, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.config = config
        self.projection = keras.layers.Dense(config.width, name="projection", dtype=self.dtype_policy)

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        self.projection.build((None, None, self.config.patch_size**2 * 3))

    def call(self, images: Tensor) -> Tensor:
        (rows, columns), side = self.config.grid, self.config.patch_size
        x = ops.cast(images, "float32") / 255.0
        x = ops.cast((x - ops.array(MEAN_RGB, "float32")) / ops.array(STD_RGB, "float32"), self.compute_dtype)
        x = ops.reshape(x, (-1, rows, side, columns, side, 3))  # (B, gh, P, gw, P, 3)
        x = ops.transpose(x, (0, 1, 3, 2, 4, 5))  # (B, gh, gw, P, P, 3)
        x = ops.reshape(x, (-1, rows * columns, side * side * 3))  # (B, N, P*P*3)
        return self.projection(x)  # (B, N, D)


class Attention(keras.layers.Layer):  # type: ignore[misc]
    """Multi-head self-attention, (B, T, D) -> ((B, T, D), weights (B, h, T, T)). Rows of the weights sum to 1."""

    def __init__(self, config: ViTConfig, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.config = config
        for name in ("query", "key", "value", "output_projection"):
            setattr(self, name, keras.layers.Dense(config.width, name=name, dtype=self.dtype_policy))

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        for layer in (self.query, self.key, self.value, self.output_projection):
            layer.build(input_shape)

    def call(self, x: Tensor) -> tuple[Tensor, Tensor]:
        head_width = self.config.width // self.config.heads
        q, k, v = (self._split(project(x)) for project in (self.query, self.key, self.value))  # (B, h, T, d) each
        scores = ops.matmul(q * head_width**-0.5, ops.swapaxes(k, -2, -1))  # (B, h, T, T)
        weights = ops.softmax(scores, axis=-1)  # (B, h, T, T)
        x = ops.transpose(ops.matmul(weights, v), (0, 2, 1, 3))  # (B, T, h, d)
        x = ops.reshape(x, (-1, x.shape[1], self.config.width))  # (B, T, D)
        return self.output_projection(x), weights

    def _split(self, x: Tensor) -> Tensor:
        heads = self.config.heads
        x = ops.reshape(x, (-1, x.shape[1], heads, self.config.width // heads))  # (B, T, h, d)
        return ops.transpose(x, (0, 2, 1, 3))  # (B, h, T, d)


class Mlp(keras.layers.Layer):  # type: ignore[misc]
    """Two dense layers with an exact (erf) GELU between them, each token by itself: (B, T, D) -> (B, T, D)."""

    def __init__(self, config: ViTConfig, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.config = config
        self.up = keras.layers.Dense(config.width * config.mlp_ratio, name="up", dtype=self.dtype_policy)
        self.down = keras.layers.Dense(config.width, name="down", dtype=self.dtype_policy)

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        self.up.build(input_shape)
        self.down.build((None, None, self.config.width * self.config.mlp_ratio))

    def call(self, x: Tensor) -> Tensor:
        x = ops.gelu(self.up(x), approximate=False)  # (B, T, M)
        return self.down(x)  # (B, T, D)


class DropPath(keras.layers.Layer):  # type: ignore[misc]
    """Stochastic depth (Huang et al. 2016, arXiv 1603.09382): in training, drops a branch for some images."""

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate
        self.seed_generator = keras.random.SeedGenerator(0)

    def call(self, x: Tensor, training: bool = False) -> Tensor:
        if not training or self.rate == 0.0:
            return x
        kept = keras.random.uniform((ops.shape(x)[0], 1, 1), seed=self.seed_generator) >= self.rate  # (B, 1, 1)
        return x * ops.cast(kept, x.dtype) / (1.0 - self.rate)  # what is kept grows, so that the mean stays


class Block(keras.layers.Layer):  # type: ignore[misc]
    """One pre-norm encoder block: (B, T, D) -> (B, T, D), and its attention weights (B, h, T, T)."""

    def __init__(self, config: ViTConfig, drop_path: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        policy = self.dtype_policy
        self.norm1 = keras.layers.LayerNormalization(epsilon=NORM_EPSILON, name="norm1", dtype=policy)
        self.attention = Attention(config, name="attention", dtype=policy)
        self.norm2 = keras.layers.LayerNormalization(epsilon=NORM_EPSILON, name="norm2", dtype=policy)
        self.mlp = Mlp(config, name="mlp", dtype=policy)
        self.drop_path = DropPath(drop_path, name="drop_path", dtype=policy)

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        for layer in (self.norm1, self.attention, self.norm2, self.mlp):
            layer.build(input_shape)

    def call(self, x: Tensor, training: bool = False) -> tuple[Tensor, Tensor]:
        branch, weights = self.attention(self.norm1(x))  # (B, T, D), (B, h, T, T)
        x = x + self.drop_path(branch, training=training)
        x = x + self.drop_path(self.mlp(self.norm2(x)), training=training)
        return x, weights


class ViT(keras.Model):  # type: ignore[misc]
    """The network. `call` returns logits (B, C) and the taps below.

    embeddings        (B, T, D) tokens that enter the first block, class token first
    block00/attention (B, h, T, T) attention weights of a block, rows sum to 1
    block00/output    (B, T, D) tokens that leave a block
    embedding         (B, D) class token after the final norm: what the head sees
    """

    def __init__(self, config: ViTConfig, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.config = config
        policy = self.dtype_policy
        self.patch_embedding = PatchEmbedding(config, name="patch_embedding", dtype=policy)
        rates = [config.drop_path * i / max(1, config.depth - 1) for i in range(config.depth)]
        self.blocks = [Block(config, rate, name=f"block{i:02}", dtype=policy) for i, rate in enumerate(rates)]
        self.norm = keras.layers.LayerNormalization(epsilon=NORM_EPSILON, name="norm", dtype=policy)
        self.head = keras.layers.Dense(config.classes, kernel_initializer="zeros", name="head", dtype="float32")
        self.build((None, *config.image_size, 3))

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        tokens, width = self.config.grid[0] * self.config.grid[1] + 1, self.config.width
        small = keras.initializers.TruncatedNormal(stddev=0.02)
        self.cls_token = self.add_weight(shape=(1, 1, width), initializer=small, name="cls_token")
        self.position = self.add_weight(shape=(1, tokens, width), initializer=small, name="position")
        self.patch_embedding.build(input_shape)
        for block in self.blocks:
            block.build((None, tokens, width))
        self.norm.build((None, tokens, width))
        self.head.build((None, width))

    def call(self, images: Tensor, training: bool = False) -> tuple[Tensor, Taps]:
        taps: Taps = {}
        x = self.patch_embedding(images)  # (B, N, D)
        cls_token = ops.broadcast_to(ops.cast(self.cls_token, x.dtype), (ops.shape(x)[0], 1, self.config.width))
        x = ops.concatenate([cls_token, x], axis=1)  # (B, T, D)
        x = taps["embeddings"] = x + ops.cast(self.position, x.dtype)
        for block in self.blocks:
            x, taps[f"{block.name}/attention"] = block(x, training=training)
            taps[f"{block.name}/output"] = x
        x = taps["embedding"] = self.norm(x[:, 0])  # (B, D): nothing reads the other tokens
        return self.head(x), taps  # (B, C)
