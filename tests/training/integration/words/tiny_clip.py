"""A CLIP small enough to train in a test, written by itself in JAX, and saved as Hugging Face's transformers saves one.

Nothing of it comes from vitcam, so what is imported of it was made by others.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from tests.shapes import BLOB, COLOURS, SHAPES, SIDE, STRIPED, caption, draw, fits, seen_pair

PATCH, WIDTH, DEPTH, HEADS, SHARED = 8, 64, 3, 2, 32
TEXT_WIDTH, TEXT_DEPTH, LONGEST = 32, 1, 16
MEAN, STD = 0.5, 0.25
BEGIN, END = "<|startoftext|>", "<|endoftext|>"
WORDS = ("a", "photo", "of", "that", "is", "thing", ".", STRIPED, BLOB, *COLOURS, *SHAPES)
Params = dict[str, jax.Array]


def tokenizer() -> Tokenizer:
    """A word is a token; the token that ends a text has the highest number."""
    names = {name: i for i, name in enumerate((*WORDS, BEGIN, END))}
    made = Tokenizer(models.WordLevel(names, unk_token="a"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens([BEGIN, END])
    made.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN} $A {END}", special_tokens=[(BEGIN, names[BEGIN]), (END, names[END])]
    )
    return made


def train(steps: int, batch: int = 64, seed: int = 0) -> tuple[Params, float]:
    """By the contrastive loss of CLIP."""
    rng, tokens = np.random.default_rng(seed), tokenizer()
    params = _initial(rng)
    moments = jax.tree.map(jnp.zeros_like, (params, params))
    step = jax.jit(_step)
    loss = 0.0
    for i in range(steps):
        pairs = [seen_pair(rng) for _ in range(batch)]
        images = np.stack([draw(*pair, rng) for pair in pairs])
        texts = [caption(*pair, rng) for pair in pairs]
        ids = np.stack([_padded(tokens.encode(text).ids) for text in texts])
        right = np.array([[fits(text, *pair) for text in texts] for pair in pairs], np.float32)
        rate = 1e-3 * min(1.0, (i + 1) / 100, (steps - i) / (0.3 * steps))
        params, moments, loss = step(params, moments, i + 1, rate, images, ids, right)
    return params, float(loss)


def save(params: Params, folder: Path) -> None:
    """As transformers would."""
    folder.mkdir(parents=True)
    save_file({name: np.asarray(array) for name, array in params.items()}, folder / "model.safetensors")
    vision = {"hidden_size": WIDTH, "intermediate_size": 4 * WIDTH, "num_hidden_layers": DEPTH,
              "num_attention_heads": HEADS, "image_size": SIDE, "patch_size": PATCH}  # fmt: skip
    text = {"vocab_size": len(WORDS) + 2, "hidden_size": TEXT_WIDTH, "intermediate_size": 4 * TEXT_WIDTH,
            "num_hidden_layers": TEXT_DEPTH, "num_attention_heads": HEADS, "max_position_embeddings": LONGEST,
            "eos_token_id": 2}  # fmt: skip
    about = {"model_type": "clip", "projection_dim": SHARED, "vision_config": vision, "text_config": text}
    pixels = {"image_mean": [MEAN] * 3, "image_std": [STD] * 3, "do_center_crop": True, "resample": 3,
              "size": {"shortest_edge": SIDE}, "crop_size": {"height": SIDE, "width": SIDE}}  # fmt: skip
    (folder / "config.json").write_text(json.dumps(about))
    (folder / "preprocessor_config.json").write_text(json.dumps(pixels))
    tokenizer().save(str(folder / "tokenizer.json"))


def _padded(ids: list[int]) -> NDArray[np.int32]:
    return np.array(ids + [ids[-1]] * (LONGEST - len(ids)), np.int32)


def _initial(rng: np.random.Generator) -> Params:
    params: dict[str, NDArray[Any]] = {}

    def matrix(name: str, *shape: int) -> None:
        params[name] = rng.normal(0, 0.02 if "embedding" in name else shape[-1] ** -0.5, shape)

    def norm(name: str, width: int) -> None:
        params[f"{name}.weight"], params[f"{name}.bias"] = np.ones(width), np.zeros(width)

    def tower(name: str, width: int, depth: int) -> None:
        for i in range(depth):
            block = f"{name}.encoder.layers.{i}"
            for layer, out, inner in (
                *((f"self_attn.{part}_proj", width, width) for part in ("q", "k", "v", "out")),
                ("mlp.fc1", 4 * width, width), ("mlp.fc2", width, 4 * width),
            ):  # fmt: skip
                matrix(f"{block}.{layer}.weight", out, inner)
                params[f"{block}.{layer}.bias"] = np.zeros(out)
            norm(f"{block}.layer_norm1", width)
            norm(f"{block}.layer_norm2", width)

    start = "vision_model.embeddings"
    matrix(f"{start}.class_embedding", WIDTH)
    params[f"{start}.patch_embedding.weight"] = rng.normal(0, 0.05, (WIDTH, 3, PATCH, PATCH))
    matrix(f"{start}.position_embedding.weight", (SIDE // PATCH) ** 2 + 1, WIDTH)
    norm("vision_model.pre_layrnorm", WIDTH)
    tower("vision_model", WIDTH, DEPTH)
    norm("vision_model.post_layernorm", WIDTH)
    matrix("visual_projection.weight", SHARED, WIDTH)
    matrix("text_model.embeddings.token_embedding.weight", len(WORDS) + 2, TEXT_WIDTH)
    matrix("text_model.embeddings.position_embedding.weight", LONGEST, TEXT_WIDTH)
    tower("text_model", TEXT_WIDTH, TEXT_DEPTH)
    norm("text_model.final_layer_norm", TEXT_WIDTH)
    matrix("text_projection.weight", SHARED, TEXT_WIDTH)
    params["logit_scale"] = np.array(np.log(10.0))
    return {name: jnp.asarray(array, jnp.float32) for name, array in params.items()}


def _dense(p: Params, name: str, x: jax.Array) -> jax.Array:
    return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]


def _norm(p: Params, name: str, x: jax.Array) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * p[f"{name}.weight"] + p[f"{name}.bias"]


def _blocks(p: Params, name: str, depth: int, x: jax.Array, mask: jax.Array | float) -> jax.Array:
    for i in range(depth):
        block = f"{name}.encoder.layers.{i}"
        seen = _norm(p, f"{block}.layer_norm1", x)
        q, k, v = (_split(_dense(p, f"{block}.self_attn.{part}_proj", seen)) for part in ("q", "k", "v"))
        weights = jax.nn.softmax(q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5 + mask)
        mixed = (weights @ v).transpose(0, 2, 1, 3).reshape(x.shape)
        x = x + _dense(p, f"{block}.self_attn.out_proj", mixed)
        hidden = _dense(p, f"{block}.mlp.fc1", _norm(p, f"{block}.layer_norm2", x))
        x = x + _dense(p, f"{block}.mlp.fc2", hidden * jax.nn.sigmoid(1.702 * hidden))
    return x


def _split(x: jax.Array) -> jax.Array:
    return x.reshape(*x.shape[:2], HEADS, -1).transpose(0, 2, 1, 3)


def _unit(x: jax.Array) -> jax.Array:
    return x / jnp.linalg.norm(x, axis=-1, keepdims=True)


def _pictures(p: Params, images: jax.Array) -> jax.Array:
    start = "vision_model.embeddings"
    x = (images.astype(jnp.float32) / 255 - MEAN) / STD
    grid = SIDE // PATCH
    x = x.reshape(-1, grid, PATCH, grid, PATCH, 3).transpose(0, 1, 3, 5, 2, 4).reshape(len(images), grid * grid, -1)
    x = x @ p[f"{start}.patch_embedding.weight"].reshape(WIDTH, -1).T
    first = jnp.broadcast_to(p[f"{start}.class_embedding"], (len(images), 1, WIDTH))
    x = jnp.concatenate([first, x], axis=1) + p[f"{start}.position_embedding.weight"]
    x = _blocks(p, "vision_model", DEPTH, _norm(p, "vision_model.pre_layrnorm", x), 0.0)
    return _unit(_norm(p, "vision_model.post_layernorm", x[:, 0]) @ p["visual_projection.weight"].T)


def _texts(p: Params, ids: jax.Array) -> jax.Array:
    start = "text_model.embeddings"
    x = p[f"{start}.token_embedding.weight"][ids] + p[f"{start}.position_embedding.weight"]
    x = _blocks(p, "text_model", TEXT_DEPTH, x, jnp.triu(jnp.full((LONGEST, LONGEST), -jnp.inf), 1))
    x = _norm(p, "text_model.final_layer_norm", x)[jnp.arange(len(ids)), ids.argmax(-1)]
    return _unit(x @ p["text_projection.weight"].T)


def _loss(p: Params, images: jax.Array, ids: jax.Array, right: jax.Array) -> jax.Array:
    logits = jnp.exp(p["logit_scale"]) * _pictures(p, images) @ _texts(p, ids).T
    logits -= 1e4 * right * (1 - jnp.eye(len(ids)))  # other captions that are true of a picture are not wrong for it
    return -(jnp.diag(jax.nn.log_softmax(logits)) + jnp.diag(jax.nn.log_softmax(logits.T))).mean() / 2


def _step(
    p: Params, moments: Any, count: jax.Array, rate: jax.Array, images: jax.Array, ids: jax.Array, right: jax.Array
) -> tuple[Params, Any, jax.Array]:
    """Adam."""
    loss, gradients = jax.value_and_grad(partial(_loss, images=images, ids=ids, right=right))(p)
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
    square = jax.tree.map(lambda s, g: 0.98 * s + 0.02 * g * g, moments[1], gradients)
    unbiased = 1 - 0.9**count, 1 - 0.98**count
    p = jax.tree.map(lambda w, m, s: w - rate * (m / unbiased[0]) / (jnp.sqrt(s / unbiased[1]) + 1e-8), p, mean, square)
    return p, (mean, square), loss
