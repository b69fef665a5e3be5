"""The Vision Transformer, whole, in one file (Keras 3, any backend).

In: camera bytes, (B, H, W, 3) RGB in 0..255. Out: `(logits, taps)`, taps being every value worth looking at by name.
Source: Dosovitskiy et al. 2021 (arXiv 2010.11929); the sizes and details are those of DeiT, Touvron et al. 2021
(arXiv 2012.12877), unless the configuration says otherwise: pre-norm blocks, LayerNorm with epsilon 1e-6, exact GELU,
a linear head on the class token. `study/reference.py` says the same in NumPy, an equation a function.

Letters in the shape comments: B images, H x W pixels, C channels, P patch size, N patches, T tokens (N, or N + 1 with
a class token), D width, h heads, d channels of a head (D / h unless said otherwise), M channels inside an MLP, K
classes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import keras
import numpy as np
from keras import ops
from numpy.typing import NDArray

from vitcam_training.config import ViTConfig

__all__ = [
    "LUMA",
    "Block",
    "DropPath",
    "Taps",
    "Tensor",
    "ViT",
    "ViTConfig",
    "pooled_attention",
]

Tensor = Any  # a tensor of whichever backend Keras runs on
Taps = dict[str, Tensor]

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": partial(ops.gelu, approximate=False),
    "quick_gelu": lambda x: x * ops.sigmoid(1.702 * x),  # Hendrycks & Gimpel 2016, arXiv 1606.08415, section 2
    "relu": ops.relu,
}
LUMA = (0.299, 0.587, 0.114)  # ITU-R BT.601, as cv2 makes pictures grey
POSITION_STD = 0.5**0.5  # of random positions, which are then as long as sines and cosines


class Dense(keras.layers.Dense):  # type: ignore[misc]
    """A dense layer for each token by itself, (B, T, D) -> (B, T, M).

    The tokens of all images are the rows of one matrix: of a product of (B, T, D), XLA works out the gradient for the
    weights from a transposed copy of the activations, which took a third of the time of a step on a CPU.
    """

    def call(self, x: Tensor, training: bool | None = None) -> Tensor:
        rows = super().call(ops.reshape(x, (-1, x.shape[-1])), training=training)
        return ops.reshape(rows, (-1, *ops.shape(x)[1:-1], self.units))


class PatchEmbedding(keras.layers.Layer):  # type: ignore[misc]
    """Camera bytes (B, H, W, 3) -> tokens (B, N, D): normalise, cut into patches, project each with one matrix.

    The same as a convolution of stride P; as a matrix product it trains faster on a CPU. A network of one channel
    sees the luma of the normalised picture: linear, so that export can fold it into the projection.
    """

    def __init__(self, config: ViTConfig, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.config = config
        self.projection = Dense(config.width, name="projection", dtype=self.dtype_policy)

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        self.projection.build((None, None, self.config.patch_size**2 * self.config.channels))

    def call(self, images: Tensor) -> Tensor:
        return self.projection(self.pixels(images))  # (B, N, D)

    def pixels(self, images: Tensor) -> Tensor:
        """The patches before their projection: (B, H, W, 3) -> (B, N, P*P*C)."""
        (rows, columns), side, channels = self.config.grid, self.config.patch_size, self.config.channels
        x = ops.cast(images, "float32") / 255.0
        mean, std = (ops.array(values, "float32") for values in (self.config.mean, self.config.std))
        x = ops.cast((x - mean) / std, self.compute_dtype)
        if channels == 1:
            x = ops.sum(x * ops.array(LUMA, x.dtype), axis=-1)  # (B, H, W)
        x = ops.reshape(x, (-1, rows, side, columns, side, channels))  # (B, gh, P, gw, P, C)
        x = ops.transpose(x, (0, 1, 3, 2, 4, 5))  # (B, gh, gw, P, P, C)
        return ops.reshape(x, (-1, rows * columns, side * side * channels))  # (B, N, P*P*C)


class Attention(keras.layers.Layer):  # type: ignore[misc]
    """Multi-head self-attention, (B, T, D) -> ((B, T, D), weights (B, h, T, T)). Rows of the weights sum to 1."""

    def __init__(self, config: ViTConfig, scaled: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.config = config
        self.score_factor = config.d_k**-0.5 if scaled else 1.0  # 1 / √d_k
        policy = self.dtype_policy
        dense = partial(Dense, config.attention_width, use_bias=config.qkv_bias, dtype=policy)
        self.query = dense(name="query")
        self.key = dense(name="key")
        self.value = dense(name="value")
        self.output_projection = Dense(config.width, name="output_projection", dtype=policy)
        self.query_norm = _norm(config, "query_norm", policy, config.qk_norm)
        self.key_norm = _norm(config, "key_norm", policy, config.qk_norm)
        self.attention_dropout = keras.layers.Dropout(config.attention_dropout, name="attention_dropout", dtype=policy)
        self.dropout = keras.layers.Dropout(config.dropout, name="dropout", dtype=policy)

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        for layer in (self.query, self.key, self.value):
            layer.build(input_shape)
        self.output_projection.build((*input_shape[:-1], self.config.attention_width))
        for layer in (self.query_norm, self.key_norm):
            layer.build((None, None, None, self.config.d_k))

    def call(self, x: Tensor, training: bool = False) -> tuple[Tensor, Tensor]:
        q, k, v = (self._split(project(x)) for project in (self.query, self.key, self.value))  # (B, h, T, d) each
        q, k = self.query_norm(q), self.key_norm(k)
        scores = ops.matmul(q * self.score_factor, ops.swapaxes(k, -2, -1))  # (B, h, T, T)
        weights = ops.softmax(scores, axis=-1)  # (B, h, T, T)
        mixed = ops.matmul(self.attention_dropout(weights, training=training), v)  # (B, h, T, d)
        x = ops.transpose(mixed, (0, 2, 1, 3))  # (B, T, h, d)
        x = ops.reshape(x, (-1, ops.shape(x)[1], self.config.attention_width))  # (B, T, h*d)
        return self.dropout(self.output_projection(x), training=training), weights

    def _split(self, x: Tensor) -> Tensor:
        x = ops.reshape(x, (-1, ops.shape(x)[1], self.config.heads, self.config.d_k))  # (B, T, h, d)
        return ops.transpose(x, (0, 2, 1, 3))  # (B, h, T, d)


class Mlp(keras.layers.Layer):  # type: ignore[misc]
    """Two dense layers with an activation between them, each token by itself: (B, T, D) -> same."""

    def __init__(self, config: ViTConfig, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.config = config
        self.up = Dense(config.hidden_width, name="up", dtype=self.dtype_policy)
        self.down = Dense(config.width, name="down", dtype=self.dtype_policy)
        self.dropout = keras.layers.Dropout(config.dropout, name="dropout", dtype=self.dtype_policy)

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        self.up.build(input_shape)
        self.down.build((None, None, self.config.hidden_width))

    def call(self, x: Tensor, training: bool = False) -> Tensor:
        x = self.up(x)  # (B, T, M)
        x = ACTIVATIONS[self.config.activation](x)
        x = self.down(self.dropout(x, training=training))  # (B, T, D)
        return self.dropout(x, training=training)


class DropPath(keras.layers.Layer):  # type: ignore[misc]
    """Stochastic depth (Huang et al. 2016, arXiv 1603.09382), (B, T, D) -> same: drops a branch for some images."""

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate
        # the seed comes from keras.utils.set_random_seed: with one seed for all, every block would drop the same images
        self.seed_generator = keras.random.SeedGenerator()

    def call(self, x: Tensor, training: bool = False) -> Tensor:
        if not training or self.rate == 0.0:
            return x
        kept = keras.random.uniform((ops.shape(x)[0], 1, 1), seed=self.seed_generator) >= self.rate  # (B, 1, 1)
        return x * ops.cast(kept, x.dtype) / (1.0 - self.rate)  # what is kept grows, so that the mean stays


class LayerScale(keras.layers.Layer):  # type: ignore[misc]
    """A learned factor for each channel of a branch (Touvron et al. 2021, CaiT): (B, T, D) -> (B, T, D)."""

    def __init__(self, initial: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.initial = initial

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        constant = keras.initializers.Constant(self.initial)
        self.gamma = self.add_weight(shape=(input_shape[-1],), initializer=constant, name="gamma")

    def call(self, x: Tensor) -> Tensor:
        return x * ops.cast(self.gamma, x.dtype)


class Block(keras.layers.Layer):  # type: ignore[misc]
    """One encoder block: (B, T, D) -> (B, T, D), and its attention weights (B, h, T, T)."""

    def __init__(self, config: ViTConfig, drop_path: float, scaled: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.config = config
        policy = self.dtype_policy
        self.norm1 = _norm(config, "norm1", policy, config.norm != "none")
        self.attention = Attention(config, scaled, name="attention", dtype=policy)
        self.norm2 = _norm(config, "norm2", policy, config.norm != "none")
        self.mlp = Mlp(config, name="mlp", dtype=policy)
        self.drop_path = DropPath(drop_path, name="drop_path", dtype=policy)
        self.scale1, self.scale2 = (
            LayerScale(config.layer_scale, name=name, dtype=policy) if config.layer_scale else keras.layers.Identity()
            for name in ("scale1", "scale2")
        )

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        for layer in (self.norm1, self.attention, self.norm2, self.mlp, self.scale1, self.scale2):
            layer.build(input_shape)

    def call(self, x: Tensor, training: bool = False) -> tuple[Tensor, Tensor]:
        pre = self.config.norm == "pre"
        branch, weights = self.attention(self.norm1(x) if pre else x, training=training)  # (B, T, D), (B, h, T, T)
        x = self._add(x, self.drop_path(self.scale1(branch), training=training))
        x = x if pre else self.norm1(x)
        branch = self.mlp(self.norm2(x) if pre else x, training=training)
        x = self._add(x, self.drop_path(self.scale2(branch), training=training))
        return (x if pre else self.norm2(x)), weights

    def _add(self, x: Tensor, branch: Tensor) -> Tensor:
        """The residual connection, where there is one: (B, T, D), (B, T, D) -> (B, T, D)."""
        return x + branch if self.config.residual else branch


class ViT(keras.Model):  # type: ignore[misc]
    """The network. `call` returns logits (B, K) and the taps below.

    embeddings        (B, T, D) tokens that enter the first block, class token first where there is one
    block00/attention (B, h, T, T) attention weights of a block, rows sum to 1
    block00/output    (B, T, D) tokens that leave a block
    embedding         (B, D) what the head sees: one token, or the mean of all, after the final norm; two tokens side by
                      side, (B, 2 D); with a shared space, (B, S) its place there, of length 1

    With `scaled` False, attention scores are not divided by √d_k: only the ablation trains such a network.
    """

    def __init__(self, config: ViTConfig, scaled: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.config = config
        policy = self.dtype_policy
        self.patch_embedding = PatchEmbedding(config, name="patch_embedding", dtype=policy)
        self.dropout = keras.layers.Dropout(config.dropout, name="dropout", dtype=policy)
        self.first_norm = _norm(config, "first_norm", policy, config.first_norm)
        rates = [config.drop_path * i / max(1, config.depth - 1) for i in range(config.depth)]
        self.blocks = [Block(config, rate, scaled, name=f"block{i:02}", dtype=policy) for i, rate in enumerate(rates)]
        self.norm = _norm(config, "norm", policy, config.final_norm)
        self.shared = (
            keras.layers.Dense(config.shared_width, use_bias=False, name="shared", dtype="float32")
            if config.shared_width
            else None
        )
        self.pre_logits = (
            keras.layers.Dense(config.head_hidden, activation="tanh", name="pre_logits", dtype="float32")
            if config.head_hidden
            else None
        )
        self.head = keras.layers.Dense(config.classes, kernel_initializer="zeros", name="head", dtype="float32")
        self.build((None, *config.image_size, 3))

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        config, shape = self.config, (None, self.config.tokens, self.config.width)
        width = config.width
        small = keras.initializers.TruncatedNormal(stddev=0.02)
        if config.has_cls_token:
            self.cls_token = self.add_weight(shape=(1, 1, width), initializer=small, name="cls_token")
        if config.pooling == "distilled":
            self.dist_token = self.add_weight(shape=(1, 1, width), initializer=small, name="dist_token")
        if config.registers:
            self.registers = self.add_weight(shape=(1, config.registers, width), initializer=small, name="registers")
        if config.position in ("learned", "random"):
            placed, learned = (1, config.tokens - config.registers, width), config.position == "learned"
            drawn = small if learned else keras.initializers.RandomNormal(stddev=POSITION_STD)
            self.position = self.add_weight(shape=placed, initializer=drawn, trainable=learned, name="position")
        self.patch_embedding.build(input_shape)
        self.first_norm.build(shape)
        for block in self.blocks:
            block.build(shape)
        self.norm.build(shape)
        if self.shared:
            self.shared.build((None, config.width))
        if self.pre_logits:
            self.pre_logits.build((None, config.embedding_width))
        self.head.build((None, config.head_hidden or config.embedding_width))

    def call(self, images: Tensor, training: bool = False) -> tuple[Tensor, Taps]:
        taps: Taps = {}
        x = self.first_norm(self.dropout(self._embed(images), training=training))  # (B, T, D)
        taps["embeddings"] = x
        for block in self.blocks:
            x, taps[f"{block.name}/attention"] = block(x, training=training)
            taps[f"{block.name}/output"] = x
        x = self._pool(x)  # (B, D)
        if self.shared:
            x = self.shared(x)  # (B, S)
            x /= ops.sqrt(ops.sum(ops.square(x), axis=-1, keepdims=True))
        taps["embedding"] = x
        return self.head(self.pre_logits(x) if self.pre_logits else x), taps  # (B, K)

    def _embed(self, images: Tensor) -> Tensor:
        """(B, H, W, 3) -> (B, T, D): patches, class token, positions, registers."""
        config = self.config
        x = self.patch_embedding(images)  # (B, N, D)
        if config.pooling == "distilled":
            x = _before(self.dist_token, x)
        if config.has_cls_token:
            x = _before(self.cls_token, x)
        if config.position in ("learned", "random"):
            x += ops.cast(self.position, x.dtype)
        if config.position == "sincos":
            x += ops.array(sincos_position(config.tokens - config.registers, config.width), x.dtype)
        if config.registers:
            x = ops.concatenate([x[:, : config.placed], _before(self.registers, x[:, config.placed :])], axis=1)
        return x  # (B, T, D)

    def _pool(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B, D). Where the head reads one token, nothing reads the others: they need no norm."""
        if self.config.pooling == "mean":
            return ops.mean(self.norm(x), axis=1)
        rows = self.config.rows_read
        return ops.reshape(self.norm(x[:, :rows]), (-1, rows * self.config.width))


