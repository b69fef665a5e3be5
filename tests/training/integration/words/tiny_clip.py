"""A CLIP small enough to train in a test, written in TensorFlow, and saved as Hugging Face's transformers saves one.

Nothing of it comes from vitcam, so what is imported of it was made by others.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from tests.shapes import BLOB, COLOURS, SHAPES, SIDE, STRIPED, caption, draw, fits, seen_pair

PATCH, WIDTH, DEPTH, HEADS, SHARED = 8, 64, 3, 2, 32
TEXT_WIDTH, TEXT_DEPTH, LONGEST = 32, 1, 16
MEAN, STD = 0.5, 0.25
BEGIN, END = "<|startoftext|>", "<|endoftext|>"
WORDS = ("a", "photo", "of", "that", "is", "thing", ".", STRIPED, BLOB, *COLOURS, *SHAPES)
Params = dict[str, tf.Variable]


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
    """By the contrastive loss of CLIP, with Adam."""
    rng, tokens = np.random.default_rng(seed), tokenizer()
    params = _initial(rng)
    adam = tf.keras.optimizers.Adam(beta_2=0.98, epsilon=1e-8)
    adam.build(list(params.values()))

    @tf.function  # type: ignore[untyped-decorator]
    def step(images: tf.Tensor, ids: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = _loss(params, images, ids, right)
        adam.apply(tape.gradient(loss, list(params.values())), list(params.values()))
        return loss

    loss = tf.constant(0.0)
    for i in range(steps):
        pairs = [seen_pair(rng) for _ in range(batch)]
        images = np.stack([draw(*pair, rng) for pair in pairs])
        texts = [caption(*pair, rng) for pair in pairs]
        ids = np.stack([_padded(tokens.encode(text).ids) for text in texts])
        right = np.array([[fits(text, *pair) for text in texts] for pair in pairs], np.float32)
        adam.learning_rate = 1e-3 * min(1.0, (i + 1) / 100, (steps - i) / (0.3 * steps))
        loss = step(tf.constant(images), tf.constant(ids), tf.constant(right))
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
    return {name: tf.Variable(array, dtype=tf.float32) for name, array in params.items()}


def _dense(p: Params, name: str, x: tf.Tensor) -> tf.Tensor:
    return tf.matmul(x, p[f"{name}.weight"], transpose_b=True) + p[f"{name}.bias"]


def _norm(p: Params, name: str, x: tf.Tensor) -> tf.Tensor:
    mean, variance = tf.nn.moments(x, -1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5) * p[f"{name}.weight"] + p[f"{name}.bias"]


def _blocks(p: Params, name: str, depth: int, x: tf.Tensor, mask: tf.Tensor | float) -> tf.Tensor:
    for i in range(depth):
        block = f"{name}.encoder.layers.{i}"
        seen = _norm(p, f"{block}.layer_norm1", x)
        q, k, v = (_split(_dense(p, f"{block}.self_attn.{part}_proj", seen)) for part in ("q", "k", "v"))
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * q.shape[-1] ** -0.5 + mask)
        mixed = tf.reshape(tf.transpose(weights @ v, (0, 2, 1, 3)), tf.shape(x))
        x = x + _dense(p, f"{block}.self_attn.out_proj", mixed)
        hidden = _dense(p, f"{block}.mlp.fc1", _norm(p, f"{block}.layer_norm2", x))
        x = x + _dense(p, f"{block}.mlp.fc2", hidden * tf.sigmoid(1.702 * hidden))
    return x


def _split(x: tf.Tensor) -> tf.Tensor:
    return tf.transpose(tf.reshape(x, (-1, x.shape[1], HEADS, x.shape[2] // HEADS)), (0, 2, 1, 3))


def _unit(x: tf.Tensor) -> tf.Tensor:
    return x / tf.norm(x, axis=-1, keepdims=True)


def _pictures(p: Params, images: tf.Tensor) -> tf.Tensor:
    start = "vision_model.embeddings"
    x = (tf.cast(images, tf.float32) / 255 - MEAN) / STD
    grid, count = SIDE // PATCH, len(images)
    x = tf.transpose(tf.reshape(x, (count, grid, PATCH, grid, PATCH, 3)), (0, 1, 3, 5, 2, 4))
    x = tf.reshape(x, (count, grid * grid, 3 * PATCH * PATCH))
    x = tf.matmul(x, tf.reshape(p[f"{start}.patch_embedding.weight"], (WIDTH, -1)), transpose_b=True)
    first = tf.broadcast_to(p[f"{start}.class_embedding"], (count, 1, WIDTH))
    x = tf.concat([first, x], axis=1) + p[f"{start}.position_embedding.weight"]
    x = _blocks(p, "vision_model", DEPTH, _norm(p, "vision_model.pre_layrnorm", x), 0.0)
    x = _norm(p, "vision_model.post_layernorm", x[:, 0])
    return _unit(tf.matmul(x, p["visual_projection.weight"], transpose_b=True))


def _texts(p: Params, ids: tf.Tensor) -> tf.Tensor:
    start = "text_model.embeddings"
    x = tf.gather(p[f"{start}.token_embedding.weight"], ids) + p[f"{start}.position_embedding.weight"]
    later = np.triu(np.full((LONGEST, LONGEST), -np.inf, np.float32), 1)
    x = _norm(p, "text_model.final_layer_norm", _blocks(p, "text_model", TEXT_DEPTH, x, later))
    x = tf.gather(x, tf.argmax(ids, axis=-1), batch_dims=1)
    return _unit(tf.matmul(x, p["text_projection.weight"], transpose_b=True))


def _loss(p: Params, images: tf.Tensor, ids: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
    logits = tf.exp(p["logit_scale"]) * tf.matmul(_pictures(p, images), _texts(p, ids), transpose_b=True)
    logits -= 1e4 * right * (1 - tf.eye(len(ids)))  # other captions that are true of a picture are not wrong for it
    own = [tf.linalg.diag_part(tf.nn.log_softmax(each)) for each in (logits, tf.transpose(logits))]
    return -tf.reduce_mean(own[0] + own[1]) / 2