def _norm(config: ViTConfig, name: str, policy: Any, there: bool) -> Any:
    """A LayerNorm; the identity where there is none."""
    if not there:
        return keras.layers.Identity()
    return keras.layers.LayerNormalization(epsilon=config.norm_epsilon, name=name, dtype=policy)


def _before(tokens: Tensor, x: Tensor) -> Tensor:
    """The same tokens (1, n, D) before those of each image: (B, T, D) -> (B, n + T, D)."""
    same = ops.broadcast_to(ops.cast(tokens, x.dtype), (ops.shape(x)[0], *tokens.shape[1:]))
    return ops.concatenate([same, x], axis=1)


def sincos_position(tokens: int, width: int) -> NDArray[np.float64]:
    """A fixed position encoding: each pair of channels is a clock hand, from 1 radian a token to 1 in 10,000.

    returns  (tokens, width): PE(pos, 2i) = sin(pos / 10000^(2i / width)), PE(pos, 2i + 1) = cos of the same angle
    source   Vaswani et al. 2017, section 3.5
    """
    rates = 10000.0 ** (-np.arange(0, width, 2) / width)  # (D / 2,)
    angles = np.arange(tokens)[:, None] * rates  # (T, D / 2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(tokens, width)


def pooled_attention(config: ViTConfig, weights: Tensor) -> Tensor:
    """Where the tokens that the head reads looked: the last block's weights (B, h, T, T) -> (B, h, N).

    With a class token its row, over the patches, or the mean of its and the distillation token's; with first-token
    pooling the first patch's row; with mean pooling the mean over all rows. The last two sum to 1, the others to what
    these tokens left for the patches.
    """
    rows = weights if config.pooling == "mean" else weights[:, :, : config.rows_read]
    return ops.mean(rows, axis=2)[..., config.prefix :]
